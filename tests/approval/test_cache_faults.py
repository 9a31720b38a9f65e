"""The cache fails, or the database has forgotten: nothing runs twice, and nothing is lost in silence."""

import uuid
from datetime import timedelta
from unittest import mock

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import OperationalError
from django.utils import timezone

from django_mcp.approval import cache_lock, transitions
from django_mcp.approval.cache_lock import Lock
from django_mcp.choices import State
from django_mcp.errors import ConfirmationUsed, Unavailable
from django_mcp.models import Confirmation
from tests.approval.conftest import CREATED

WORKING = "django.core.cache.backends.locmem.LocMemCache"


def use_cache(settings, backend):
    """Put another backend in front of the same memory."""
    settings.CACHES = {"default": {"BACKEND": backend}}


def broken(name):
    return f"tests.approval.caches.{name}"


@pytest.fixture(autouse=True)
def memory(settings):
    """Start from the memory that the broken backends stand in front of, whatever cache the suite uses."""
    use_cache(settings, WORKING)


@pytest.mark.parametrize(
    "fault", ["Down", "Ignored", "Unwritable", "LosesReply", "LosesReplyQuietly", "LosesReplyThenDies"]
)
def test_a_cache_that_fails_runs_nothing_and_the_token_still_works(flow, settings, states, events, fault):
    token = flow.propose()[1]
    use_cache(settings, broken(fault))
    for _ in range(2):
        with pytest.raises(Unavailable, match="Nothing was run"):
            flow.claim(token)
        assert states() == ["issued"]
    use_cache(settings, WORKING)
    flow.settle(flow.claim(token), CREATED)
    assert states() == ["succeeded"]
    assert events().count("given_back") == 2


def test_a_cache_alias_that_does_not_exist_runs_nothing(flow, settings, states):
    token = flow.propose()[1]
    settings.DJANGO_MCP = {"CACHE": "nowhere"}
    with pytest.raises(Unavailable):
        flow.claim(token)
    assert states() == ["issued"]


def test_the_configured_cache_is_used(flow, settings):
    settings.CACHES = {"default": {"BACKEND": broken("Down")}, "locks": {"BACKEND": WORKING, "LOCATION": "locks"}}
    settings.DJANGO_MCP = {"CACHE": "locks"}
    claim = flow.claim(flow.propose()[1])
    assert caches["locks"].get(f"django_mcp:confirmation:{claim.jti}")["nonce"] == claim.nonce
    caches["locks"].clear()


def test_a_cache_that_keeps_nothing_leaves_the_database_to_decide(flow, settings):
    use_cache(settings, "django.core.cache.backends.dummy.DummyCache")
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    with pytest.raises(ConfirmationUsed) as caught:
        flow.claim(token)
    assert caught.value.details["outcome"] == CREATED.as_dict()


def test_a_cache_that_fails_does_not_hide_a_replays_outcome(flow, settings):
    token = flow.propose()[1]
    flow.settle(flow.claim(token), CREATED)
    use_cache(settings, broken("Down"))
    with pytest.raises(ConfirmationUsed) as caught:
        flow.find(token)
    assert caught.value.details["outcome"] == CREATED.as_dict()


def test_a_cache_that_fails_does_not_undo_what_was_done(flow, settings, states):
    claim = flow.claim(flow.propose()[1])
    use_cache(settings, broken("Down"))
    assert flow.settle(claim, CREATED) == CREATED
    assert states() == ["succeeded"]


# A database that has forgotten


def forget(row):
    """Put the database back to before the redemption, as a restore or a failover does."""
    Confirmation.objects.filter(jti=row.jti).update(state=State.ISSUED.value, nonce="", outcome=None, channel="")


def test_a_database_that_has_forgotten_does_not_run_it_again(flow, states):
    row, token = flow.propose()
    flow.claim(token)
    forget(row)
    with pytest.raises(ConfirmationUsed, match="look at the data") as caught:
        flow.claim(token)
    assert caught.value.details == {"outcome": {"status": "unknown"}}
    assert states() == ["unknown"]


def test_a_database_that_has_forgotten_is_reminded_of_the_outcome(flow):
    row, token = flow.propose()
    flow.settle(flow.claim(token), CREATED)
    forget(row)
    with pytest.raises(ConfirmationUsed) as caught:
        flow.claim(token)
    assert caught.value.details["outcome"] == CREATED.as_dict()


@pytest.mark.parametrize("fault", ["Down", "Ignored", "LosesReply", "LosesReplyQuietly"])
def test_two_faults_at_once_do_not_run_it_again(flow, settings, states, fault):
    row, token = flow.propose()
    flow.claim(token)
    forget(row)
    use_cache(settings, broken(fault))
    with pytest.raises(Unavailable):
        flow.claim(token)
    use_cache(settings, WORKING)
    with pytest.raises(ConfirmationUsed):
        flow.claim(token)
    assert states() == ["unknown"]


# The lock


def test_a_lock_that_cannot_be_taken_over_runs_nothing(flow, settings):
    row, token = flow.propose()
    use_cache(settings, broken("LosesReplyThenDies"))
    with pytest.raises(Unavailable):
        flow.claim(token)
    use_cache(settings, broken("TakesNothing"))
    with pytest.raises(Unavailable):
        flow.claim(token)
    assert Confirmation.objects.get(jti=row.jti).state == "issued"


@pytest.mark.parametrize("rubbish", ["x", 1, [], {"subject": "key:1"}, {"subject": "key:1", "outcome": "x"}])
def test_rubbish_in_the_cache_is_no_outcome(flow, rubbish):
    row, token = flow.propose()
    cache.set(f"django_mcp:confirmation:{row.jti}", rubbish)
    assert flow.find(token)


def test_a_lock_outlives_its_token(flow):
    backend = caches["default"]
    with mock.patch.object(backend, "add", return_value=True) as add:
        flow.claim(flow.propose(lifetime=300)[1])
    assert 300 < add.call_args.args[2] <= 300 + cache_lock.MARGIN + 1


def test_a_lock_lives_for_a_second_at_least():
    long_ago = timezone.now() - timedelta(days=1)
    backend = caches["default"]
    with mock.patch.object(backend, "add", return_value=True) as add:
        cache_lock.lock(uuid.uuid4(), subject="key:1", nonce="n", expires_at=long_ago, was_given_back=lambda *_: False)
        cache_lock.spend_state("state", timedelta(days=-1))
    assert [call.args[2] for call in add.call_args_list] == [1, 1]


def test_the_caches_own_words_are_not_logged(flow, settings, caplog):
    token = flow.propose()[1]
    use_cache(settings, broken("Down"))
    with pytest.raises(Unavailable):
        flow.claim(token)
    assert "ConnectionError" in caplog.text
    assert "password" not in caplog.text


class RetriesSilently(LocMemCache):
    """A client that sends `add` again after a lost answer: the second time it is told that there is a value."""

    def add(self, *args, **kwargs):
        super().add(*args, **kwargs)
        return False


def test_a_lock_that_was_taken_by_a_repeated_command_is_taken(flow, settings, states):
    token = flow.propose()[1]
    use_cache(settings, f"{__name__}.RetriesSilently")
    flow.settle(flow.claim(token), CREATED)
    assert states() == ["succeeded"]


def test_a_database_that_fails_while_a_lock_is_looked_up_runs_nothing(flow, states):
    row, token = flow.propose()
    flow.claim(token)
    forget(row)
    with mock.patch.object(transitions, "was_given_back", side_effect=OperationalError), pytest.raises(Unavailable):
        flow.claim(token)
    assert states() == ["issued"]


def test_the_state_of_a_question_is_spent_once():
    remaining = timedelta(minutes=1)
    locks = [cache_lock.spend_state(jti, remaining) for jti in ("one", "one", "two")]
    assert locks == [Lock.TAKEN, Lock.HELD, Lock.TAKEN]


@pytest.mark.parametrize(
    "fault", ["Down", "Ignored", "Unwritable", "LosesReply", "LosesReplyQuietly", "LosesReplyThenDies"]
)
def test_a_cache_that_fails_does_not_say_that_a_state_was_spent(settings, fault):
    use_cache(settings, broken(fault))
    assert cache_lock.spend_state(fault, timedelta(minutes=1)) is Lock.SILENT
