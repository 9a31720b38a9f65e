"""What is wrong with a token's history is found: each invariant is broken on paper, and one of them in earnest."""

from dataclasses import replace

import pytest

from tests.faults.attempts import NO_ANSWER, Attempt, parsed
from tests.faults.cluster import cluster
from tests.faults.figures import Figures, table
from tests.faults.invariants import CUT_OFF, History, Rules

SUCCESS = Attempt("success")
USED = Attempt("confirmation_used", {"outcome": {"status": "succeeded"}})
RUNNING = Attempt("confirmation_used", {"outcome": {"status": "unknown"}})
UNAVAILABLE = Attempt("unavailable")
FAILED = Attempt("internal_error")
WELL = History(
    name="Customer",
    answers=(SUCCESS, USED, RUNNING),
    repeat=USED,
    executions=([1],),
    orders=1,
    state="succeeded",
    events=("token_issued", "token_consumed", "executed"),
)
CONSUMED = ("token_issued", "token_consumed")
LOSSY = Rules(verdicts=frozenset({"unavailable", "internal_error"}) | CUT_OFF, lossy=True)


def test_a_token_that_ran_once_and_said_so_is_well():
    assert Rules().violations(WELL) == []
    assert LOSSY.violations(WELL) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"executions": ([1], [1])}, "it ran 2 times"),
        ({"orders": 2}, "2 orders"),
        ({"executions": ()}, "an order that no execution made"),
        ({"repeat": SUCCESS}, "succeeded more than once"),
        ({"executions": ([],)}, "before its claim was committed"),
        ({"executions": ([0],)}, "before its claim was committed"),
        ({"executions": ([1, 1],)}, "before its claim was committed"),
        ({"events": ("token_consumed", "executed")}, "issued 0 times"),
        ({"events": (*CONSUMED, "token_consumed", "executed")}, "consumed 2 times more"),
        ({"events": (*CONSUMED, "given_back", "executed")}, "consumed 0 times more"),
        ({"events": CONSUMED}, "0 final events"),
        ({"events": (*CONSUMED, "executed", "executed")}, "2 final events"),
        ({"state": "expired", "events": ("token_issued", "executed")}, "never claimed"),
        ({"orders": 0}, "without an order"),
        ({"answers": (UNAVAILABLE,)}, "told that nothing did"),
        ({"answers": (FAILED,)}, "told that nothing was changed"),
        ({"repeat": RUNNING}, "a repeat says unknown"),
        ({"answers": (SUCCESS, Attempt("confirmation_used"))}, "says nothing of what became of it"),
        ({"answers": (FAILED,), "orders": 0, "executions": ()}, "a success of which there is no order"),
        ({"state": "issued"}, "it is issued, and it ran"),
        ({"answers": (SUCCESS, Attempt("gone"))}, "answered gone"),
        ({"answers": (SUCCESS, Attempt("unavailable", leak="psycopg.Error"))}, "shows 'psycopg.Error'"),
        ({"repeat": UNAVAILABLE}, "a repeat is refused with unavailable"),
        ({"state": "issued", "executions": (), "orders": 0, "events": ("token_issued",)}, "leaves it open"),
    ],
    ids=str,
)
def test_what_no_fault_excuses_is_found(change, complaint):
    assert any(complaint in violation for violation in LOSSY.violations(replace(WELL, **change)))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"answers": (USED,)}, "0 redemptions succeeded"),
        ({"answers": (SUCCESS, UNAVAILABLE)}, "answered unavailable"),
        ({"state": "executing", "repeat": RUNNING, "events": CONSUMED}, "did not end in one execution"),
    ],
    ids=str,
)
def test_what_only_a_fault_excuses_is_found_where_there_was_none(change, complaint):
    history = replace(WELL, **change)
    assert LOSSY.violations(replace(history, answers=(NO_ANSWER, *history.answers))) == []
    assert any(complaint in violation for violation in Rules().violations(history))


def test_another_end_than_the_expected_is_found():
    assert Rules(end=("succeeded", 1, 1)).violations(WELL) == []
    assert "should be" in Rules(end=("executing", 1, 0)).violations(WELL)[0]


def test_a_token_may_end_unused_only_where_that_is_allowed():
    expired = Attempt("confirmation_expired")
    history = replace(
        WELL, answers=(expired,), repeat=expired, executions=(), orders=0, state="expired", events=("token_issued",)
    )
    assert Rules(unused=frozenset({"confirmation_expired"})).violations(history) == []
    assert "answered confirmation_expired" in Rules().violations(history)[0]


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (500, b"<html>", "HTTP 500, no JSON"),
        (200, b'{"error": {"code": -32603}}', "HTTP 200, -32603"),
        (200, b'{"result": {"structuredContent": {"status": "success"}}}', "success"),
        (200, b'{"result": {"isError": true, "structuredContent": {"status": "error", "code": "gone"}}}', "gone"),
    ],
)
def test_every_answer_has_a_verdict(status, body, verdict):
    assert parsed(status, body).verdict == verdict


def test_what_an_answer_shows_of_the_inside_is_found():
    assert "psycopg" in parsed(200, b'{"error": {"code": 1, "message": "psycopg.OperationalError"}}').leak


def test_a_second_execution_in_earnest_is_found(tmp_path):
    with cluster("sqlite:///", tmp_path, {}, {}, workers=1) as servers:
        token = servers.propose(1)[0]
        first = servers.redeem(token, 0)
        # What the database forgets, another server's cache does not know.
        servers.shop.inside.forget_execution(jti=token.jti)
        second = servers.redeem(token, 1)
        history = servers.histories([token], [[first]], [second])[0]
    assert any("it ran 2 times" in violation for violation in Rules().violations(history))


def test_the_table_has_a_line_for_each_case():
    figures = Figures("races: sqlite", seconds=1.4)
    figures.add([WELL], Rules())
    heading, line = table([figures]).splitlines()
    assert heading.split()[:2] == ["case", "tokens"]
    assert " ".join(line.split()) == "races: sqlite 1 4 1 1 confirmation_used 3 1 0"
