"""`mcp expose`, `mcp hide`, `mcp operations` and `mcp writes`."""

import pytest

from django_mcp.access import server_config
from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent, ToolGroup, ToolRule
from tests.management.command import fails, run

pytestmark = pytest.mark.django_db


def test_expose_and_hide_a_group():
    run("expose", "coffee-shop")
    assert server_config.current().groups["coffee-shop"].exposed
    run("hide", "coffee-shop")
    assert not server_config.current().groups["coffee-shop"].exposed
    events = AuditEvent.objects.filter(kind=EventKind.EXPOSURE_CHANGED, target="coffee-shop").order_by("id")
    assert [event.detail["after"] for event in events] == [{"exposed": True}, {"exposed": False}]
    assert {event.username for event in events} == {"manage.py mcp"}


def test_hide_and_expose_one_operation():
    run("hide", "CancelCoffeeShopOrder")
    rule = ToolRule.objects.get()
    assert (rule.method, rule.exposure) == ("DELETE", "hidden")
    run("expose", "cancelcoffeeshoporder")
    assert ToolRule.objects.get().exposure == "exposed"
    assert AuditEvent.objects.filter(kind=EventKind.EXPOSURE_CHANGED).count() == 2


def test_unknown_name_changes_nothing_and_names_the_nearest():
    assert "Did you mean 'coffee-shop'?" in fails("expose", "CreateCoffeeShopOrder", "coffe-shop")
    assert not ToolRule.objects.exists()
    assert not AuditEvent.objects.exists()


def test_group_of_the_settings_cannot_be_hidden(settings):
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    assert "TOOL_GROUPS" in fails("hide", "CancelCoffeeShopOrder", "coffee-shop")
    assert not ToolRule.objects.exists()
    run("hide", "CancelCoffeeShopOrder")
    assert ToolRule.objects.get().exposure == "hidden"


def test_api_tools_can_be_hidden_and_exposed():
    run("hide", "api_tools")
    assert not ToolGroup.objects.get().exposed
    run("expose", "api_tools")
    assert ToolGroup.objects.get().exposed


def test_operations_are_an_aligned_table():
    run("expose", "coffee-shop")
    ToolRule.objects.create(name="GetCoffeeShopMenu", exposure="hidden", requires_approval=True)
    lines = run("operations").splitlines()
    heads = ("NAME", "METHOD", "ROUTE", "SAFETY", "GROUP", "EXPOSED", "MODE", "NOTES")
    starts = [lines[0].index(head) for head in heads]
    rows = {line.split()[0]: line for line in lines[1:]}
    for line in rows.values():
        assert all(line[start - 1] == " " for start in starts[1:] if start <= len(line))
    assert rows["CancelCoffeeShopOrder"].split()[3:] == ["Destructive", "coffee-shop", "yes", "confirmation_token"]
    menu = rows["GetCoffeeShopMenu"]
    assert menu[starts[5] :].split()[:2] == ["no", "confirmation_token"]
    assert menu.endswith("requires approval")


def test_exposing_a_group_counts_what_is_exposed_by_name_only(monkeypatch):
    from dataclasses import replace

    from django_mcp.catalog.discovery import Catalog, get_catalog
    from django_mcp.management import exposure

    first, *others = get_catalog().operations
    catalog = Catalog((replace(first, own_authentication=True), *others), ())
    monkeypatch.setattr("django_mcp.tools.inventory.get_catalog", lambda: catalog)
    (line,) = exposure.expose(["coffee-shop"])
    assert "1 with their own authentication are exposed by name only." in line
    assert "by name only" in run("operations")


def test_host_tools_and_their_groups_are_exposed_and_hidden(declaring):
    assert run("expose", "desk", "STAMP").splitlines() == [
        "Group desk: exposed, 0 operations, 2 tools.",
        "Tool stamp: exposed.",
    ]
    assert (ToolRule.objects.get().name, ToolRule.objects.get().method) == ("stamp", "")
    run("hide", "stamp")
    assert ToolRule.objects.get().exposure == "hidden"
    assert "Did you mean 'count_stamps'?" in fails("expose", "count_stamp")


def test_host_tools_are_listed_among_the_operations(declaring):
    run("expose", "desk")
    lines = run("operations").splitlines()
    start = lines[0].index("SAFETY")
    rows = {line.split()[0]: line for line in lines[1:]}
    assert rows["stamp"][:start].split() == ["stamp"]
    assert rows["stamp"][start:].split() == ["not", "declared", "desk", "yes", "confirmation_token"]
    assert rows["count_stamps"][start:].split() == ["ReadOnly", "desk", "yes", "-"]


def test_writes_are_stopped_and_let_go_on_with_an_event_each():
    assert "no agent can change anything" in run("writes", "off", "--reason", "incident 7")
    assert not server_config.current().writes_enabled
    assert "They were before." in run("writes", "off")
    assert "Writes are on." in run("writes", "on")
    assert server_config.current().writes_enabled
    events = AuditEvent.objects.filter(kind=EventKind.WRITES_SWITCHED).order_by("id")
    assert [event.detail["after"] for event in events] == [{"writes_enabled": False}, {"writes_enabled": True}]
    assert [event.detail.get("reason", "") for event in events] == ["incident 7", ""]
    assert {event.username for event in events} == {"manage.py mcp"}
    assert "on" in fails("writes", "maybe")


ORDER = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]}


def test_writes_off_reaches_a_server_that_remembers_them_on(mcp):
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["status"] == "requires_confirmation"
    run("writes", "off")
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["code"] == "unavailable"


def test_unknown_names_lead_to_the_list(sam):
    assert "`manage.py mcp operations`" in fails("expose", "zzz")
    assert "`manage.py mcp operations`" in fails("key", "create", "agent", "--user", "sam", "--group", "zzz")


def test_a_group_is_exposed_and_published_in_one_go(declaring):
    run("expose", "coffee-shop", "--publish-as", "both")
    assert server_config.current().publish_as("coffee-shop") == "both"
    run("expose", "coffee-shop")
    assert server_config.current().publish_as("coffee-shop") == "both"
    assert "one_tool_each" in fails("expose", "coffee-shop", "--publish-as", "tools")
    for name in ("GetCoffeeShopMenu", "desk", "api_tools"):
        assert "no group of operations" in fails("expose", name, "--publish-as", "both")
    assert not ToolRule.objects.exists()
