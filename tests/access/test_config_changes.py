"""Each change of rows has its line in the record, and touches nothing that it does not name."""

import pytest

from django_mcp.access import config_changes
from django_mcp.models import AuditEvent, ServerSettings, ToolGroup, ToolRule

pytestmark = pytest.mark.django_db
STAFF = {"username": "staff"}


def changes():
    return list(AuditEvent.objects.order_by("id").values_list("username", "target", "detail"))


def test_settings_that_others_change_meanwhile_are_left_alone(monkeypatch):
    stale = ServerSettings.load()
    monkeypatch.setattr(ServerSettings, "load", lambda: stale)
    ServerSettings.objects.update(server_name="till")
    assert config_changes.set_settings(by=STAFF, writes_enabled=False)
    assert ServerSettings.objects.values_list("server_name", "writes_enabled").get() == ("till", False)
    assert changes() == [("staff", "server", {"before": {"writes_enabled": True}, "after": {"writes_enabled": False}})]


def test_a_value_that_holds_already_is_no_change():
    stamp = ServerSettings.load().stamp
    assert not config_changes.set_settings(by=STAFF, writes_enabled=True)
    assert ServerSettings.objects.get().stamp == stamp
    assert not AuditEvent.objects.exists()


def test_the_api_tools_stay_exposed_when_their_row_is_made():
    config_changes.set_group("api_tools", by=STAFF, approval_mode="reject")
    assert ToolGroup.objects.get().exposed


def test_a_rule_is_one_whatever_the_case_of_its_name():
    config_changes.set_rule("getmenu", "GET", "/menu/", by=STAFF, exposure="hidden")
    config_changes.set_rule("GetMenu", "GET", "/menu/", by=STAFF, exposure="exposed")
    assert ToolRule.objects.values_list("name", "exposure").get() == ("GetMenu", "exposed")


def test_a_rule_that_is_saved_without_a_change_has_no_event():
    rule = ToolRule(name="GetMenu", exposure="hidden")
    config_changes.save_rule(rule, by=STAFF)
    config_changes.save_rule(rule, by=STAFF)
    ((_who, _target, detail),) = changes()
    assert detail["before"]["exposure"] is None
    assert detail["after"]["exposure"] == "hidden"


def test_what_is_deleted_stays_on_the_record():
    config_changes.delete(ToolGroup.objects.create(name="orders", exposed=True), by=STAFF)
    assert not ToolGroup.objects.exists()
    assert changes()[0][2]["before"] == {"exposed": True, "approval_mode": "", "publish_as": "api_tools"}
