"""Rules for one operation or tool, from the link beside it to the page of all groups."""

import re

from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent, ToolRule
from tests.admin.group_page import GROUPS, RULES, row_of
from tests.admin.pages import save


def test_rule_takes_method_and_route_from_the_catalog(desk):
    response = save(desk, f"{RULES}add/", {"name": "cancelcoffeeshoporder", "exposure": "hidden"})
    assert response["Location"] == GROUPS
    rule = ToolRule.objects.get()
    assert (rule.name, rule.method, rule.exposure) == ("CancelCoffeeShopOrder", "DELETE", "hidden")
    assert rule.route.endswith("orders/{id}/")
    event = AuditEvent.objects.get()
    assert (event.kind, event.target, event.username) == (EventKind.EXPOSURE_CHANGED, rule.name, "staff")
    assert "Change rule" in row_of(desk.get(GROUPS).content.decode(), "CancelCoffeeShopOrder")


def test_rule_page_is_filled_in_from_the_overview(desk):
    link = re.search(
        r'href="([^"]*toolrule/add[^"]*)"', row_of(desk.get(GROUPS).content.decode(), "GetCoffeeShopMenu")
    )[1]
    assert b'value="GetCoffeeShopMenu"' in desk.get(link).content


def test_rule_for_an_unknown_operation_names_the_nearest(desk):
    response = save(desk, f"{RULES}add/", {"name": "CancelCofeeShopOrder", "exposure": "hidden"})
    assert "Did you mean “CancelCoffeeShopOrder”?" in response.content.decode()
    assert not ToolRule.objects.exists()


def test_rule_changes_and_goes_with_an_event_each(desk):
    save(desk, f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "exposed"})
    rule = ToolRule.objects.get()
    save(desk, f"{RULES}{rule.pk}/change/", requires_approval="on", name="Other")
    changed = ToolRule.objects.get()
    assert (changed.name, changed.requires_approval) == ("GetCoffeeShopMenu", True)
    save(desk, f"{RULES}{rule.pk}/delete/")
    assert not ToolRule.objects.exists()
    details = list(AuditEvent.objects.order_by("id").values_list("detail", flat=True))
    assert details[1] == {"before": {"requires_approval": False}, "after": {"requires_approval": True}}
    assert (details[2]["before"]["exposure"], details[2]["after"]["exposure"]) == ("exposed", None)


def test_read_that_requires_approval_shows_its_mode(desk):
    save(desk, f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "inherit", "requires_approval": "on"})
    row = row_of(desk.get(GROUPS).content.decode(), "GetCoffeeShopMenu")
    assert "Confirmation token" in row
    assert "requires approval" in row


def test_second_rule_for_an_operation_is_refused(desk):
    ToolRule.objects.create(name="getcoffeeshopmenu")
    response = save(desk, f"{RULES}add/", {"name": "GetCoffeeShopMenu", "exposure": "hidden"})
    assert b"There is a rule for this operation or tool already." in response.content


def test_rule_that_matches_nothing_is_shown_as_orphaned(desk):
    ToolRule.objects.create(name="Gone", method="GET", route="/gone/")
    assert "Orphaned rules" in desk.get(GROUPS).content.decode()
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
    save(desk, f"{RULES}{rule.pk}/change/")
    assert ToolRule.objects.get().route.endswith("menu/")
    assert "in part" not in desk.get(RULES).content.decode()
    assert AuditEvent.objects.get().detail["before"] == {"route": "/old/"}


def test_rule_for_a_host_tool_goes_by_name_alone(desk, declaring):
    save(desk, f"{RULES}add/", {"name": "STAMP", "exposure": "exposed"})
    rule = ToolRule.objects.get()
    assert (rule.name, rule.method, rule.route) == ("stamp", "", "")
    body = desk.get(GROUPS).content.decode()
    assert "Change rule" in row_of(body, "stamp")
    assert "Orphaned rules" not in body
    assert '<td class="field-matches">yes</td>' in desk.get(RULES).content.decode()


def test_rule_for_a_host_tool_that_is_gone_is_orphaned(desk):
    ToolRule.objects.create(name="stamp")
    assert "Orphaned rules" in desk.get(GROUPS).content.decode()


def test_rule_near_a_host_tools_name_names_it(desk, declaring):
    response = save(desk, f"{RULES}add/", {"name": "stampp", "exposure": "hidden"})
    assert "Did you mean “stamp”?" in response.content.decode()


def test_list_of_rules_says_which_reads_are_asked_about(desk):
    ToolRule.objects.create(name="GetCoffeeShopMenu", method="GET", route="/api/menu/", requires_approval=True)
    cell = r'field-mode">As its group<div class="help">requires approval</div>'
    assert re.search(cell, desk.get(RULES).content.decode())
    ToolRule.objects.update(requires_approval=False)
    assert "requires approval" not in desk.get(RULES).content.decode()
