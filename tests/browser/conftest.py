"""The admin in a browser and agents beside it, over HTTP; the tests see what a person and an agent see.

The site runs in a process of its own: Playwright's loop in this one would have Django refuse its database.
"""

import os
from typing import Any

import pytest

from tests.browser.desk import Desk, follow
from tests.browser.site import LATTES, Site
from tests.e2e.client import ORDER
from tests.e2e.server import Backend, shop

READING = [
    "django_mcp.view_toolgroup", "django_mcp.view_serversettings", "django_mcp.view_apikey",
    "django_mcp.view_confirmation", "django_mcp.view_auditevent",
]  # fmt: skip


@pytest.fixture(scope="package")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["TEST_CHROMIUM"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def served(tmp_path_factory):
    """The demo behind a strict policy: the barista's tools exposed, the shop's operations not yet."""
    directory = tmp_path_factory.mktemp("site")
    with shop(
        Backend("sqlite:///"), directory, settings="tests.browser.settings", groups=("barista",), workers=1, threads=4
    ) as opened:
        key = opened.inside.issue_key(user="sam", groups=["coffee-shop"], name="Sam's agent")
        site = Site(opened, directory / "copy.sqlite3", key)
        opened.inside.manage(arguments=["staff", "nobody"])
        opened.inside.manage(arguments=["staff", "reader", *READING])
        yield site


@pytest.fixture(scope="package")
def sessions(served, chromium):
    """The cookies of those who are logged in, by name."""
    cookies = {name: _log_in(chromium, served.url, name) for name in ("admin", "reader", "nobody")}
    served.keep()
    return cookies


@pytest.fixture
def site(served, sessions):
    """The site as it was at first."""
    served.restore()
    yield served
    served.shop.close_clients()


@pytest.fixture
def window(site, chromium, sessions):
    """Return a function that opens a window for someone, logged in; what its browser complains about fails the test."""
    opened = []

    def open_for(name: str = "admin", **options: Any) -> Desk:
        context = chromium.new_context(storage_state=sessions[name], reduced_motion="reduce", **options)
        context.set_default_timeout(10_000)
        desk = Desk(context.new_page(), site.url)
        desk.watch()
        opened.append(desk)
        return desk

    yield open_for
    for desk in opened:
        desk.page.context.close()
    assert [problem for desk in opened for problem in desk.problems] == []


def _log_in(chromium: Any, url: str, name: str) -> Any:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{url}/admin/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(name)
    follow(page.get_by_role("button", name="Log in"))
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def desk(window):
    return window()


@pytest.fixture
def traded(site):
    """A day at the shop: an order that ran, one open, one refused; a token sent twice. Returns the token that is spent."""
    site.shop.inside.manage(arguments=["mcp", "expose", "coffee-shop"])
    agent = site.agent()
    token = agent.propose(LATTES)
    assert agent.call(ORDER, LATTES, token).structured["status"] == "success"
    assert agent.call(ORDER, LATTES, token).code == "confirmation_used"
    agent.propose({**LATTES, "customer_name": "Kim"})
    assert agent.call(ORDER, {**LATTES, "customer_name": "Eve"}, token + "x").failed
    return token
