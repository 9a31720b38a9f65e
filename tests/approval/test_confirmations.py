"""A confirmation from its proposal to its outcome."""

import json
import logging
import uuid
from dataclasses import replace
from datetime import timedelta
from unittest import mock

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from django_mcp.approval import cache_lock, confirmations, signing, tokens
from django_mcp.errors import (
    ArgumentsChanged,
    ConfirmationExpired,
    ConfirmationInvalid,
    ConfirmationUsed,
    Declined,
    PendingReview,
    ValidationFailed,
    WrongOperation,
)
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.signals import confirmation_issued, confirmation_settled
from django_mcp.types import ApprovalMode, Channel, Outcome, State
from tests.approval.conftest import ORDER, Desk, make_call, make_caller

CREATED = Outcome(status=State.SUCCEEDED, http_status=201, response={"id": 1042, "total": "11.00"})
SUCCEEDED = {"status": "succeeded", "httpStatus": 201, "response": {"id": 1042, "total": "11.00"}}


def buried(value):
    """Put a value deeper than what is kept of arguments."""
    for _ in range(30):
        value = {"a": [value]}
    return value


def age(row, **values):
    Confirmation.objects.filter(jti=row.jti).update(expires_at=timezone.now() - timedelta(seconds=1), **values)


# Proposing


def test_a_proposal_is_a_row_an_event_and_a_token(desk, states, events):
    row, token = desk.propose()
    said = tokens.verify(token)
    assert (said.sub, said.tool, said.target, said.jti) == ("key:1", "api_call", "CreateOrder", str(row.jti))
    assert said.exp - said.iat == 300
    assert states() == ["issued"]
    assert events() == ["token_issued"]


def test_a_proposal_keeps_what_was_shown(desk):
    row, _token = desk.propose(finding=Finding(preview={"deletes": "Order 1"}), target_state="ab" * 32)
    row.refresh_from_db()
    assert row.arguments == ORDER
    assert row.preview == {"deletes": "Order 1"}
    assert (row.summary, row.target_state, row.group, row.safety) == ("Order for Sam", "ab" * 32, "shop", "Write")
    assert row.caller["username"] == "sam"


def test_stored_arguments_are_the_effective_ones(desk):
    _row, token = desk.propose()
    assert confirmations.stored_arguments(desk.find(token)) == ORDER


@pytest.mark.parametrize(
    ("arguments", "sensitive"),
    [
        ({"name": "x", "password": "hunter2"}, ()),
        ({"name": "x", "pin": "hunter2"}, ("pin",)),
        ({"users": [{"login": {"secret": "hunter2"}}]}, ()),
        ({"users": [{"pin": "hunter2"}]}, ("users.pin",)),
        ({"note": "use ak-hunter2hunter2"}, ()),
        (buried({"password": "hunter2"}), ()),
    ],
)
def test_sensitive_arguments_are_stored_nowhere(desk, arguments, sensitive):
    desk.call = make_call(arguments, sensitive=frozenset(sensitive))
    row, token = desk.propose()
    row.refresh_from_db()
    assert confirmations.stored_arguments(row) is None
    everything = Confirmation.objects.values().get(), list(AuditEvent.objects.values())
    assert "hunter2" not in repr(everything)
    assert confirmations.check_arguments(desk.find(token), desk.call) is None


def test_text_that_postgresql_cannot_store_is_no_trouble(desk):
    desk.call = make_call({"note": "a\x00b"})
    _row, token = desk.propose(summary="a\x00b", finding=Finding(preview={"to": "\x00"}))
    row = desk.find(token)
    assert "\x00" not in json.dumps([row.arguments, row.preview]) + row.summary
    assert confirmations.stored_arguments(row) == {"note": "a\x00b"}
    confirmations.check_arguments(row, desk.call)


def test_arguments_that_json_cannot_say_are_refused(desk, states):
    desk.call = make_call({"a": float("nan")})
    with pytest.raises(ValidationFailed):
        desk.propose()
    assert states() == []


def test_hosts_hear_of_a_proposal_and_its_outcome(desk):
    heard = []

    def listen(signal, confirmation, **_more):
        heard.append(confirmation.state)

    for signal in (confirmation_issued, confirmation_settled):
        signal.connect(listen)
    try:
        desk.settle(desk.claim(desk.propose()[1]), CREATED)
    finally:
        for signal in (confirmation_issued, confirmation_settled):
            signal.disconnect(listen)
    assert heard == ["issued", "succeeded"]


# Finding


def test_a_check_consumes_nothing(desk, states):
    _row, token = desk.propose()
    for _ in range(3):
        desk.find(token)
    with pytest.raises(WrongOperation):
        desk.find(token, target="CancelOrder")
    with pytest.raises(ArgumentsChanged):
        confirmations.check_arguments(desk.find(token), make_call({"customer_name": "Kim"}))
    assert states() == ["issued"]
    assert desk.claim(token)


def foreign(desk):
    return desk.another(subject="key:2"), desk.propose()[1]


def unknown(desk):
    token = desk.propose()[1]
    Confirmation.objects.all().delete()
    return desk, token


def tampered(desk):
    token = desk.propose()[1]
    return desk, token[:-5] + ("A" if token[-5] != "A" else "B") + token[-4:]


def of_other_arguments(desk):
    row, token = desk.propose()
    return desk, tokens.sign(replace(tokens.verify(token), args_hash="ab" * 32, jti=str(row.jti)))


@pytest.mark.parametrize("case", [foreign, unknown, tampered, of_other_arguments])
def test_whatever_is_not_this_callers_token_gets_one_text(desk, case):
    holder, token = case(desk)
    with pytest.raises(ConfirmationInvalid) as caught:
        holder.find(token)
    assert (caught.value.text, caught.value.details) == (tokens.INVALID, {})


@pytest.mark.parametrize("spent", [True, False])
def test_another_callers_spent_token_tells_nothing(desk, spent):
    token = desk.propose()[1]
    if spent:
        desk.settle(desk.claim(token), CREATED)
    with pytest.raises(ConfirmationInvalid) as caught:
        desk.another(subject="key:2").find(token)
    assert "outcome" not in caught.value.details


@pytest.mark.parametrize("values", [{"target": "CancelOrder"}, {"tool": "other_tool"}])
def test_a_token_is_for_its_own_operation(desk, values):
    token = desk.propose()[1]
    with pytest.raises(WrongOperation, match=r"^Target operation mismatch for confirmation token\.") as caught:
        desk.find(token, **values)
    assert "CreateOrder" in caught.value.text


def test_a_token_expires_at_the_very_instant(desk):
    token = desk.propose(lifetime=0)[1]
    with pytest.raises(ConfirmationExpired, match=r"^Confirmation token has expired\."):
        desk.find(token)


def test_expiry_is_written_once(desk, states, events):
    row, token = desk.propose()
    age(row)
    for _ in range(3):
        with pytest.raises(ConfirmationExpired):
            desk.find(token)
    assert states() == ["expired"]
    assert events() == ["token_issued", "expired"]
    assert Confirmation.objects.get().effective is None


def test_a_longer_life_in_the_token_does_not_help(desk):
    row, token = desk.propose()
    age(row)
    longer = tokens.sign(replace(tokens.verify(token), exp=4_000_000_000))
    with pytest.raises(ConfirmationExpired):
        desk.find(longer)


def test_a_token_whose_own_time_is_over_has_expired(desk):
    token = desk.propose()[1]
    with pytest.raises(ConfirmationExpired):
        desk.find(tokens.sign(replace(tokens.verify(token), exp=1)))


@pytest.mark.parametrize("state", [State.DECLINED, State.REVOKED])
def test_a_declined_confirmation_says_so_at_any_age(desk, state):
    row, token = desk.propose()
    age(row, state=state.value)
    with pytest.raises(Declined, match="nothing was run"):
        desk.find(token)


def test_a_claim_on_a_row_that_was_removed_meanwhile_runs_nothing(desk):
    row = desk.find(desk.propose()[1])
    Confirmation.objects.all().delete()
    with pytest.raises(ConfirmationUsed):
        confirmations.claim(row, channel=Channel.AGENT, caller=desk.caller)


# Comparing


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"customer_name": "Kim"}, ["customer_name"]),
        ({"items": [{"product_id": 7, "quantity": 3, "options": ["Oat Milk", "Vanilla"]}]}, ["items[0].quantity"]),
        ({"items": [{"product_id": 7, "quantity": 2, "options": ["Vanilla", "Oat Milk"]}]},
         ["items[0].options[0]", "items[0].options[1]"]),
        ({"items": []}, ["items"]),
        ({"note": "x"}, ["note"]),
    ],
)  # fmt: skip
def test_changed_arguments_are_named_by_path(desk, change, changed):
    row = desk.find(desk.propose()[1])
    with pytest.raises(ArgumentsChanged, match=r"^Arguments have changed since confirmation was issued\.") as caught:
        confirmations.check_arguments(row, make_call({**ORDER, **change}))
    assert caught.value.details == {"changed": changed}
    assert changed[0] in caught.value.text


def test_the_spelling_of_arguments_does_not_matter(desk):
    row = desk.find(desk.propose()[1])
    items = [{"options": ["Oat Milk", "Vanilla"], "quantity": 2.0, "product_id": 0.7e1}]
    assert confirmations.check_arguments(row, make_call({"items": items, "customer_name": "Sam"})) is None


@pytest.mark.parametrize("rotated", [False, True])
def test_sensitive_arguments_are_compared_by_name(desk, settings, rotated):
    desk.call = make_call({"login": "kim", "password": "hunter2", "roles": ["a"]})
    token = desk.propose()[1]
    if rotated:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    row = desk.find(token)
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call({"login": "kim", "password": "hunter3", "extra": 1}))
    assert caught.value.details["changed"] == ["extra", "password", "roles"]
    assert "hunter" not in caught.value.text


def test_equal_secrets_of_two_confirmations_have_different_digests(desk):
    desk.call = make_call({"password": "hunter2"})
    digests = [desk.propose()[0].argument_digests["password"] for _ in range(2)]
    assert digests[0] != digests[1]
    assert signing.digest_keys()[0].hex() not in digests


def test_another_forwarded_header_is_a_change(desk):
    desk.call = make_call(forwarded={"X-Tenant": "a"})
    row = desk.find(desk.propose()[1])
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call(forwarded={"X-Tenant": "b"}))
    assert caught.value.details["changed"] == ["request headers"]


def test_a_flood_of_changes_is_named_in_part(desk):
    desk.call = make_call({f"a{number}": 1 for number in range(500)})
    row = desk.find(desk.propose()[1])
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call({f"a{number}": 2 for number in range(500)}))
    assert len(caught.value.details["changed"]) == 50
    assert len(caught.value.text) < 500


# Claiming and settling


def test_a_token_cannot_be_spent_twice(desk, states, events):
    token = desk.propose()[1]
    row = desk.find(token)
    confirmations.claim(row, channel=Channel.AGENT, caller=desk.caller)
    stale = desk.another()
    with pytest.raises(ConfirmationUsed):
        confirmations.claim(Confirmation.objects.get(), channel=Channel.AGENT, caller=stale.caller)
    with pytest.raises(ConfirmationUsed, match=r"^Confirmation token has already been used\.") as caught:
        confirmations.claim(row, channel=Channel.AGENT, caller=desk.caller)
    assert caught.value.details == {"outcome": {"status": "unknown"}}
    assert states() == ["executing"]
    assert events() == ["token_issued", "token_consumed"]


def test_a_claim_says_who_confirmed(desk):
    desk.claim(desk.propose()[1])
    row = Confirmation.objects.get()
    assert row.channel == "agent"
    assert row.claimed_at is not None
    assert AuditEvent.objects.get(kind="token_consumed").detail == {"channel": "agent"}


def test_an_outcome_is_recorded_with_its_event(desk, states, events):
    kept = desk.settle(desk.claim(desk.propose()[1]), CREATED)
    assert kept == CREATED
    assert states() == ["succeeded"]
    assert events() == ["token_issued", "token_consumed", "executed"]
    row = Confirmation.objects.get()
    assert row.outcome == SUCCEEDED
    assert row.effective is None
    assert row.settled_at is not None


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("status", [State.SUCCEEDED, State.REJECTED, State.UNKNOWN])
def test_a_replay_tells_the_outcome_at_any_age(desk, cached, old, status):
    row, token = desk.propose()
    outcome = Outcome(status=status, http_status=400, response={"a": ["b"]})
    desk.settle(desk.claim(token), outcome)
    if old:
        age(row)
    if not cached:
        cache.clear()
    with pytest.raises(ConfirmationUsed, match=r"^Confirmation token has already been used\.") as caught:
        desk.find(token, target="Whatever")
    assert caught.value.details["outcome"] == {"status": status, "httpStatus": 400, "response": {"a": ["b"]}}


@pytest.mark.parametrize(
    ("http_status", "response", "advice"),
    [
        (400, {"quantity": ["Too many."]}, "Correct the arguments"),
        (409, None, "Correct the arguments"),
        (None, {"code": "sold_out"}, "Correct the arguments"),
        (500, None, "no other arguments will help"),
        (None, None, "no other arguments will help"),
    ],
)
def test_a_replay_asks_for_other_arguments_only_where_they_were_refused(desk, http_status, response, advice):
    token = desk.propose()[1]
    desk.settle(desk.claim(token), Outcome(status=State.REJECTED, http_status=http_status, response=response))
    with pytest.raises(ConfirmationUsed, match=advice):
        desk.find(token)


def test_a_replay_during_execution_is_told_to_look_first(desk):
    token = desk.propose()[1]
    desk.claim(token)
    with pytest.raises(ConfirmationUsed, match="look at the data before you propose it again") as caught:
        desk.find(token)
    assert caught.value.details == {"outcome": {"status": "unknown"}}


def test_a_flood_of_replays_costs_no_query(desk):
    token = desk.propose()[1]
    desk.settle(desk.claim(token), CREATED)
    with CaptureQueriesContext(connection) as queries:
        for _ in range(5):
            with pytest.raises(ConfirmationUsed):
                desk.find(token)
    assert len(queries) == 0


def test_a_lost_cache_does_not_make_a_spent_token_good(desk, states):
    token = desk.propose()[1]
    desk.settle(desk.claim(token), CREATED)
    cache.clear()
    with pytest.raises(ConfirmationUsed):
        desk.claim(token)
    assert states() == ["succeeded"]


def test_secrets_in_an_outcome_are_masked(desk):
    outcome = Outcome(status=State.SUCCEEDED, http_status=200, response={"pin": 1, "api_key": "x", "n": {"pin": 1}})
    desk.call = make_call(sensitive=frozenset({"pin"}))
    kept = desk.settle(desk.claim(desk.propose()[1]), outcome)
    assert kept.response == {"pin": "********", "api_key": "********", "n": {"pin": 1}}
    assert Confirmation.objects.get().outcome["response"] == kept.response


def test_a_large_outcome_is_cut(desk):
    rows = [{"id": number, "text": "ü" * 200} for number in range(500)]
    desk.settle(desk.claim(desk.propose()[1]), replace(CREATED, response=rows))
    kept = Confirmation.objects.get().outcome["response"]
    assert kept[0] == rows[0]
    assert len(json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()) <= 8192


def test_a_row_that_is_gone_still_leaves_its_final_event(desk, events):
    claim = desk.claim(desk.propose()[1])
    Confirmation.objects.all().delete()
    assert desk.settle(claim, CREATED) == CREATED
    assert events()[-1] == "executed"


def test_only_the_claim_itself_settles(desk, states):
    claim = desk.claim(desk.propose()[1])
    desk.settle(replace(claim, nonce="0" * 32), replace(CREATED, status=State.REJECTED))
    assert states() == ["executing"]
    desk.settle(claim, CREATED)
    assert states() == ["succeeded"]


# Given back


def test_a_claim_that_is_given_back_can_be_claimed_again(desk, states, events):
    token = desk.propose()[1]
    desk.give_back(desk.claim(token))
    assert states() == ["issued"]
    assert (Confirmation.objects.get().channel, Confirmation.objects.get().claimed_at) == ("", None)
    desk.settle(desk.claim(token), CREATED)
    assert states() == ["succeeded"]
    kinds = ["token_issued", "token_consumed", "given_back", "token_consumed", "executed"]
    assert events() == kinds


def test_an_approved_claim_goes_back_to_approved(desk, states):
    row, token = desk.propose(mode=ApprovalMode.REVIEW)
    Confirmation.objects.filter(jti=row.jti).update(state=State.APPROVED.value)
    desk.give_back(desk.claim(token))
    assert states() == ["approved"]


def test_what_is_given_back_too_late_was_not_executed(desk, states, events):
    row, token = desk.propose()
    claim = desk.claim(token)
    age(row)
    desk.give_back(replace(claim, expires_at=timezone.now()))
    assert states() == ["not_executed"]
    assert events()[-1] == "given_back"
    with pytest.raises(ConfirmationUsed, match="Nothing was carried out") as caught:
        desk.find(token)
    assert caught.value.details["outcome"]["status"] == "not_executed"


def test_only_the_claim_itself_is_given_back(desk, states, events):
    claim = desk.claim(desk.propose()[1])
    desk.give_back(replace(claim, nonce="0" * 32))
    assert states() == ["executing"]
    assert "given_back" not in events()


def test_a_settled_claim_is_not_given_back(desk, states):
    claim = desk.claim(desk.propose()[1])
    desk.settle(claim, CREATED)
    desk.give_back(claim)
    assert states() == ["succeeded"]


# Without a token


def test_a_write_without_a_token_has_its_row_before_it_runs(desk, states, events):
    claim = confirmations.begin(desk.call, desk.caller, mode=ApprovalMode.DELEGATE, channel=Channel.AGENT, summary="x")
    assert states() == ["executing"]
    desk.settle(claim, CREATED)
    assert states() == ["succeeded"]
    assert events() == ["executed"]
    assert cache_lock.recorded(claim.jti, "key:1") is None
    row = Confirmation.objects.get()
    assert (row.mode, row.channel, row.effective, row.outcome) == ("delegate_to_client", "agent", None, SUCCEEDED)


def test_a_write_without_a_token_that_did_not_run_says_so(desk, states):
    desk.give_back(confirmations.begin(desk.call, desk.caller, mode=ApprovalMode.DELEGATE, channel=Channel.AGENT))
    assert states() == ["not_executed"]


# Review


def test_what_needs_a_review_is_not_claimed_before_it(desk, states):
    row, token = desk.propose(mode=ApprovalMode.REVIEW)
    with pytest.raises(PendingReview, match="Nothing was run"):
        desk.claim(token)
    assert states() == ["issued"]
    Confirmation.objects.filter(jti=row.jti).update(state=State.APPROVED.value)
    assert desk.claim(token).origin is State.APPROVED


def test_a_confirmation_declined_between_look_and_claim_is_not_claimed(desk, states):
    row = desk.find(desk.propose()[1])
    Confirmation.objects.update(state=State.DECLINED.value)
    with pytest.raises(Declined):
        confirmations.claim(row, channel=Channel.AGENT, caller=desk.caller)
    assert states() == ["declined"]


# Secrets


def test_no_log_line_has_a_token_in_it(desk, caplog):
    caplog.set_level(logging.DEBUG)
    token = desk.propose()[1]
    claim = desk.claim(token)
    with mock.patch("django_mcp.audit.record", side_effect=ValueError(token)):
        desk.settle(claim, CREATED)
    with pytest.raises(ConfirmationUsed):
        desk.find(token)
    said = [record.getMessage() for record in caplog.records if record.name == "django_mcp"]
    assert said
    assert token not in "\n".join(said)


def test_a_token_names_its_confirmation_for_the_record(desk):
    row, token = desk.propose()
    assert tokens.confirmation_of(token) == row.jti
    assert tokens.confirmation_of(token[:-2]) is None
    assert tokens.confirmation_of("garbage") is None


def test_two_equal_proposals_are_two_confirmations(db, states):
    desk = Desk(make_call(), make_caller())
    first, second = desk.propose()[1], desk.propose()[1]
    for token in (first, second):
        desk.settle(desk.claim(token), CREATED)
    assert states() == ["succeeded", "succeeded"]
    assert len({tokens.verify(token).jti for token in (first, second)}) == 2
    assert uuid.UUID(tokens.verify(first).jti).version == 4
