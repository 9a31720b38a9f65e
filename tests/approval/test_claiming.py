"""The right to run a confirmed call once: claimed, given back, or had without a token."""

from dataclasses import replace
from unittest import mock

import pytest
from django.utils import timezone

from django_mcp.approval import cache_lock, confirmations
from django_mcp.choices import ApprovalMode, Channel, State
from django_mcp.errors import ConfirmationExpired, ConfirmationUsed, Declined, PendingReview
from django_mcp.models import AuditEvent, Confirmation
from tests.approval.conftest import CREATED, SUCCEEDED, age


def test_a_token_cannot_be_spent_twice(flow, states, events):
    token = flow.propose()[1]
    row = flow.find(token)
    confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)
    stale = flow.another()
    with pytest.raises(ConfirmationUsed):
        confirmations.claim(Confirmation.objects.get(), channel=Channel.AGENT, caller=stale.caller)
    with pytest.raises(ConfirmationUsed, match=r"^Confirmation token has already been used\.") as caught:
        confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)
    assert caught.value.details == {"outcome": {"status": "unknown"}}
    assert states() == ["executing"]
    assert events() == ["token_issued", "token_consumed"]


def test_a_claim_says_who_confirmed(flow):
    flow.claim(flow.propose()[1])
    row = Confirmation.objects.get()
    assert row.channel == "agent"
    assert row.claimed_at is not None
    assert AuditEvent.objects.get(kind="token_consumed").detail == {"channel": "agent"}


def test_a_claim_on_a_row_that_was_removed_meanwhile_runs_nothing(flow):
    row = flow.find(flow.propose()[1])
    Confirmation.objects.all().delete()
    with pytest.raises(ConfirmationUsed):
        confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)


def test_a_confirmation_declined_between_look_and_claim_is_not_claimed(flow, states):
    row = flow.find(flow.propose()[1])
    Confirmation.objects.update(state=State.DECLINED.value)
    with pytest.raises(Declined):
        confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)
    assert states() == ["declined"]


def test_what_needs_a_review_is_not_claimed_before_it(flow, states):
    row, token = flow.propose(mode=ApprovalMode.REVIEW)
    with pytest.raises(PendingReview, match="Nothing was run"):
        flow.claim(token)
    assert states() == ["issued"]
    Confirmation.objects.filter(jti=row.jti).update(state=State.APPROVED.value)
    assert flow.claim(token).origin is State.APPROVED


def test_a_confirmation_that_expires_between_look_and_claim_is_not_claimed(flow, states, events):
    row = flow.find(flow.propose()[1])
    age(row)
    with pytest.raises(ConfirmationExpired):
        confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)
    assert states() == ["expired"]
    assert events() == ["token_issued", "expired"]


def test_a_claim_at_the_very_instant_of_expiry_is_too_late(flow, states):
    row = flow.find(flow.propose()[1])
    with mock.patch("django.utils.timezone.now", return_value=row.expires_at), pytest.raises(ConfirmationExpired):
        confirmations.claim(row, channel=Channel.AGENT, caller=flow.caller)
    assert states() == ["expired"]


# Given back


def test_a_claim_that_is_given_back_can_be_claimed_again(flow, states, events):
    token = flow.propose()[1]
    flow.give_back(flow.claim(token))
    assert states() == ["issued"]
    assert (Confirmation.objects.get().channel, Confirmation.objects.get().claimed_at) == ("", None)
    flow.settle(flow.claim(token), CREATED)
    assert states() == ["succeeded"]
    kinds = ["token_issued", "token_consumed", "given_back", "token_consumed", "executed"]
    assert events() == kinds


def test_an_approved_claim_goes_back_to_approved(flow, states):
    row, token = flow.propose(mode=ApprovalMode.REVIEW)
    Confirmation.objects.filter(jti=row.jti).update(state=State.APPROVED.value)
    flow.give_back(flow.claim(token))
    assert states() == ["approved"]


def test_what_is_given_back_too_late_was_not_executed(flow, states, events):
    row, token = flow.propose()
    claim = flow.claim(token)
    age(row)
    flow.give_back(replace(claim, expires_at=timezone.now()))
    assert states() == ["not_executed"]
    assert events()[-1] == "given_back"
    with pytest.raises(ConfirmationUsed, match="Nothing was carried out") as caught:
        flow.find(token)
    assert caught.value.details["outcome"]["status"] == "not_executed"


def test_only_the_claim_itself_is_given_back(flow, states, events):
    claim = flow.claim(flow.propose()[1])
    flow.give_back(replace(claim, nonce="0" * 32))
    assert states() == ["executing"]
    assert "given_back" not in events()


def test_a_settled_claim_is_not_given_back(flow, states):
    claim = flow.claim(flow.propose()[1])
    flow.settle(claim, CREATED)
    flow.give_back(claim)
    assert states() == ["succeeded"]


# Without a token


def test_a_write_without_a_token_has_its_row_before_it_runs(flow, states, events):
    claim = flow.begin()
    assert states() == ["executing"]
    flow.settle(claim, CREATED)
    assert states() == ["succeeded"]
    assert events() == ["executed"]
    assert cache_lock.recorded_outcome(claim.jti, "key:1") is None
    row = Confirmation.objects.get()
    assert (row.mode, row.channel, row.effective, row.outcome) == ("delegate_to_client", "agent", None, SUCCEEDED)


def test_a_write_without_a_token_that_did_not_run_says_so(flow, states):
    flow.give_back(flow.begin())
    assert states() == ["not_executed"]
