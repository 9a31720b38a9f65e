"""A person withdraws an open confirmation: it never runs, and whoever redeems it is told by whom."""

import uuid

import pytest

from django_mcp.approval import decisions, transitions
from django_mcp.approval.decisions import NotOpen
from django_mcp.choices import EventKind, State
from django_mcp.errors import Declined
from django_mcp.models import AuditEvent, Confirmation
from tests.approval.conftest import CREATED, age

STAFF = {"subject": "user:7", "user_id": "7", "username": "boss", "address": "192.0.2.1"}


def test_a_redemption_afterwards_is_declined_with_who_withdrew_it(flow, events):
    row, token = flow.propose()
    decisions.withdraw(row.jti, by=STAFF, reason="duplicate")
    with pytest.raises(Declined) as caught:
        flow.claim(token)
    assert caught.value.details == {"by": "boss"}
    assert "withdrawn by boss, and nothing was run" in str(caught.value)
    stored = Confirmation.objects.get()
    assert (stored.state, stored.decided_by, stored.decided_by_id, stored.reason, stored.effective) == (
        State.REVOKED,
        "boss",
        "7",
        "duplicate",
        None,
    )
    assert stored.decided_at is not None
    assert stored.settled_at is not None
    event = AuditEvent.objects.get(kind=EventKind.WITHDRAWN)
    assert (event.username, event.confirmation, event.detail) == (
        "boss",
        row.jti,
        {"by": "boss", "reason": "duplicate"},
    )


def test_an_approved_confirmation_can_be_withdrawn(flow):
    row, _token = flow.propose()
    Confirmation.objects.update(state=State.APPROVED)
    decisions.withdraw(row.jti, by=STAFF)
    assert Confirmation.objects.get().state == State.REVOKED


def test_what_runs_or_ran_is_not_withdrawn(flow):
    row, token = flow.propose()
    claim = flow.claim(token)
    for state in (State.EXECUTING, State.SUCCEEDED):
        with pytest.raises(NotOpen) as caught:
            decisions.withdraw(row.jti, by=STAFF)
        assert caught.value.state is state
        if state is State.EXECUTING:
            flow.settle(claim, CREATED)
    assert not AuditEvent.objects.filter(kind=EventKind.WITHDRAWN).exists()


def test_what_has_expired_or_is_gone_is_not_withdrawn(flow):
    row, _token = flow.propose()
    age(row)
    with pytest.raises(NotOpen) as caught:
        decisions.withdraw(row.jti, by=STAFF)
    assert caught.value.state is State.EXPIRED
    with pytest.raises(NotOpen) as caught:
        decisions.withdraw(uuid.uuid4(), by=STAFF)
    assert caught.value.state is None


def test_a_second_withdrawal_changes_nothing(flow):
    row, _token = flow.propose()
    decisions.withdraw(row.jti, by=STAFF, reason="first")
    with pytest.raises(NotOpen):
        decisions.withdraw(row.jti, by={"username": "other"}, reason="second")
    assert Confirmation.objects.values_list("decided_by", "reason").get() == ("boss", "first")


def test_a_redemption_in_between_wins_and_runs(flow, monkeypatch):
    row, token = flow.propose()
    attempted = transitions.withdraw
    claims = []

    def redeem_first(*args, **kwargs):
        claims.append(flow.claim(token))
        return attempted(*args, **kwargs)

    monkeypatch.setattr(transitions, "withdraw", redeem_first)
    with pytest.raises(NotOpen):
        decisions.withdraw(row.jti, by=STAFF)
    flow.settle(claims[0], CREATED)
    assert Confirmation.objects.get().state == State.SUCCEEDED


def test_a_withdrawal_between_finding_and_claiming_wins(flow):
    row, token = flow.propose()
    found = flow.find(token)
    decisions.withdraw(row.jti, by=STAFF)
    from django_mcp.approval import confirmations
    from django_mcp.choices import Channel

    with pytest.raises(Declined) as caught:
        confirmations.claim(found, channel=Channel.AGENT, caller=flow.caller)
    assert caught.value.details == {"by": "boss"}


def test_two_withdrawals_at_once_have_one_event(flow, monkeypatch):
    row, _token = flow.propose()
    attempted = transitions.withdraw

    def other_first(stale, **options):
        attempted(Confirmation.objects.get(), by={"username": "other"}, reason="")
        return attempted(stale, **options)

    monkeypatch.setattr(transitions, "withdraw", other_first)
    with pytest.raises(NotOpen):
        decisions.withdraw(row.jti, by=STAFF)
    assert AuditEvent.objects.filter(kind=EventKind.WITHDRAWN).count() == 1
