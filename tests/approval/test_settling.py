"""Outcomes: what is recorded of them, and what a replay is told."""

import json
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_mcp.choices import State
from django_mcp.errors import ConfirmationUsed
from django_mcp.models import Confirmation
from django_mcp.types import Outcome
from tests.approval.conftest import CREATED, SUCCEEDED, age, make_call


def test_an_outcome_is_recorded_with_its_event(flow, states, events):
    recorded = flow.settle(flow.claim(flow.propose()[1]), CREATED)
    assert recorded == CREATED
    assert states() == ["succeeded"]
    assert events() == ["token_issued", "token_consumed", "executed"]
    row = Confirmation.objects.get()
    assert row.outcome == SUCCEEDED
    assert row.effective is None
    assert row.settled_at is not None


def test_secrets_in_an_outcome_are_masked(flow):
    outcome = Outcome(status=State.SUCCEEDED, http_status=200, response={"pin": 1, "api_key": "x", "n": {"pin": 1}})
    flow.call = make_call(sensitive=frozenset({"pin"}))
    recorded = flow.settle(flow.claim(flow.propose()[1]), outcome)
    assert recorded.response == {"pin": "********", "api_key": "********", "n": {"pin": 1}}
    assert Confirmation.objects.get().outcome["response"] == recorded.response


def test_a_large_outcome_is_cut(flow):
    rows = [{"id": number, "text": "ü" * 200} for number in range(500)]
    flow.settle(flow.claim(flow.propose()[1]), replace(CREATED, response=rows))
    recorded = Confirmation.objects.get().outcome["response"]
    assert recorded[0] == rows[0]
    assert len(json.dumps(recorded, ensure_ascii=False, separators=(",", ":")).encode()) <= 8192


def test_a_row_that_is_gone_still_leaves_its_final_event(flow, events):
    claim = flow.claim(flow.propose()[1])
    Confirmation.objects.all().delete()
    assert flow.settle(claim, CREATED) == CREATED
    assert events()[-1] == "executed"


def test_only_the_claim_itself_settles(flow, states):
    claim = flow.claim(flow.propose()[1])
    flow.settle(replace(claim, nonce="0" * 32), replace(CREATED, status=State.REJECTED))
    assert states() == ["executing"]
    flow.settle(claim, CREATED)
    assert states() == ["succeeded"]


# Replays


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("status", [State.SUCCEEDED, State.REJECTED, State.UNKNOWN])
def test_a_replay_tells_the_outcome_at_any_age(flow, cached, old, status):
    row, token = flow.propose()
    outcome = Outcome(status=status, http_status=400, response={"a": ["b"]})
    flow.settle(flow.claim(token), outcome)
    if old:
        age(row)
    if not cached:
        cache.clear()
    with pytest.raises(ConfirmationUsed, match=r"^Confirmation token has already been used\.") as caught:
        flow.find(token)
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
def test_a_replay_asks_for_other_arguments_only_where_they_were_refused(flow, http_status, response, advice):
    token = flow.propose()[1]
    flow.settle(flow.claim(token), Outcome(status=State.REJECTED, http_status=http_status, response=response))
    with pytest.raises(ConfirmationUsed, match=advice):
        flow.find(token)


def test_a_replay_during_execution_is_told_to_look_first(flow):
    token = flow.propose()[1]
    flow.claim(token)
    with pytest.raises(ConfirmationUsed, match="look at the data before you propose it again") as caught:
        flow.find(token)
    assert caught.value.details == {"outcome": {"status": "unknown"}}


def test_a_flood_of_replays_costs_no_query(flow):
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    with CaptureQueriesContext(connection) as queries:
        for _ in range(5):
            with pytest.raises(ConfirmationUsed):
                flow.find(token)
    assert len(queries) == 0


def test_a_lost_cache_does_not_make_a_spent_token_good(flow, states):
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    cache.clear()
    with pytest.raises(ConfirmationUsed):
        flow.claim(token)
    assert states() == ["succeeded"]
