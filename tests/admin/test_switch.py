"""The switch of all writes: a form of its own, which nothing else on the page moves."""

import pytest
from django.utils.timezone import localtime

from django_mcp.access import config_changes, server_config
from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent, ServerSettings
from tests.admin.pages import changed, form, notices, save
from tests.admin.test_server_settings import PAGE

WRITES = "/admin/django_mcp/serversettings/writes/"


def switch_of(desk):
    return form(desk, PAGE, "writes")


def press(desk, fields=None, **values):
    return desk.post(WRITES, changed(switch_of(desk) if fields is None else fields, values))


def test_writes_are_stopped_at_once_with_reason_time_and_event(desk):
    assert server_config.current().writes_enabled
    press(desk, reason="incident 7")
    assert not server_config.current().writes_enabled
    row = ServerSettings.objects.get()
    assert (row.writes_reason, row.writes_changed_by) == ("incident 7", "staff")
    event = AuditEvent.objects.get()
    assert (event.kind, event.username, event.target) == (EventKind.WRITES_SWITCHED, "staff", "server")
    assert event.detail["before"] == {"writes_enabled": True}
    assert event.detail["after"] == {"writes_enabled": False}
    assert event.detail["reason"] == "incident 7"
    body = desk.get(PAGE).content.decode()
    for text in (
        "Writes are off",
        "by staff",
        "incident 7",
        "Let writes go on",
        f"{localtime(row.writes_changed_at):%Y-%m-%d}",
    ):
        assert text in body


def test_writes_go_on_by_another_press(desk):
    press(desk)
    press(desk, reason="over")
    assert server_config.current().writes_enabled
    assert ServerSettings.objects.get().writes_reason == "over"


def test_an_old_form_of_settings_leaves_the_switch_where_it_was_put_meanwhile(desk):
    old = form(desk, PAGE, "server_name")
    press(desk, reason="incident")
    desk.post(PAGE, changed(old, {"server_name": "till", "writes_enabled": "on"}))
    assert not server_config.current().writes_enabled
    assert server_config.current().name == "till"


def test_an_old_page_stops_writes_too(desk):
    old = switch_of(desk)
    press(desk)
    press(desk)
    press(desk, old)
    assert not server_config.current().writes_enabled


def test_an_old_page_does_not_let_writes_go_on_that_were_stopped_again(desk):
    press(desk, reason="first")
    old = switch_of(desk)
    press(desk)
    press(desk, reason="second")
    response = press(desk, old)
    assert not server_config.current().writes_enabled
    notice = notices(desk, response)[-1]
    assert "Nothing was saved" in notice
    assert "staff" in notice
    assert "writes_enabled True → False" in notice


@pytest.mark.parametrize("stamp", [None, "", "0.1", "x" * 64 + ".0"])
def test_writes_do_not_go_on_without_a_true_stamp(desk, stamp):
    press(desk)
    press(desk, stamp=stamp)
    assert not server_config.current().writes_enabled


def test_the_switch_takes_its_own_permission(browser, person):
    writer = browser(person("writer", "change_serversettings", is_staff=True))
    assert b"Stop all writes" not in writer.get(PAGE).content
    assert writer.post(WRITES, {"writes": "off"}).status_code == 403
    operator = browser(person("operator", "switch_writes", is_staff=True))
    press(operator)
    assert not server_config.current().writes_enabled
    assert operator.post(PAGE, {"server_name": "mine"}).status_code == 403
    superuser = browser(person("root", is_staff=True, is_superuser=True))
    press(superuser)
    assert server_config.current().writes_enabled


def test_no_get_and_no_post_without_a_csrf_token_switches(browser, staff, desk):
    assert desk.get(f"{WRITES}?writes=off").status_code == 302
    assert browser(staff, enforce_csrf_checks=True).post(WRITES, {"writes": "off"}).status_code == 403
    assert server_config.current().writes_enabled


@pytest.mark.parametrize("wrong", [{"writes": ""}, {"writes": "maybe"}, {"writes": "off", "reason": "x" * 501}])
def test_a_wrong_press_changes_nothing_and_says_so(desk, wrong):
    (notice,) = notices(desk, desk.post(WRITES, wrong))
    assert "Nothing was switched" in notice
    assert server_config.current().writes_enabled


def test_saving_settings_has_no_field_of_the_switch(desk):
    assert "writes_enabled" not in form(desk, PAGE, "server_name")
    config_changes.switch_writes(enabled=False, by={})
    save(desk, PAGE, server_name="till")
    assert not server_config.current().writes_enabled
