"""A browser window on the admin."""

import re
from dataclasses import dataclass, field
from typing import Any


def follow(locator: Any) -> None:
    """Click on something that leads to a page, and wait until it is there."""
    with locator.page.expect_navigation():
        locator.click()


@dataclass
class Desk:
    """Someone's browser window on the admin. `problems` is what the browser complained about, in order."""

    page: Any
    base: str
    problems: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self._note(message.type, message.text)
        )
        self.page.on("pageerror", lambda error: self._note("exception", str(error)))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", lambda answer: answer.status >= 400 and self._note(str(answer.status), answer.url))

    def _note(self, kind: str, text: str) -> None:
        self.problems.append(f"{kind}: {text}")

    def _failed(self, request: Any) -> None:
        # Django's choice of a user gives up its search when another letter is typed.
        if request.failure != "net::ERR_ABORTED":
            self._note(request.failure, request.url)

    def open(self, path: str) -> Any:
        """Go to a page of the app, as `apikey/add/`, or to any path that begins with a slash."""
        self.page.goto(self.base + (path if path.startswith("/") else f"/admin/django_mcp/{path}"))
        return self.page

    def group(self, name: str) -> Any:
        """Return the section of one group on the page of all."""
        return self.open("toolgroup/").get_by_role("region", name=re.compile(f"^{re.escape(name)}"))

    def audit(self, script: str) -> list[str]:
        return self.page.evaluate(script)

    def read(self, path: str) -> Any:
        """Ask for a path with the window's cookies, beside the window."""
        return self.page.context.request.get(self.base + path)
