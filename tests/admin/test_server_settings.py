import re

import pytest

from django_mcp.access import server_config
from django_mcp.choices import ApprovalMode
from django_mcp.models import AuditEvent, ServerSettings
from tests.admin.pages import save

LIST = "/admin/django_mcp/serversettings/"
PAGE = f"{LIST}1/change/"


def test_list_leads_to_the_one_form(desk):
    assert desk.get(LIST)["Location"] == PAGE
    assert desk.get(PAGE).status_code == 200
    assert b"Writes are on." in desk.get(PAGE).content


def test_nothing_is_added_removed_or_numbered_two(desk):
    assert desk.get(f"{LIST}add/").status_code == 403
    assert desk.post(f"{LIST}1/delete/", {"post": "yes"}).status_code == 403
    assert desk.get(f"{LIST}2/change/").status_code == 302
    assert ServerSettings.objects.filter(pk=2).count() == 0


def test_all_settings_are_saved(desk):
    save(desk, PAGE, approval_mode="reject", confirmation_expiry="60", server_name="shop", instructions="Be kind.")
    now = server_config.current()
    assert (now.mode, now.expiry, now.name, now.instructions) == (ApprovalMode.REJECT, 60, "shop", "Be kind.")


def test_saving_the_same_leaves_no_event_and_no_new_stamp(desk):
    desk.get(PAGE)
    stamp = ServerSettings.objects.get().stamp
    save(desk, PAGE)
    assert not AuditEvent.objects.exists()
    assert ServerSettings.objects.get().stamp == stamp


@pytest.mark.parametrize(
    "wrong",
    [{"approval_mode": "review"}, {"approval_mode": "x"}, {"confirmation_expiry": "0"}, {"confirmation_expiry": "1e9"}],
)
def test_wrong_values_are_refused(desk, wrong):
    assert b"errorlist" in save(desk, PAGE, wrong).content
    assert not AuditEvent.objects.exists()


def test_a_mode_that_the_row_holds_already_stays_a_choice(desk):
    ServerSettings(approval_mode="review").save()
    save(desk, PAGE, server_name="shop")
    assert ServerSettings.objects.values_list("approval_mode", "server_name").get() == ("review", "shop")


def test_without_change_permission_nothing_changes(browser, person):
    viewer = browser(person("viewer", "view_serversettings", is_staff=True))
    assert viewer.get(PAGE).status_code == 200
    assert viewer.post(PAGE, {"server_name": "mine"}).status_code == 403
    assert not ServerSettings.objects.get().server_name
    nobody = browser(person("nobody", is_staff=True))
    assert nobody.get(PAGE).status_code == 403


def test_post_without_a_csrf_token_changes_nothing(browser, staff):
    strict = browser(staff, enforce_csrf_checks=True)
    assert strict.post(PAGE, {"server_name": "mine"}).status_code == 403
    assert not ServerSettings.objects.filter(server_name="mine").exists()


def test_who_may_only_look_sees_what_holds(browser, person, settings):
    settings.DJANGO_MCP = {"CONFIRMATION_TOKEN_EXPIRY": 77, "APPROVAL_MODE": "reject"}
    ServerSettings(server_name="till").save()
    viewer = browser(person("viewer", "view_serversettings", is_staff=True))
    values = re.findall(r'<div class="readonly">(.*?)</div>', viewer.get(PAGE).content.decode(), re.DOTALL)
    assert "till" in values
    assert "Reject (by the project&#x27;s settings)" in values
    assert "77 seconds (by the project&#x27;s settings)" in values
    assert any("api_search" in text for text in values)
    assert "-" not in values
