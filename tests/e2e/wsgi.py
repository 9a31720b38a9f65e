"""The demo's application, whose answers also say which worker process gave them."""

import os
from collections.abc import Iterable
from typing import Any

from demo_project.wsgi import application as demo


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        return start_response(status, [*headers, ("X-Worker", str(os.getpid()))], *rest)

    return demo(environ, start)
