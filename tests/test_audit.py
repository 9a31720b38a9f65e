import pytest

from django_mcp import audit
from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent
from django_mcp.models.audit import AppendOnly
from django_mcp.redaction import MASK

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    return audit.record(EventKind.EXECUTED, tool="api_call", target="order_create", args={"password": "x"})


def test_detail_is_redacted_where_it_is_recorded(event):
    assert event.detail == {"args": {"password": MASK}}


def test_an_event_cannot_be_changed(event):
    event.target = "other"
    with pytest.raises(AppendOnly):
        event.save()
    with pytest.raises(AppendOnly):
        AuditEvent.objects.update(target="other")


def test_an_event_cannot_be_deleted(event):
    with pytest.raises(AppendOnly):
        event.delete()
    with pytest.raises(AppendOnly):
        AuditEvent.objects.all().delete()


def test_old_events_are_pruned(event):
    assert AuditEvent.objects.prune(event.time) == 0
    assert AuditEvent.objects.prune(event.time.replace(year=event.time.year + 1)) == 1


def test_a_long_hostile_name_is_one_short_line():
    event = audit.record(EventKind.EXECUTED, target="x\n[INFO] ok" + "y" * 500)
    assert "\n" not in event.target
    assert len(event.target) == 200


def test_a_caller_may_be_a_mapping():
    event = audit.record(EventKind.EXPOSURE_CHANGED, caller={"username": "boss"}, target="orders")
    assert (event.username, event.subject) == ("boss", "")


def test_a_key_in_a_free_text_is_masked_and_a_column_is_not_masked_for_its_name(settings):
    settings.DJANGO_MCP = {"REDACT_FIELDS": ["key", "user"]}
    caller = {"key_id": 7, "key_label": "deploy", "username": "sam", "client": "ak-abcdefgh123"}
    event = audit.record(EventKind.EXECUTED, caller=caller, note={"key": "x"})
    assert (event.key_id, event.key_label, event.username, event.client) == (7, "deploy", "sam", MASK)
    assert event.detail == {"note": {"key": MASK}}
