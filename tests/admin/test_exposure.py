import re

import pytest

from django_mcp.access import server_config
from django_mcp.models import AuditEvent, ToolGroup, ToolRule
from django_mcp.types import ApprovalMode, EventKind

PAGE = "/admin/django_mcp/toolgroup/"
RULES = "/admin/django_mcp/toolrule/"


def row_of(body, name):
    return re.search(rf'<th scope="row">{name}.*?</tr>', body, re.DOTALL)[0]


def test_page_lists_groups_without_a_row_and_their_operations(desk):
    assert not ToolGroup.objects.exists()
    body = desk.get(PAGE).content.decode()
    assert "coffee-shop" in body
    row = row_of(body, "CancelCoffeeShopOrder")
    for text in ("DELETE", "orders/{id}/", "Destructive", "hidden", "Confirmation token", "Add rule"):
        assert text in row
    assert "Runs at once" in row_of(body, "GetCoffeeShopMenu")


def test_exposing_a_group_makes_its_row_and_an_event(desk):
    response = desk.post(PAGE, {"group": "coffee-shop", "exposed": "on", "approval_mode": "reject"})
    assert response.status_code == 302
    group = ToolGroup.objects.get()
    assert (group.name, group.exposed, group.approval_mode) == ("coffee-shop", True, "reject")
    event = AuditEvent.objects.get()
    assert (event.kind, event.username, event.target) == (EventKind.EXPOSURE_CHANGED, "staff", "coffee-shop")
    assert event.detail["before"] == {"exposed": False, "approval_mode": ""}
    assert event.detail["after"] == {"exposed": True, "approval_mode": "reject"}
    assert "exposed" in row_of(desk.get(PAGE).content.decode(), "GetCoffeeShopMenu")


def test_a_change_is_effective_at_once(desk):
    before = server_config.current()
    desk.post(PAGE, {"group": "coffee-shop", "exposed": "on"})
    assert not before.groups
    assert server_config.current().groups["coffee-shop"].exposed


def test_saving_the_same_again_leaves_no_event(desk):
    for _ in range(2):
        desk.post(PAGE, {"group": "coffee-shop", "exposed": "on"})
    assert AuditEvent.objects.count() == 1


def test_group_of_the_settings_is_locked(desk, settings):
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    body = desk.get(PAGE).content.decode()
    assert "locked by the project" in body
    desk.post(PAGE, {"group": "coffee-shop", "approval_mode": "reject"})
    assert server_config.current().groups["coffee-shop"].exposed
    assert server_config.current().groups["coffee-shop"].mode is ApprovalMode.REJECT
    assert not ToolGroup.objects.get().exposed


def test_api_tools_are_hidden_and_exposed_and_have_no_mode_of_their_own(desk):
    desk.post(PAGE, {"group": "api_tools", "approval_mode": "reject"})
    assert ToolGroup.objects.values_list("exposed", "approval_mode").get() == (False, "")
    desk.post(PAGE, {"group": "api_tools", "exposed": "on"})
    assert ToolGroup.objects.get().exposed


@pytest.mark.parametrize("sent", [{"approval_mode": "review"}, {"approval_mode": "anything"}])
def test_modes_that_are_not_on_offer_are_refused(desk, sent):
    response = desk.post(PAGE, {"group": "coffee-shop", **sent})
    assert b"errorlist" in response.content
    assert not ToolGroup.objects.exists()


def test_unknown_group_is_not_made(desk):
    assert desk.post(PAGE, {"group": "nothing", "exposed": "on"}).status_code == 404
    assert not ToolGroup.objects.exists()


def test_without_change_permission_nothing_changes(browser, person):
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    body = viewer.get(PAGE).content
    assert b"CancelCoffeeShopOrder" in body
    assert b'name="exposed"' not in body
    assert viewer.post(PAGE, {"group": "coffee-shop", "exposed": "on"}).status_code == 403
    assert not ToolGroup.objects.exists()


def test_without_any_permission_the_page_is_closed(browser, person):
    assert browser(person("other", "view_apikey", is_staff=True)).get(PAGE).status_code == 403


def test_post_without_a_csrf_token_changes_nothing(browser, staff):
    strict = browser(staff, enforce_csrf_checks=True)
    assert strict.post(PAGE, {"group": "coffee-shop", "exposed": "on"}).status_code == 403
    assert not ToolGroup.objects.exists()


def test_page_takes_few_queries(desk, django_assert_max_num_queries):
    desk.get(PAGE)
    with django_assert_max_num_queries(10):
        desk.get(PAGE)


def test_row_of_a_group_that_is_gone_can_be_removed(desk):
    gone = ToolGroup.objects.create(name="gone", exposed=True)
    assert b"nothing belongs to it" in desk.get(PAGE).content
    desk.post(f"{PAGE}{gone.pk}/delete/", {"post": "yes"})
    assert not ToolGroup.objects.exists()
    assert AuditEvent.objects.get().detail["before"] == {
        "exposed": True,
        "approval_mode": "",
        "publish_as": "api_tools",
    }


def test_rule_takes_method_and_route_from_the_catalog(desk):
    response = desk.post(f"{RULES}add/", {"name": "cancelcoffeeshoporder", "exposure": "hidden"})
    assert response["Location"] == PAGE
    rule = ToolRule.objects.get()
    assert (rule.name, rule.method, rule.exposure) == ("CancelCoffeeShopOrder", "DELETE", "hidden")
    assert rule.route.endswith("orders/{id}/")
    event = AuditEvent.objects.get()
    assert (event.kind, event.target, event.username) == (EventKind.EXPOSURE_CHANGED, rule.name, "staff")
    assert "Change rule" in row_of(desk.get(PAGE).content.decode(), "CancelCoffeeShopOrder")


def test_rule_page_is_filled_in_from_the_overview(desk):
    link = re.search(r'href="([^"]*toolrule/add[^"]*)"', row_of(desk.get(PAGE).content.decode(), "GetCoffeeShopMenu"))[
        1
    ]
    assert b'value="GetCoffeeShopMenu"' in desk.get(link).content


def test_rule_for_an_unknown_operation_names_the_nearest(desk):
    response = desk.post(f"{RULES}add/", {"name": "CancelCofeeShopOrder", "exposure": "hidden"})
    assert "Did you mean “CancelCoffeeShopOrder”?" in response.content.decode()
    assert not ToolRule.objects.exists()


def test_rule_changes_and_goes_with_an_event_each(desk):
    desk.post(f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "exposed"})
    rule = ToolRule.objects.get()
    desk.post(f"{RULES}{rule.pk}/change/", {"exposure": "exposed", "requires_approval": "on", "name": "Other"})
    changed = ToolRule.objects.get()
    assert (changed.name, changed.requires_approval) == ("GetCoffeeShopMenu", True)
    desk.post(RULES, {"action": "delete_selected", "_selected_action": [rule.pk], "post": "yes"})
    assert not ToolRule.objects.exists()
    details = list(AuditEvent.objects.order_by("id").values_list("detail", flat=True))
    assert details[1] == {"before": {"requires_approval": False}, "after": {"requires_approval": True}}
    assert (details[2]["before"]["exposure"], details[2]["after"]["exposure"]) == ("exposed", None)


def test_read_that_requires_approval_shows_its_mode(desk):
    desk.post(f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "inherit", "requires_approval": "on"})
    row = row_of(desk.get(PAGE).content.decode(), "GetCoffeeShopMenu")
    assert "Confirmation token" in row
    assert "requires approval" in row


def test_second_rule_for_an_operation_is_refused(desk):
    ToolRule.objects.create(name="getcoffeeshopmenu")
    response = desk.post(f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "hidden"})
    assert b"There is a rule for this operation or tool already." in response.content


def test_rule_that_matches_nothing_is_shown_as_orphaned(desk):
    ToolRule.objects.create(name="Gone", method="GET", route="/gone/")
    assert "Orphaned rules" in desk.get(PAGE).content.decode()
    assert "orphaned: nothing has this name or route" in desk.get(RULES).content.decode()


def test_rules_need_the_permission_to_change_groups(browser, person):
    rules_only = browser(
        person("rules", "add_toolrule", "change_toolrule", "delete_toolrule", "view_toolrule", is_staff=True)
    )
    assert rules_only.post(f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "exposed"}).status_code == 403
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu")
    assert viewer.get(f"{RULES}{rule.pk}/change/").status_code == 200
    assert viewer.post(f"{RULES}{rule.pk}/change/", {"exposure": "exposed"}).status_code == 403
    assert viewer.post(f"{RULES}{rule.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ToolRule.objects.get().exposure == "inherit"


def test_saving_a_rule_ties_it_to_what_has_its_name_now(desk):
    rule = ToolRule.objects.create(name="GetCoffeeShopMenu", method="GET", route="/old/", exposure="exposed")
    assert "in part" in desk.get(RULES).content.decode()
    desk.post(f"{RULES}{rule.pk}/change/", {"exposure": "exposed"})
    assert ToolRule.objects.get().route.endswith("menu/")
    assert "in part" not in desk.get(RULES).content.decode()
    assert AuditEvent.objects.get().detail["before"] == {"route": "/old/"}


def test_mode_of_a_group_can_be_changed_on_its_own_page(desk):
    row = ToolGroup.objects.create(name="coffee-shop", exposed=True)
    desk.post(f"{PAGE}{row.pk}/change/", {"approval_mode": "reject", "exposed": "", "name": "other"})
    changed = ToolGroup.objects.get()
    assert (changed.name, changed.exposed, changed.approval_mode) == ("coffee-shop", True, "reject")
    assert AuditEvent.objects.get().detail["after"] == {"approval_mode": "reject"}


def test_removing_a_row_needs_the_permission_to_change_groups(browser, person):
    row = ToolGroup.objects.create(name="gone", approval_mode="reject")
    remover = browser(person("remover", "view_toolgroup", "delete_toolgroup", is_staff=True))
    assert remover.post(f"{PAGE}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ToolGroup.objects.exists()


def test_problems_of_the_catalog_are_shown(desk, monkeypatch):
    from django_mcp.admin import exposure
    from django_mcp.catalog.discovery import Catalog
    from django_mcp.catalog.problems import Problem

    problem = Problem(subject="/a/", text="It cannot be inspected.", cure="Correct the view.")
    monkeypatch.setattr(exposure, "get_catalog", lambda: Catalog((), (problem,)))
    assert "It cannot be inspected. Correct the view." in desk.get(PAGE).content.decode()


def test_way_to_publish_is_chosen_with_an_event(desk):
    desk.post(PAGE, {"group": "coffee-shop", "exposed": "on", "publish_as": "both"})
    assert ToolGroup.objects.get().publish_as == "both"
    assert AuditEvent.objects.get().detail["after"] == {"exposed": True, "publish_as": "both"}
    assert '<option value="both" selected>' in desk.get(PAGE).content.decode()
    assert server_config.current().publish_as("coffee-shop") == "both"


def test_post_without_a_way_to_publish_leaves_it(desk):
    ToolGroup.objects.create(name="coffee-shop", publish_as="one_tool_each")
    desk.post(PAGE, {"group": "coffee-shop", "exposed": "on"})
    assert ToolGroup.objects.values_list("exposed", "publish_as").get() == (True, "one_tool_each")


def test_unknown_way_to_publish_is_refused(desk):
    response = desk.post(PAGE, {"group": "coffee-shop", "publish_as": "somehow"})
    assert b"errorlist" in response.content
    assert not ToolGroup.objects.exists()


def test_way_that_settings_publish_is_shown_and_overridden(desk, settings):
    settings.DJANGO_MCP = {"PUBLISH_AS": {"coffee-shop": "both"}}
    assert "As in the project&#x27;s settings: both" in desk.get(PAGE).content.decode()
    desk.post(PAGE, {"group": "coffee-shop", "exposed": "on"})
    assert ToolGroup.objects.get().publish_as == "api_tools"
    assert server_config.current().publish_as("coffee-shop") == "both"
    desk.post(PAGE, {"group": "coffee-shop", "publish_as": "one_tool_each"})
    assert server_config.current().publish_as("coffee-shop") == "one_tool_each"


def test_host_tools_are_shown_in_their_group(desk, declaring):
    body = desk.get(PAGE).content.decode()
    row = row_of(body, "stamp")
    for text in ("not declared", "hidden", "Confirmation token", "Add rule", "Stamp a form."):
        assert text in row
    assert "Runs at once" in row_of(body, "count_stamps")
    assert "2 tools, 0 exposed" in " ".join(body.split())


def test_group_of_host_tools_is_exposed_and_has_nothing_to_publish(desk, declaring):
    desk.post(PAGE, {"group": "desk", "exposed": "on", "publish_as": "both"})
    assert ToolGroup.objects.values_list("name", "exposed", "publish_as").get() == ("desk", True, "api_tools")
    assert "exposed" in row_of(desk.get(PAGE).content.decode(), "stamp")


def test_rule_for_a_host_tool_goes_by_name_alone(desk, declaring):
    desk.post(f"{RULES}add/", {"name": "STAMP", "exposure": "exposed"})
    rule = ToolRule.objects.get()
    assert (rule.name, rule.method, rule.route) == ("stamp", "", "")
    body = desk.get(PAGE).content.decode()
    assert "Change rule" in row_of(body, "stamp")
    assert "Orphaned rules" not in body
    assert '<td class="field-matches">yes</td>' in desk.get(RULES).content.decode()


def test_rule_for_a_host_tool_that_is_gone_is_orphaned(desk):
    ToolRule.objects.create(name="stamp")
    assert "Orphaned rules" in desk.get(PAGE).content.decode()


def test_rule_near_a_host_tools_name_names_it(desk, declaring):
    response = desk.post(f"{RULES}add/", {"name": "stampp", "exposure": "hidden"})
    assert "Did you mean “stamp”?" in response.content.decode()


def test_viewer_sees_how_a_group_is_published(browser, person):
    ToolGroup.objects.create(name="coffee-shop", publish_as="one_tool_each")
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    assert "Publish as: one tool each" in viewer.get(PAGE).content.decode()


def test_the_page_is_called_what_the_menu_calls_it(desk):
    body = desk.get(PAGE).content.decode()
    assert "<h1>Tool groups</h1>" in body
    assert re.search(r'<a href="/admin/django_mcp/toolgroup/"[^>]*>Tool groups</a>', body)


def test_page_says_that_the_endpoint_is_closed_until_something_is_exposed(desk):
    said = "Nothing is exposed: the endpoint answers 404."
    assert said in desk.get(PAGE).content.decode()
    desk.post(PAGE, {"group": "coffee-shop", "exposed": "on"})
    assert said not in desk.get(PAGE).content.decode()


def test_page_of_a_project_without_an_api_says_where_to_look(desk, monkeypatch):
    from django_mcp.catalog.discovery import Catalog
    from django_mcp.tools import inventory

    said = "No operations of a REST API and no tools were found."
    assert said not in desk.get(PAGE).content.decode()
    monkeypatch.setattr(inventory, "get_catalog", lambda: Catalog((), ()))
    monkeypatch.setattr(inventory, "hosted_tools", dict)
    body = desk.get(PAGE).content.decode()
    assert said in body
    assert "manage.py mcp doctor" in body


def test_mode_of_the_server_leads_to_its_settings_for_whom_they_are_open(desk, browser, person):
    link = '<a href="/admin/django_mcp/serversettings/">Confirmation token</a>'
    assert link in desk.get(PAGE).content.decode()
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    body = viewer.get(PAGE).content.decode()
    assert link not in body
    assert "Approval mode of the server: Confirmation token." in body


def test_tables_of_tools_have_no_routes(desk, declaring):
    sections = re.split("<section", desk.get(PAGE).content.decode())
    tools, operations = (
        next(part for part in sections if f'value="{name}"' in part) for name in ("desk", "coffee-shop")
    )
    assert ">Route<" in operations
    assert ">Route<" not in tools
    for part in (operations, tools):
        head, body = part.count('<th scope="col"'), part.split("<tbody>")[1].split("</tr>")[0]
        assert body.count("<td") + body.count("<th") == head


def test_list_of_rules_says_which_reads_are_asked_about(desk):
    ToolRule.objects.create(name="GetCoffeeShopMenu", method="GET", route="/api/menu/", requires_approval=True)
    cell = r'field-mode">As its group<div class="help">requires approval</div>'
    assert re.search(cell, desk.get(RULES).content.decode())
    ToolRule.objects.update(requires_approval=False)
    assert "requires approval" not in desk.get(RULES).content.decode()
