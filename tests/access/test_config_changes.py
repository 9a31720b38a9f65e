"""Each change of rows has its line in the record, and touches nothing that it does not name."""

import pytest

from django_mcp.access import config_changes
from django_mcp.models import AuditEvent, ServerSettings, ToolGroup, ToolRule

pytestmark = pytest.mark.django_db
STAFF = {"username": "staff"}


def changes():
    return list(AuditEvent.objects.order_by("id").values_list("username", "target", "detail"))


def test_settings_leave_the_switch_of_writes_alone():
    assert config_changes.switch_writes(enabled=False, by=STAFF, reason="incident")
    assert config_changes.set_settings(by=STAFF, server_name="till")
    row = ServerSettings.objects.get()
    assert (row.server_name, row.writes_enabled, row.writes_reason, row.writes_changed_by) == (
        "till",
        False,
        "incident",
        "staff",
    )
    assert changes()[0][2] == {
        "before": {"writes_enabled": True},
        "after": {"writes_enabled": False},
        "reason": "incident",
    }


def test_switching_what_is_switched_already_keeps_who_did_it_and_why():
    assert config_changes.switch_writes(enabled=False, by=STAFF, reason="incident")
    assert not config_changes.switch_writes(enabled=False, by={"username": "other"})
    assert ServerSettings.objects.values_list("writes_reason", "writes_changed_by").get() == ("incident", "staff")
    assert len(changes()) == 1


def test_a_secret_in_a_reason_is_masked():
    secret = "ak-" + "x" * 43
    config_changes.switch_writes(enabled=False, by=STAFF, reason=f"leaked {secret}")
    assert secret not in ServerSettings.objects.get().writes_reason
    assert secret not in str(changes())


def test_a_value_that_holds_already_is_no_change():
    stamp = ServerSettings.load().stamp
    assert not config_changes.set_settings(by=STAFF, server_name="")
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
