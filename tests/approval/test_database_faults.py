"""The database fails, before or after its commit: nothing runs twice, and nothing is lost in silence."""

import contextlib
import uuid
from types import SimpleNamespace
from unittest import mock

import pytest
from django.core.cache import cache
from django.db import InterfaceError, OperationalError, transaction

from django_mcp.approval import confirmations, transitions
from django_mcp.choices import Channel
from django_mcp.errors import ConfirmationExpired, ConfirmationUsed, Unavailable
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import ConfirmationQuerySet
from tests.approval.conftest import CREATED, Flow, make_call, make_caller


@pytest.fixture
def committed(transactional_db):
    """One caller's way, with real commits."""
    return Flow(make_call(), make_caller())


class Flaky:
    """Transactions of which some fail, before or after their commit."""

    def __init__(self, *faults):
        self.faults = list(faults)

    @contextlib.contextmanager
    def atomic(self, **options):
        fault = self.faults.pop(0) if self.faults else None
        with transaction.atomic(**options):
            yield
            if fault == "before":
                raise OperationalError("could not serialize access, key mcp_cf_secret")
        if fault == "after":
            raise InterfaceError("connection already closed")


@pytest.fixture
def flaky(monkeypatch):
    def use(*faults):
        monkeypatch.setattr(transitions, "transaction", SimpleNamespace(atomic=Flaky(*faults).atomic))

    return use


def test_a_lost_acknowledgement_of_the_claim_still_runs_it_once(committed, flaky, states, events):
    token = committed.propose()[1]
    row = committed.find(token)
    flaky("after")
    claim = confirmations.claim(row, channel=Channel.AGENT, caller=committed.caller)
    assert Confirmation.objects.get().nonce == claim.nonce
    assert events() == ["token_issued", "token_consumed"]
    with pytest.raises(ConfirmationUsed):
        committed.claim(token)


@pytest.mark.parametrize("fault", ["before", "after"])
def test_one_error_of_the_claim_is_overcome(committed, flaky, states, events, fault):
    token = committed.propose()[1]
    flaky(fault)
    committed.settle(committed.claim(token), CREATED)
    assert states() == ["succeeded"]
    assert events() == ["token_issued", "token_consumed", "executed"]


def test_a_database_that_keeps_failing_runs_nothing_and_the_token_still_works(committed, flaky, states, events):
    token = committed.propose()[1]
    flaky("before", "before")
    with pytest.raises(Unavailable, match="Nothing was run"):
        committed.claim(token)
    assert states() == ["issued"]
    flaky()
    assert committed.claim(token)


def test_a_claim_whose_fate_is_unknown_runs_nothing(committed, flaky, monkeypatch):
    row = committed.find(committed.propose()[1])
    flaky("before")
    monkeypatch.setattr(transitions, "rows", mock.Mock(side_effect=[transitions.rows(), OperationalError]))
    with pytest.raises(Unavailable):
        confirmations.claim(row, channel=Channel.AGENT, caller=committed.caller)


def test_a_claim_that_commits_late_is_found_by_its_nonce(committed, monkeypatch):
    row = committed.find(committed.propose()[1])
    real = ConfirmationQuerySet.update
    calls = []

    def late(rows, **values):
        calls.append(values["nonce"])
        if len(calls) == 1:
            raise OperationalError("server closed the connection unexpectedly")
        # The first statement, still under way on the server, commits just now.
        real(rows, **values)
        return 0

    monkeypatch.setattr(ConfirmationQuerySet, "update", late)
    claim = confirmations.claim(row, channel=Channel.AGENT, caller=committed.caller)
    assert calls == [claim.nonce, claim.nonce]


def test_an_event_that_cannot_be_written_undoes_the_claim(committed, states):
    token = committed.propose()[1]
    with mock.patch("django_mcp.audit.record", side_effect=OperationalError), pytest.raises(Unavailable):
        committed.claim(token)
    assert states() == ["issued"]
    assert committed.claim(token)


def test_an_event_that_cannot_be_written_leaves_no_proposal(committed, states):
    with mock.patch("django_mcp.audit.record", side_effect=OperationalError), pytest.raises(Unavailable):
        committed.propose()
    assert states() == []


def test_a_write_without_a_token_does_not_begin_without_its_row(committed, flaky, states):
    flaky("before")
    with pytest.raises(Unavailable):
        committed.begin()
    assert states() == []


@pytest.mark.parametrize("fault", ["before", "after"])
def test_one_error_of_the_settlement_is_overcome(committed, flaky, states, events, fault):
    claim = committed.claim(committed.propose()[1])
    flaky(fault)
    committed.settle(claim, CREATED)
    assert states() == ["succeeded"]
    assert events().count("executed") == 1


def test_a_final_event_that_cannot_be_written_leaves_the_result_standing(committed, states, caplog):
    token = committed.propose()[1]
    claim = committed.claim(token)
    with mock.patch("django_mcp.audit.record", side_effect=OperationalError):
        assert committed.settle(claim, CREATED) == CREATED
    assert states() == ["unknown"]
    assert str(claim.jti) in caplog.text
    with pytest.raises(ConfirmationUsed, match="look at the data"):
        committed.find(token)


def test_a_settlement_without_any_database_raises_nothing(committed, flaky, caplog):
    claim = committed.claim(committed.propose()[1])
    flaky(*["before"] * 5)
    assert committed.settle(claim, CREATED) == CREATED
    assert Confirmation.objects.get().state == "executing"
    assert "mcp_cf_secret" not in "".join(record.getMessage() for record in caplog.records)


def test_a_settlement_inside_a_transaction_that_someone_left_open_raises_nothing(committed):
    claim = committed.claim(committed.propose()[1])
    with transaction.atomic():
        assert committed.settle(claim, CREATED) == CREATED
    assert Confirmation.objects.get().state == "executing"


def test_giving_back_inside_a_transaction_that_someone_left_open_raises_nothing(committed):
    claim = committed.claim(committed.propose()[1])
    with transaction.atomic():
        committed.give_back(claim)
    assert Confirmation.objects.get().state == "executing"


def test_a_claim_inside_a_transaction_is_refused_by_the_database_layer(committed, states):
    token = committed.propose()[1]
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        committed.claim(token)
    assert states() == ["issued"]


@pytest.mark.parametrize("fault", ["before", "after"])
def test_one_error_of_giving_back_is_overcome(committed, flaky, states, events, fault):
    token = committed.propose()[1]
    claim = committed.claim(token)
    flaky(fault)
    committed.give_back(claim)
    assert states() == ["issued"]
    assert events().count("given_back") == 1


def test_what_cannot_be_given_back_reads_as_unknown(committed, flaky):
    token = committed.propose()[1]
    claim = committed.claim(token)
    flaky("before", "before")
    committed.give_back(claim)
    with pytest.raises(ConfirmationUsed, match="look at the data"):
        committed.find(token)


def test_an_expiry_that_cannot_be_written_is_one_all_the_same(committed, flaky, states):
    token = committed.propose(lifetime=0)[1]
    flaky("before")
    with pytest.raises(ConfirmationExpired):
        committed.find(token)
    assert states() == ["issued"]


def test_a_stale_connection_is_replaced_when_a_token_is_looked_up(committed, monkeypatch):
    token = committed.propose()[1]
    real, faults = transitions.rows, [OperationalError("server closed the connection")]

    def rows():
        if faults:
            raise faults.pop()
        return real()

    monkeypatch.setattr(transitions, "rows", rows)
    assert committed.find(token)


def test_a_look_up_without_any_database_is_unavailable(committed, monkeypatch):
    token = committed.propose()[1]
    monkeypatch.setattr(transitions, "rows", mock.Mock(side_effect=OperationalError))
    with pytest.raises(Unavailable):
        committed.find(token)


class Replicated:
    """Reads go to a replica that lags behind for ever."""

    def db_for_read(self, model, **_hints):
        return "replica"

    def db_for_write(self, model, **_hints):
        return "default"


def test_only_the_write_database_is_asked(flow, settings):
    settings.DATABASE_ROUTERS = [f"{__name__}.Replicated"]
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    cache.clear()
    with pytest.raises(ConfirmationUsed) as caught:
        flow.find(token)
    assert caught.value.details["outcome"] == CREATED.as_dict()
    assert AuditEvent.objects.using("default").count() == 3


def test_nonces_and_ids_are_not_shared(flow):
    claims = [flow.claim(flow.propose()[1]) for _ in range(3)]
    assert len({claim.nonce for claim in claims}) == len({claim.jti for claim in claims}) == 3
    assert all(isinstance(claim.jti, uuid.UUID) for claim in claims)
