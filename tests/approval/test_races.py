"""Many threads, one token: on real connections, with real commits."""

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import dj_database_url
import pytest
from django.db import connections

from django_mcp import audit
from django_mcp.approval import confirmations, decisions, effective_arguments
from django_mcp.approval.decisions import NotOpen
from django_mcp.approval.preview import preview_of
from django_mcp.choices import Channel, State
from django_mcp.errors import ConfirmationExpired, ConfirmationUsed, Declined, ToolError, Unavailable
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.types import Outcome
from tests.approval.conftest import CREATED, Flow, age, make_call, make_caller
from tests.e2e.databases import fresh

ALIAS = "race"
TOKENS, THREADS = 5, 8


class RaceRouter:
    """Confirmations and the record live in the database under test."""

    def db_for_read(self, model, **_hints):
        return ALIAS if model._meta.app_label == "django_mcp" else None

    db_for_write = db_for_read


def configured(url, isolation):
    database = dj_database_url.parse(url)
    if database["ENGINE"].endswith("mysql"):
        import pymysql

        pymysql.install_as_MySQLdb()
        database["OPTIONS"] = {"isolation_level": isolation or "read committed"}
    elif database["ENGINE"].endswith("postgresql") and isolation:
        from psycopg import IsolationLevel

        database["OPTIONS"] = {"isolation_level": IsolationLevel[isolation.upper().replace(" ", "_")]}
    elif database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}
    return connections.configure_settings({"default": {}, ALIAS: database})[ALIAS]


def urls():
    service = pytest.mark.service("databases")
    yield pytest.param(("sqlite:///race", None), id="sqlite")
    # Without a service there is still one case of each, for the closing lines to name.
    for url in os.environ.get("TEST_DATABASE_URLS", "postgres: mysql:").split():
        for isolation in (None, "repeatable read", "serializable"):
            name = f"{url.partition(':')[0]}-{isolation or 'default'}"
            yield pytest.param((url, isolation), id=name, marks=service)


DATABASES = list(urls())


@pytest.fixture(params=DATABASES)
def racing(request, tmp_path, settings, django_db_blocker):
    """One caller's way through confirmations in a database of its own; ends with every connection closed."""
    url, isolation = request.param
    with fresh(url, tmp_path) as own, django_db_blocker.unblock():
        connections.settings[ALIAS] = configured(own, isolation)
        settings.DATABASE_ROUTERS = [f"{__name__}.RaceRouter"]
        try:
            with connections[ALIAS].schema_editor() as editor:
                for model in (Confirmation, AuditEvent):
                    editor.create_model(model)
            yield Flow(make_call(), make_caller())
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]


def race(work, threads=THREADS):
    """Run `work` in many threads at the same instant; return what each returned or raised."""
    start = threading.Barrier(threads)

    def run(_number):
        try:
            start.wait()
            return work()
        except ToolError as error:
            return error
        finally:
            connections[ALIAS].close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def test_one_token_has_one_winner(racing):
    for _ in range(TOKENS):
        token = racing.propose()[1]
        results = race(lambda: racing.claim(token))  # noqa: B023 - all threads end within the turn
        winners = [result for result in results if isinstance(result, confirmations.Claim)]
        losers = [result for result in results if isinstance(result, ConfirmationUsed)]
        assert (len(winners), len(losers)) == (1, THREADS - 1), results
        racing.settle(winners[0], CREATED)
        assert Confirmation.objects.get(jti=winners[0].jti).nonce == winners[0].nonce
    assert AuditEvent.objects.filter(kind="token_consumed").count() == TOKENS
    assert AuditEvent.objects.filter(kind="executed").count() == TOKENS


def test_a_token_seen_open_by_all_has_one_winner(racing):
    token = racing.propose()[1]
    rows = [racing.find(token) for _ in range(THREADS)]
    results = race(lambda: confirmations.claim(rows.pop(), channel=Channel.AGENT, caller=racing.caller))
    assert [isinstance(result, confirmations.Claim) for result in results].count(True) == 1
    assert Confirmation.objects.get().state == "executing"


def test_a_withdrawal_and_redemptions_at_once_have_one_winner(racing):
    for _ in range(TOKENS):
        row, token = racing.propose()
        work = [lambda: decisions.withdraw(row.jti, by={"username": "boss"}), *[lambda: racing.claim(token)] * 3]  # noqa: B023
        results = race(lambda: _attempt(work.pop()), threads=4)  # noqa: B023 - all threads end within the turn
        winners = [result for result in results if isinstance(result, Confirmation | confirmations.Claim)]
        assert len(winners) == 1, results
        withdrawn = isinstance(winners[0], Confirmation)
        assert Confirmation.objects.get(jti=row.jti).state == ("revoked" if withdrawn else "executing")
        assert AuditEvent.objects.filter(confirmation=row.jti, kind="withdrawn").count() == withdrawn
        assert AuditEvent.objects.filter(confirmation=row.jti, kind="token_consumed").count() == (not withdrawn)
        refused = Declined if withdrawn else ConfirmationUsed
        assert all(isinstance(result, refused | NotOpen) for result in results if result not in winners), results


def _attempt(work):
    try:
        return work()
    except NotOpen as error:
        return error


def test_claims_that_are_given_back_at_once_end_in_one_execution(racing):
    token = racing.propose()[1]
    executed = []

    def work():
        for _attempt in range(3):
            claim = racing.claim(token)
            racing.give_back(claim)
        executed.append(racing.claim(token))
        return racing.settle(executed[-1], CREATED)

    race(work)
    if not executed:
        executed.append(racing.claim(token))
    assert len(executed) == 1


def test_an_expired_token_is_written_down_once(racing):
    token = racing.propose(lifetime=0)[1]
    race(lambda: racing.find(token))
    assert AuditEvent.objects.filter(kind="expired").count() == 1


def test_hostile_arguments_and_answers_can_be_stored(racing):
    deep = "bottom"
    for _ in range(60):
        deep = {"a": [deep]}
    racing.call = make_call({"deep": deep, "nul\x00": "\x00", "emoji": "☕️😀", "n": 10**30, "f": 1e-300})
    token = racing.propose(preview=replace(preview_of(racing.call, racing.caller), summary="😀\x00"))[1]
    row = racing.find(token, arguments=racing.call.arguments)
    assert effective_arguments.stored(row) == racing.call.arguments
    answer = {"deep": deep, "nan": float("nan"), "nul": "\x00", "surrogate": "\ud800"}
    racing.settle(racing.claim(token), Outcome(status=State.SUCCEEDED, http_status=200, response=answer))
    assert Confirmation.objects.get().state == "succeeded"


def test_hostile_secret_arguments_can_be_stored(racing):
    racing.call = make_call({"password\x00": "\x00", "x": 1})
    row = racing.find(racing.propose()[1], arguments=racing.call.arguments)
    assert effective_arguments.stored(row) is None


KILLERS = {
    "postgresql": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
    "mysql": ("SELECT CONNECTION_ID()", "KILL {}"),
}


@pytest.mark.parametrize("racing", DATABASES[1:], indirect=True)
def test_a_connection_that_is_lost_in_the_claim_is_replaced(racing, monkeypatch):
    token = racing.propose()[1]
    ask, kill = KILLERS[connections[ALIAS].vendor]
    real, lost = audit.record, []

    def sql(statement):
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()[0] if statement.startswith("SELECT") else None

    def killed(*args, **values):
        if not lost:
            lost.append(sql(ask))
            race(lambda: sql(kill.format(lost[0])), threads=1)
        return real(*args, **values)

    monkeypatch.setattr(audit, "record", killed)
    racing.settle(racing.claim(token), CREATED)
    assert sql(ask) != lost[0]
    assert Confirmation.objects.get().state == "succeeded"
    assert [event.kind for event in AuditEvent.objects.order_by("id")] == ["token_issued", "token_consumed", "executed"]


@pytest.mark.parametrize("racing", DATABASES[:1], indirect=True)
def test_a_locked_database_runs_nothing_and_the_token_still_works(racing):
    row = racing.find(racing.propose()[1])
    options = connections[ALIAS].settings_dict["OPTIONS"]
    options["timeout"] = 0.1
    connections[ALIAS].close()
    other = sqlite3.connect(connections[ALIAS].settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="Nothing was run"):
        confirmations.claim(row, channel=Channel.AGENT, caller=racing.caller)
    other.execute("ROLLBACK")
    other.close()
    assert confirmations.claim(row, channel=Channel.AGENT, caller=racing.caller)


def test_a_confirmation_that_expires_after_it_was_found_is_not_claimed(racing):
    row = racing.find(racing.propose()[1])
    age(row)
    results = race(lambda: confirmations.claim(row, channel=Channel.AGENT, caller=racing.caller))
    assert [type(result) for result in results] == [ConfirmationExpired] * THREADS
    assert Confirmation.objects.get().state == "expired"
    assert [event.kind for event in AuditEvent.objects.order_by("id")] == ["token_issued", "expired"]
