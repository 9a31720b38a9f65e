"""Which confirmation a token stands for, for whom, and in which order it is checked."""

from dataclasses import replace
from unittest import mock

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_mcp.approval import effective_arguments, tokens
from django_mcp.choices import State
from django_mcp.errors import (
    ArgumentsChanged,
    ConfirmationExpired,
    ConfirmationInvalid,
    ConfirmationUsed,
    Declined,
    WrongOperation,
)
from django_mcp.models import Confirmation
from tests.approval.conftest import CREATED, age


def test_a_check_consumes_nothing(flow, states):
    _row, token = flow.propose()
    for _ in range(3):
        flow.find(token)
    with pytest.raises(WrongOperation):
        flow.find(token, target="CancelOrder")
    with pytest.raises(ArgumentsChanged):
        flow.find(token, arguments={"customer_name": "Kim"})
    assert states() == ["issued"]
    assert flow.claim(token)


def foreign(flow):
    return flow.another(subject="key:2"), flow.propose()[1]


def unknown(flow):
    token = flow.propose()[1]
    Confirmation.objects.all().delete()
    return flow, token


def tampered(flow):
    token = flow.propose()[1]
    return flow, token[:-5] + ("A" if token[-5] != "A" else "B") + token[-4:]


def of_other_arguments(flow):
    row, token = flow.propose()
    return flow, tokens.sign(replace(tokens.verify(token), args_hash="ab" * 32, jti=str(row.jti)))


@pytest.mark.parametrize("case", [foreign, unknown, tampered, of_other_arguments])
def test_whatever_is_not_this_callers_token_gets_one_text(flow, case):
    holder, token = case(flow)
    with pytest.raises(ConfirmationInvalid) as caught:
        holder.find(token)
    assert (caught.value.text, caught.value.details) == (tokens.INVALID, {})


@pytest.mark.parametrize("spent", [True, False])
def test_another_callers_spent_token_tells_nothing(flow, spent):
    token = flow.propose()[1]
    if spent:
        flow.settle(flow.claim(token), CREATED)
    with pytest.raises(ConfirmationInvalid) as caught:
        flow.another(subject="key:2").find(token)
    assert "outcome" not in caught.value.details


@pytest.mark.parametrize("values", [{"target": "CancelOrder"}, {"tool": "other_tool"}])
def test_a_token_is_for_its_own_operation(flow, values):
    token = flow.propose()[1]
    with pytest.raises(WrongOperation, match=r"^Target operation mismatch for confirmation token\.") as caught:
        flow.find(token, **values)
    assert "CreateOrder" in caught.value.text


def test_a_token_expires_at_the_very_instant(flow):
    token = flow.propose(lifetime=0)[1]
    with pytest.raises(ConfirmationExpired, match=r"^Confirmation token has expired\."):
        flow.find(token)


def test_expiry_is_written_once(flow, states, events):
    row, token = flow.propose()
    age(row)
    for _ in range(3):
        with pytest.raises(ConfirmationExpired):
            flow.find(token)
    assert states() == ["expired"]
    assert events() == ["token_issued", "expired"]
    assert Confirmation.objects.get().effective is None


def test_a_longer_life_in_the_token_does_not_help(flow):
    row, token = flow.propose()
    age(row)
    longer = tokens.sign(replace(tokens.verify(token), exp=4_000_000_000))
    with pytest.raises(ConfirmationExpired):
        flow.find(longer)


def test_a_token_whose_own_time_is_over_has_expired(flow):
    token = flow.propose()[1]
    with pytest.raises(ConfirmationExpired):
        flow.find(tokens.sign(replace(tokens.verify(token), exp=1)))


@pytest.mark.parametrize("state", [State.DECLINED, State.REVOKED])
def test_a_declined_confirmation_says_so_at_any_age(flow, state):
    row, token = flow.propose()
    age(row, state=state.value)
    with pytest.raises(Declined, match="nothing was run"):
        flow.find(token)


def test_a_token_names_its_confirmation_for_the_record(flow):
    row, token = flow.propose()
    assert tokens.confirmation_of(token) == row.jti
    assert tokens.confirmation_of(token[:-2]) is None
    assert tokens.confirmation_of("garbage") is None


# The order of the checks: each token here is refused for the first of its two faults.


def of_another_caller_and_operation(flow, token):
    return flow.another(subject="key:2"), token, {"target": "CancelOrder"}


def of_another_operation_without_a_row(flow, token):
    Confirmation.objects.all().delete()
    return flow, token, {"target": "CancelOrder"}


def of_another_operation_and_spent(flow, token):
    flow.settle(flow.claim(token), CREATED)
    return flow, token, {"target": "CancelOrder"}


def of_another_tool_and_expired(flow, token):
    age(Confirmation.objects.get())
    return flow, token, {"tool": "other_tool"}


def spent_and_expired(flow, token):
    flow.settle(flow.claim(token), CREATED)
    age(Confirmation.objects.get())
    cache.clear()
    return flow, token, {}


def expired_and_of_another_host(flow, token):
    age(Confirmation.objects.get())
    return flow.another(host="other.example"), token, {}


@pytest.mark.parametrize(
    ("case", "error"),
    [
        (of_another_caller_and_operation, ConfirmationInvalid),
        (of_another_operation_without_a_row, WrongOperation),
        (of_another_operation_and_spent, WrongOperation),
        (of_another_tool_and_expired, WrongOperation),
        (spent_and_expired, ConfirmationUsed),
        (expired_and_of_another_host, ConfirmationExpired),
    ],
)
def test_the_first_fault_in_order_is_the_one_that_is_told(flow, case, error):
    caller, token, values = case(flow, flow.propose()[1])
    with pytest.raises(error):
        caller.find(token, **values)


def test_a_spent_token_tells_its_outcome_to_no_other_operation(flow):
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    with pytest.raises(WrongOperation) as caught:
        flow.find(token, target="CancelOrder")
    assert caught.value.details == {}


def test_a_token_is_verified_once_and_its_row_read_once(flow):
    token = flow.propose()[1]
    with (
        CaptureQueriesContext(connection) as queries,
        mock.patch.object(tokens, "verify", side_effect=tokens.verify) as verify,
    ):
        row = flow.find(token, arguments=flow.call.arguments)
        assert effective_arguments.stored(row) == flow.call.arguments
    assert (len(queries), verify.call_count) == (1, 1)
