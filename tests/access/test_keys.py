from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.models import APIKey, AuditEvent
from django_mcp.types import EventKind, Safety

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(django_user_model):
    return django_user_model.objects.create_user("owner")


@pytest.fixture
def issued(owner):
    return keys.issue(name="laptop", user=owner, by={"username": "boss"})


def test_only_a_digest_is_stored(issued):
    key, secret = issued
    row = APIKey.objects.values().get(pk=key.pk)
    assert secret not in str(row)
    assert secret.startswith(row["prefix"])
    assert len(row["prefix"]) <= 8


def test_a_new_key_reaches_nothing(issued):
    caller = keys.caller(issued[0], address="", client="")
    assert caller.groups == frozenset()
    assert caller.highest_safety is Safety.READ_ONLY


def test_a_secret_authenticates_in_one_query(issued, django_assert_num_queries):
    with django_assert_num_queries(1):
        key = keys.authenticate(issued[1])
        assert key.user.username == "owner"


@pytest.mark.parametrize("wrong", ["", "ak-", "ak-nonsense", "\udc80"])
def test_another_secret_does_not(issued, wrong):
    assert keys.authenticate(wrong) is None
    assert keys.authenticate(issued[1].upper()) is None


def test_a_revoked_key_does_not(issued):
    key, secret = issued
    assert keys.revoke(key, by={"username": "boss"})
    assert keys.authenticate(secret) is None
    assert not keys.revoke(key, by={"username": "boss"})


def test_a_key_expires_at_its_very_instant(owner):
    now = timezone.now()
    key, _ = keys.issue(name="k", user=owner, expires_at=now)
    assert not APIKey.objects.usable(now).filter(pk=key.pk).exists()
    assert APIKey.objects.usable(now - timedelta(seconds=1)).filter(pk=key.pk).exists()


def test_the_key_of_an_inactive_user_does_not(issued, owner):
    owner.is_active = False
    owner.save()
    assert keys.authenticate(issued[1]) is None


def test_issue_and_revocation_are_on_the_record_without_the_secret(issued):
    key, secret = issued
    keys.revoke(key, by={"username": "boss"})
    events = AuditEvent.objects.values()
    assert {event["kind"] for event in events} == {EventKind.KEY_ISSUED, EventKind.KEY_REVOKED}
    assert {event["username"] for event in events} == {"boss"}
    assert secret not in str(list(events))


def test_the_last_use_is_written_once_a_minute(issued, django_assert_num_queries):
    secret = issued[1]
    with django_assert_num_queries(50 + 1):
        for _ in range(50):
            keys.used(keys.authenticate(secret))


def test_noting_the_last_use_never_costs_the_call(issued, monkeypatch, caplog):
    def broken(*_args, **_kwargs):
        raise DatabaseError("locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", broken)
    keys.used(issued[0])
    assert "could not be noted" in caplog.text


def test_noting_the_last_use_cannot_undo_a_revocation(issued):
    key, secret = issued
    stale = APIKey.objects.get(pk=key.pk)
    keys.revoke(key)
    keys.used(stale)
    assert keys.authenticate(secret) is None


def test_a_safety_that_cannot_be_read_is_the_narrowest(issued):
    key = issued[0]
    key.highest_safety = "everything"
    assert keys.caller(key, address="", client="").highest_safety is Safety.READ_ONLY


def test_the_record_outlives_user_and_key(issued, owner):
    key, _ = issued
    owner.delete()
    assert not APIKey.objects.filter(pk=key.pk).exists()
    assert AuditEvent.objects.get().key_label == str(key)
