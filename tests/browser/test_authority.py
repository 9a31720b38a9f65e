"""Staff who may only look, and staff who may not even do that."""

import re

import pytest

pytestmark = pytest.mark.service("chromium")

PATHS = (
    "apikey/",
    "apikey/add/",
    "auditevent/",
    "confirmation/",
    "serversettings/1/change/",
    "toolgroup/",
    "toolrule/",
)


def test_staff_without_permissions_see_no_page_of_the_app(window):
    desk = window("nobody")
    assert desk.open("/admin/").get_by_text("MCP server").count() == 0
    answers = {path: desk.read(f"/admin/django_mcp/{path}").status for path in PATHS}
    assert set(answers.values()) == {403}, answers


def test_staff_who_may_look_have_nothing_to_change(window, traded):
    desk = window("reader")
    for path in ("toolgroup/", "toolrule/", "apikey/", "serversettings/1/change/", "confirmation/", "auditevent/"):
        page = desk.open(path)
        assert page.get_by_role("heading", level=1).is_visible()
        controls = page.locator("#content :is(input, select, textarea, button):visible:not(#changelist-search *)")
        assert controls.count() == 0, path
        assert (
            page.locator("#content").get_by_role("link", name=re.compile("^(Add|Revoke|Change rule|Remove)")).count()
            == 0
        )
    assert "7 operations, 7 exposed" in desk.open("toolgroup/").inner_text("main")


def test_what_is_not_offered_cannot_be_sent_either(window, site, traded):
    desk = window("reader")
    token = next(cookie["value"] for cookie in desk.page.context.cookies() if cookie["name"] == "csrftoken")
    sent = {"csrfmiddlewaretoken": token, "group": "coffee-shop", "name": "x", "user": "1", "post": "yes"}
    for path in ("toolgroup/", "toolrule/add/", "apikey/add/", "apikey/1/revoke/", "serversettings/1/change/"):
        answer = desk.page.context.request.post(f"{desk.base}/admin/django_mcp/{path}", form=sent)
        assert answer.status == 403, path
    assert site.agent().tool("api_search", {}).structured["count"] == 7
