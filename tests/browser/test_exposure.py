"""What an operator does about exposure and approval, and what an agent with a key sees of it on its next call."""

import re

import pytest

from tests.browser.desk import follow
from tests.browser.notices import GROUP
from tests.browser.site import LATTES
from tests.e2e.client import ORDER

pytestmark = pytest.mark.service("chromium")

CANCEL = "CancelCoffeeShopOrder"


@pytest.fixture
def agent(site):
    return site.agent()


@pytest.fixture
def exposed(site):
    site.shop.inside.manage(arguments=["mcp", "expose", "coffee-shop"])


def names(agent):
    """The operations that the agent finds; None where it has no tool to look for them."""
    if "api_search" not in {tool["name"] for tool in agent.rpc("tools/list").result["tools"]}:
        return None
    return {api["name"] for api in agent.tool("api_search", {}).structured["apis"]}


def save(section, **choices):
    """Choose options of a group and save the page of all."""
    for label, option in choices.items():
        section.get_by_label(label.replace("_", " ")).select_option(label=option)
    follow(section.page.get_by_role("button", name="Save"))


def test_the_index_leads_to_every_page(desk):
    page = desk.open("/admin/")
    for name in ("API keys", "Audit events", "Confirmations", "Server settings", "Tool groups", "Tool rules"):
        follow(page.get_by_role("table", name="MCP server").get_by_role("link", name=name))
        assert page.get_by_role("heading", level=1).is_visible()
        assert page.url != f"{desk.base}/admin/"
        page.go_back()


def test_an_agent_sees_a_group_as_soon_as_it_is_exposed_and_no_longer(desk, agent):
    assert names(agent) is None
    section = desk.group("coffee-shop")
    section.get_by_label("Exposed").check()
    save(section)
    assert desk.page.get_by_text("1 group was changed: coffee-shop.").is_visible()
    assert "7 operations, 7 exposed" in section.inner_text()
    assert {ORDER, CANCEL} <= names(agent)
    section.get_by_label("Exposed").uncheck()
    save(section)
    assert names(agent) is None


def test_a_rule_hides_one_operation_of_an_exposed_group(desk, agent, exposed):
    assert CANCEL in names(agent)
    follow(desk.group("coffee-shop").get_by_role("link", name=f"Add rule {CANCEL}"))
    assert desk.page.get_by_label("Name").input_value() == CANCEL
    desk.page.get_by_label("Exposure").select_option(label="hidden")
    follow(desk.page.get_by_role("button", name="Save", exact=True))
    row = desk.page.get_by_role("row", name=CANCEL)
    assert row.get_by_role("cell", name="hidden").is_visible()
    assert row.get_by_role("link", name=f"Change rule {CANCEL}").is_visible()
    assert names(agent) == {api for api in names(agent) if api != CANCEL} != set()
    assert agent.call(CANCEL, {"id": 1}).code == "not_found"


def test_the_mode_of_a_group_holds_for_the_next_write(desk, agent, exposed):
    save(desk.group("coffee-shop"), Approval_mode="Reject")
    assert agent.call(ORDER, LATTES).failed
    save(desk.group("coffee-shop"), Approval_mode="Run at once; the client asks its user")
    assert agent.call(ORDER, LATTES).structured["status"] == "success"


def test_the_mode_of_the_server_holds_where_a_group_says_nothing(desk, agent, exposed):
    follow(desk.open("toolgroup/").get_by_role("link", name="Confirmation token"))
    desk.page.get_by_label("Approval mode").select_option(label="Reject")
    follow(desk.page.get_by_role("button", name="Save"))
    assert agent.call(ORDER, LATTES).failed
    assert desk.open("toolgroup/").get_by_text("Approval mode of the server: Reject.").is_visible()
    save(desk.group("coffee-shop"), Approval_mode="Confirmation token")
    assert agent.call(ORDER, LATTES).structured["status"] == "requires_confirmation"


def test_a_group_that_settings_expose_is_locked(desk):
    section = desk.group(GROUP)
    assert section.get_by_text("locked by the project").is_visible()
    assert section.get_by_label("Exposed").is_checked()
    assert section.get_by_label("Exposed").is_disabled()
    save(section, Approval_mode="Reject")
    assert section.get_by_label("Exposed").is_checked()
    assert section.get_by_label("Approval mode").locator(":checked").inner_text() == "Reject"


def test_two_groups_are_hidden_with_one_save(desk, agent, exposed):
    page = desk.open("toolgroup/")
    for name in ("barista", "coffee-shop"):
        page.get_by_role("region", name=re.compile(f"^{name}")).get_by_label("Exposed").uncheck()
    follow(page.get_by_role("button", name="Save"))
    assert page.get_by_text("2 groups were changed: barista, coffee-shop.").is_visible()
    assert names(agent) is None


def test_a_page_that_is_no_longer_true_is_refused_with_who_changed_what(desk, window, exposed):
    section = desk.group("coffee-shop")
    other = window().group("coffee-shop")
    other.get_by_label("Exposed").uncheck()
    save(other)
    save(section, Approval_mode="Reject")
    refusal = desk.page.locator(".messagelist .error")
    assert "Nothing was saved" in refusal.inner_text()
    assert "admin" in refusal.inner_text()
    assert "coffee-shop: exposed True → False" in refusal.inner_text()
    assert not section.get_by_label("Exposed").is_checked()
    assert section.get_by_label("Approval mode").locator(":checked").inner_text() == "As the server"


def test_writes_switched_off_stop_an_order_that_is_only_to_be_confirmed(desk, window, site, exposed):
    token = site.agent().propose(LATTES)
    stale = window().open("serversettings/")
    page = desk.open("serversettings/")
    page.get_by_label("Reason").fill("the till is on fire")
    follow(page.get_by_role("button", name="Stop all writes"))
    assert page.get_by_role("heading", name="Writes are off: no agent can change anything.").is_visible()
    assert page.get_by_text("by admin.").is_visible()
    assert page.get_by_text("the till is on fire").is_visible()
    stale.get_by_label("Server name").fill("till")
    follow(stale.get_by_role("button", name="Save"))
    assert stale.get_by_role("heading", name="Writes are off: no agent can change anything.").is_visible()
    assert desk.open("toolgroup/").get_by_text("Writes are switched off.").is_visible()
    agent = site.agent()
    assert agent.call(ORDER, LATTES, token).failed
    assert agent.read("ListCoffeeShopOrders").structured["status"] == "success"
    follow(desk.open("serversettings/").get_by_role("button", name="Let writes go on"))
    assert site.agent().call(ORDER, LATTES, token).structured["status"] == "success"


def test_a_withdrawn_confirmation_is_declined(desk, site, exposed):
    token = site.agent().propose(LATTES)
    page = desk.open("confirmation/")
    follow(page.get_by_role("link", name=re.compile(r"^\d{4}-")).first)
    page.get_by_label("Reason").fill("duplicate")
    follow(page.get_by_role("button", name="Withdraw"))
    assert page.get_by_text("The confirmation was withdrawn. It will never run.").is_visible()
    assert page.get_by_role("button", name="Withdraw").count() == 0
    refused = site.agent().call(ORDER, LATTES, token)
    assert (refused.code, refused.structured["by"]) == ("declined", "admin")


def test_a_group_is_exposed_without_a_mouse(desk, agent):
    box = desk.group("coffee-shop").get_by_label("Exposed")
    press = desk.page.keyboard.press
    for _ in range(60):
        press("Tab")
        if box.evaluate("element => element === document.activeElement"):
            break
    press("Space")
    # Enter in a field sends the form it is in; the one button of the page is further on.
    with desk.page.expect_navigation():
        press("Enter")
    assert desk.group("coffee-shop").get_by_label("Exposed").is_checked()
    assert ORDER in names(agent)
