"""`mcp prune`: what is overdue expires, what is old goes."""

from datetime import timedelta

import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from django_mcp import audit
from django_mcp.choices import EventKind
from django_mcp.management.keys import duration
from django_mcp.models import AuditEvent, Confirmation
from tests.management.command import fails, run

pytestmark = pytest.mark.django_db


def confirmation(days, **changes):
    then = timezone.now() - timedelta(days=days)
    values = {
        "subject": "key:7",
        "caller": {"subject": "key:7", "username": "sam"},
        "tool": "api_call",
        "target": "CreateCoffeeShopOrder",
        "mode": "confirmation_token",
        "safety": "Write",
        "issued_at": then,
        "expires_at": then + timedelta(minutes=5),
    }
    return Confirmation.objects.create(**{**values, **changes})


def test_prune_removes_what_is_old_and_over():
    old, new = timezone.now() - timedelta(days=91), timezone.now() - timedelta(days=89)
    removed = [
        confirmation(91, state="succeeded", settled_at=old),
        confirmation(91, state="expired"),
        confirmation(91, state="declined"),
    ]
    left = [confirmation(89, state="succeeded", settled_at=new), confirmation(91, state="executing")]
    audit.record(EventKind.READ)
    AuditEvent.objects.bulk_create([AuditEvent(kind=EventKind.READ, time=old)])
    printed = run("prune", "--older-than", "90d")
    assert set(Confirmation.objects.values_list("pk", flat=True)) == {row.pk for row in left}
    assert AuditEvent.objects.count() == 1
    assert f"removed {len(removed)} confirmations, 1 events" in printed


def test_prune_marks_what_is_overdue_as_expired_with_its_event():
    late, open_still = confirmation(1, effective="{}"), confirmation(0)
    run("prune", "--older-than", "90d")
    late.refresh_from_db()
    open_still.refresh_from_db()
    assert (late.state, late.effective, open_still.state) == ("expired", None, "issued")
    assert late.settled_at == late.expires_at
    event = AuditEvent.objects.get(kind=EventKind.EXPIRED)
    assert (event.confirmation, event.username, event.target) == (late.jti, "sam", "CreateCoffeeShopOrder")
    run("prune", "--older-than", "90d")
    assert AuditEvent.objects.count() == 1


def test_prune_removes_at_once_what_was_overdue_for_long():
    confirmation(91)
    assert "Expired 1 confirmations; removed 1 confirmations" in run("prune", "--older-than", "90d")
    assert not Confirmation.objects.exists()


def test_prune_falls_back_on_the_setting(settings):
    assert "--older-than" in fails("prune")
    settings.DJANGO_MCP = {"AUDIT_RETENTION": timedelta(days=30)}
    confirmation(31, state="expired")
    run("prune")
    assert not Confirmation.objects.exists()


@pytest.mark.parametrize("text", ["", "90", "d", "-1d", "1.5h", "0d", "9999999d", "٣d"])
def test_prune_refuses_what_is_no_duration(text):
    if text:
        fails("prune", f"--older-than={text}")
    with pytest.raises(CommandError, match="no duration"):
        duration(text)


def test_prune_of_an_age_before_the_calendar_is_an_error_not_a_crash():
    fails("prune", "--older-than", "999999w")


def test_confirmation_that_was_redeemed_meanwhile_is_not_expired():
    from django_mcp.approval import transitions

    row = confirmation(1)
    Confirmation.objects.filter(pk=row.pk).update(state="executing")
    assert not transitions.expire(row, caller=row.caller)
    row.refresh_from_db()
    assert row.state == "executing"
    assert not AuditEvent.objects.exists()
