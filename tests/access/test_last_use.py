"""The time of a key's last use: seldom written, never waited for."""

import os
import time
from threading import Event, Thread

import pytest
from django.db import DatabaseError, InterfaceError, connections, transaction
from django.utils import timezone

from django_mcp.access import keys, last_use
from django_mcp.models import APIKey
from tests.approval.test_races import configured
from tests.e2e.databases import fresh

ALIAS = "uses"
DATABASES = [
    pytest.param("sqlite:///uses", id="sqlite"),
    # Without a service there is still one case of each, for the closing lines to name.
    *(
        pytest.param(url, id=url.partition(":")[0], marks=pytest.mark.service("databases"))
        for url in os.environ.get("TEST_DATABASE_URLS", "postgres: mysql:").split()
    ),
]


class UsesRouter:
    """Keys live in the database under test."""

    def db_for_read(self, model, **_hints):
        return ALIAS if model is APIKey else None

    db_for_write = db_for_read


@pytest.fixture
def secret(db, django_user_model):
    return keys.issue(name="laptop", user=django_user_model.objects.create_user("owner"))[1]


def test_it_is_written_once_a_minute(secret, django_assert_num_queries):
    last_use.note(keys.authenticate(secret))
    with django_assert_num_queries(50):
        for _ in range(50):
            last_use.note(keys.authenticate(secret))
    APIKey.objects.update(last_used_at=timezone.now() - last_use.RESOLUTION)
    last_use.note(keys.authenticate(secret))
    assert timezone.now() - APIKey.objects.get().last_used_at < last_use.RESOLUTION


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_database_that_fails_does_not_cost_the_call(secret, monkeypatch, caplog, error):
    def broken(*_args, **_kwargs):
        raise error("broken")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", broken)
    last_use.note(keys.authenticate(secret))
    assert "could not be noted" in caplog.text
    # The connection can be used on.
    assert APIKey.objects.get().last_used_at is None


def test_it_cannot_undo_a_revocation(secret):
    stale = APIKey.objects.get()
    keys.revoke(stale)
    last_use.note(stale)
    assert keys.authenticate(secret) is None


@pytest.fixture(params=DATABASES)
def key(request, tmp_path, settings, monkeypatch, django_db_blocker):
    """A key in a database of its own."""
    with fresh(request.param, tmp_path) as own, django_db_blocker.unblock():
        connections.settings[ALIAS] = configured(own, None)
        settings.DATABASE_ROUTERS = [f"{__name__}.UsesRouter"]
        # The table of users stays where it is.
        monkeypatch.setattr(APIKey._meta.get_field("user"), "db_constraint", False)
        try:
            with connections[ALIAS].schema_editor() as editor:
                editor.create_model(APIKey)
            yield APIKey.objects.create(name="laptop", user_id=1, prefix="ak-", digest="d")
        finally:
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]


def test_it_does_not_wait_for_who_has_locked_the_key(key):
    locked, done = Event(), Event()

    def hold():
        with transaction.atomic(using=ALIAS):
            APIKey.objects.filter(pk=key.pk).update(name="renamed")
            locked.set()
            done.wait(10)
        connections[ALIAS].close()

    holder = Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(10)
        started = time.monotonic()
        last_use.note(key)
        assert time.monotonic() - started < 2
        assert holder.is_alive()
    finally:
        done.set()
        holder.join()
    key.refresh_from_db()
    assert key.last_used_at is None
    last_use.note(key)
    key.refresh_from_db()
    assert key.last_used_at is not None


@pytest.mark.parametrize("key", ["sqlite:///uses"], indirect=True)
def test_other_writes_of_the_connection_wait_as_before(key):
    last_use.note(key)
    assert connections[ALIAS].connection.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
