"""The page of all groups: what is in them, what is exposed, and how that is changed."""

import re

import pytest

from django_mcp.access import server_config
from django_mcp.choices import ApprovalMode, EventKind
from django_mcp.models import AuditEvent, ToolGroup
from tests.admin.group_page import GROUPS, row_of, set_group
from tests.admin.pages import save


def test_page_lists_groups_without_a_row_and_their_operations(desk):
    assert not ToolGroup.objects.exists()
    body = desk.get(GROUPS).content.decode()
    assert "coffee-shop" in body
    row = row_of(body, "CancelCoffeeShopOrder")
    for text in ("DELETE", "orders/{id}/", "Destructive", "hidden", "Confirmation token", "Add rule"):
        assert text in row
    assert "Runs at once" in row_of(body, "GetCoffeeShopMenu")


def test_exposing_a_group_makes_its_row_and_an_event(desk):
    response = set_group(desk, "coffee-shop", exposed="on", approval_mode="reject")
    assert response.status_code == 302
    group = ToolGroup.objects.get()
    assert (group.name, group.exposed, group.approval_mode) == ("coffee-shop", True, "reject")
    event = AuditEvent.objects.get()
    assert (event.kind, event.username, event.target) == (EventKind.EXPOSURE_CHANGED, "staff", "coffee-shop")
    assert event.detail["before"] == {"exposed": False, "approval_mode": ""}
    assert event.detail["after"] == {"exposed": True, "approval_mode": "reject"}
    assert "exposed" in row_of(desk.get(GROUPS).content.decode(), "GetCoffeeShopMenu")


def test_a_change_is_effective_at_once(desk):
    before = server_config.current()
    set_group(desk, "coffee-shop", exposed="on")
    assert not before.groups
    assert server_config.current().groups["coffee-shop"].exposed


def test_saving_the_same_again_leaves_no_event(desk):
    for _ in range(2):
        set_group(desk, "coffee-shop", exposed="on")
    assert AuditEvent.objects.count() == 1


def test_group_of_the_settings_is_locked(desk, settings):
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    body = desk.get(GROUPS).content.decode()
    assert "locked by the project" in body
    set_group(desk, "coffee-shop", approval_mode="reject")
    assert server_config.current().groups["coffee-shop"].exposed
    assert server_config.current().groups["coffee-shop"].mode is ApprovalMode.REJECT
    assert not ToolGroup.objects.get().exposed


def test_api_tools_are_hidden_and_exposed_and_have_no_mode_of_their_own(desk):
    set_group(desk, "api_tools", exposed=None, approval_mode="reject")
    assert ToolGroup.objects.values_list("exposed", "approval_mode").get() == (False, "")
    set_group(desk, "api_tools", exposed="on")
    assert ToolGroup.objects.get().exposed


@pytest.mark.parametrize("sent", [{"approval_mode": "review"}, {"approval_mode": "anything"}])
def test_modes_that_are_not_on_offer_are_refused(desk, sent):
    response = set_group(desk, "coffee-shop", **sent)
    assert b"errorlist" in response.content
    assert not ToolGroup.objects.exists()


def test_unknown_group_is_not_made(desk):
    set_group(desk, "nothing", exposed="on")
    assert not ToolGroup.objects.exists()


def test_without_change_permission_nothing_changes(browser, person):
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    body = viewer.get(GROUPS).content
    assert b"CancelCoffeeShopOrder" in body
    assert b'type="checkbox"' not in body
    assert viewer.post(GROUPS, {"coffee-shop-exposed": "on"}).status_code == 403
    assert not ToolGroup.objects.exists()


def test_without_any_permission_the_page_is_closed(browser, person):
    assert browser(person("other", "view_apikey", is_staff=True)).get(GROUPS).status_code == 403


def test_post_without_a_csrf_token_changes_nothing(browser, staff):
    strict = browser(staff, enforce_csrf_checks=True)
    assert strict.post(GROUPS, {"coffee-shop-exposed": "on"}).status_code == 403
    assert not ToolGroup.objects.exists()


def test_page_takes_few_queries(desk, django_assert_max_num_queries):
    desk.get(GROUPS)
    with django_assert_max_num_queries(10):
        desk.get(GROUPS)


def test_row_of_a_group_that_is_gone_can_be_removed(desk):
    gone = ToolGroup.objects.create(name="gone", exposed=True)
    assert b"nothing belongs to it" in desk.get(GROUPS).content
    save(desk, f"{GROUPS}{gone.pk}/delete/")
    assert not ToolGroup.objects.exists()
    assert AuditEvent.objects.get().detail["before"] == {
        "exposed": True,
        "approval_mode": "",
        "publish_as": "api_tools",
    }


def test_mode_of_a_group_can_be_changed_on_its_own_page(desk):
    row = ToolGroup.objects.create(name="coffee-shop", exposed=True)
    save(desk, f"{GROUPS}{row.pk}/change/", approval_mode="reject", exposed="", name="other")
    changed = ToolGroup.objects.get()
    assert (changed.name, changed.exposed, changed.approval_mode) == ("coffee-shop", True, "reject")
    assert AuditEvent.objects.get().detail["after"] == {"approval_mode": "reject"}


def test_removing_a_row_needs_the_permission_to_change_groups(browser, person):
    row = ToolGroup.objects.create(name="gone", approval_mode="reject")
    remover = browser(person("remover", "view_toolgroup", "delete_toolgroup", is_staff=True))
    assert remover.post(f"{GROUPS}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ToolGroup.objects.exists()


def test_problems_of_the_catalog_are_shown(desk, monkeypatch):
    from django_mcp.admin import exposure
    from django_mcp.catalog.discovery import Catalog
    from django_mcp.catalog.problems import Problem

    problem = Problem(subject="/a/", text="It cannot be inspected.", cure="Correct the view.")
    monkeypatch.setattr(exposure, "get_catalog", lambda: Catalog((), (problem,)))
    assert "It cannot be inspected. Correct the view." in desk.get(GROUPS).content.decode()


def test_way_to_publish_is_chosen_with_an_event(desk):
    set_group(desk, "coffee-shop", exposed="on", publish_as="both")
    assert ToolGroup.objects.get().publish_as == "both"
    assert AuditEvent.objects.get().detail["after"] == {"exposed": True, "publish_as": "both"}
    assert '<option value="both" selected>' in desk.get(GROUPS).content.decode()
    assert server_config.current().publish_as("coffee-shop") == "both"


def test_post_without_a_way_to_publish_leaves_it(desk):
    ToolGroup.objects.create(name="coffee-shop", publish_as="one_tool_each")
    set_group(desk, "coffee-shop", exposed="on", publish_as=None)
    assert ToolGroup.objects.values_list("exposed", "publish_as").get() == (True, "one_tool_each")


def test_unknown_way_to_publish_is_refused(desk):
    response = set_group(desk, "coffee-shop", publish_as="somehow")
    assert b"errorlist" in response.content
    assert not ToolGroup.objects.exists()


def test_way_that_settings_publish_is_shown_and_overridden(desk, settings):
    settings.DJANGO_MCP = {"PUBLISH_AS": {"coffee-shop": "both"}}
    assert "As in the project&#x27;s settings: both" in desk.get(GROUPS).content.decode()
    set_group(desk, "coffee-shop", exposed="on")
    assert ToolGroup.objects.get().publish_as == "api_tools"
    assert server_config.current().publish_as("coffee-shop") == "both"
    set_group(desk, "coffee-shop", publish_as="one_tool_each")
    assert server_config.current().publish_as("coffee-shop") == "one_tool_each"


def test_host_tools_are_shown_in_their_group(desk, declaring):
    body = desk.get(GROUPS).content.decode()
    row = row_of(body, "stamp")
    for text in ("not declared", "hidden", "Confirmation token", "Add rule", "Stamp a form."):
        assert text in row
    assert "Runs at once" in row_of(body, "count_stamps")
    assert "2 tools, 0 exposed" in " ".join(body.split())


def test_group_of_host_tools_is_exposed_and_has_nothing_to_publish(desk, declaring):
    set_group(desk, "desk", exposed="on", publish_as="both")
    assert ToolGroup.objects.values_list("name", "exposed", "publish_as").get() == ("desk", True, "api_tools")
    assert "exposed" in row_of(desk.get(GROUPS).content.decode(), "stamp")


def test_viewer_sees_how_a_group_is_published(browser, person):
    ToolGroup.objects.create(name="coffee-shop", publish_as="one_tool_each")
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    assert "Publish as: one tool each" in viewer.get(GROUPS).content.decode()


def test_the_page_is_called_what_the_menu_calls_it(desk):
    body = desk.get(GROUPS).content.decode()
    assert "<h1>Tool groups</h1>" in body
    assert re.search(r'<a href="/admin/django_mcp/toolgroup/"[^>]*>Tool groups</a>', body)


def test_page_says_that_the_endpoint_is_closed_until_something_is_exposed(desk):
    warning = "Nothing is exposed: the endpoint answers 404."
    assert warning in desk.get(GROUPS).content.decode()
    set_group(desk, "coffee-shop", exposed="on")
    assert warning not in desk.get(GROUPS).content.decode()


def test_page_of_a_project_without_an_api_says_where_to_look(desk, monkeypatch):
    from django_mcp.catalog.discovery import Catalog
    from django_mcp.tools import inventory

    hint = "No operations of a REST API and no tools were found."
    assert hint not in desk.get(GROUPS).content.decode()
    monkeypatch.setattr(inventory, "get_catalog", lambda: Catalog((), ()))
    monkeypatch.setattr(inventory, "hosted_tools", dict)
    body = desk.get(GROUPS).content.decode()
    assert hint in body
    assert "manage.py mcp doctor" in body


def test_mode_of_the_server_leads_to_its_settings_for_whom_they_are_open(desk, browser, person):
    link = '<a href="/admin/django_mcp/serversettings/">Confirmation token</a>'
    assert link in desk.get(GROUPS).content.decode()
    viewer = browser(person("viewer", "view_toolgroup", is_staff=True))
    body = viewer.get(GROUPS).content.decode()
    assert link not in body
    assert "Approval mode of the server: Confirmation token." in body


def test_tables_of_tools_have_no_routes(desk, declaring):
    sections = re.split("<section", desk.get(GROUPS).content.decode())
    tools, operations = (
        next(part for part in sections if f'name="{name}-exposed"' in part) for name in ("desk", "coffee-shop")
    )
    assert ">Route<" in operations
    assert ">Route<" not in tools
    for part in (operations, tools):
        head, body = part.count('<th scope="col"'), part.split("<tbody>")[1].split("</tr>")[0]
        assert body.count("<td") + body.count("<th") == head
