import copy
import pickle
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from django_mcp.access import keys
from django_mcp.choices import EventKind, Safety
from django_mcp.models import APIKey, AuditEvent

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


def test_a_safety_that_cannot_be_read_is_the_narrowest(issued):
    key = issued[0]
    key.highest_safety = "everything"
    assert keys.caller(key, address="", client="").highest_safety is Safety.READ_ONLY


def deletions():
    return list(AuditEvent.objects.filter(kind=EventKind.KEY_DELETED).order_by("id").values_list("key_label", "target"))


def test_the_record_outlives_user_and_key(issued, owner):
    key, _ = issued
    owner.delete()
    assert not APIKey.objects.filter(pk=key.pk).exists()
    assert set(AuditEvent.objects.values_list("key_label", flat=True)) == {str(key)}


def test_each_key_that_goes_with_its_user_is_on_the_record(issued, owner, django_user_model):
    issued_keys = [issued[0], keys.issue(name="desk", user=owner)[0]]
    django_user_model.objects.filter(pk=owner.pk).delete()
    assert deletions() == [(str(key), str(key)) for key in issued_keys]
    assert AuditEvent.objects.filter(kind=EventKind.KEY_DELETED, detail__user="owner").count() == 2


@pytest.mark.parametrize("delete", [lambda key: key.delete(), lambda key: APIKey.objects.filter(pk=key.pk).delete()])
def test_a_key_that_is_deleted_is_on_the_record(issued, delete):
    delete(issued[0])
    assert deletions() == [(str(issued[0]), str(issued[0]))]
    assert not AuditEvent.objects.filter(detail__icontains=issued[1]).exists()


def test_a_deletion_that_is_rolled_back_is_not_on_the_record(issued, owner):
    with transaction.atomic():
        owner.delete()
        transaction.set_rollback(True)
    assert deletions() == []
    assert APIKey.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key.delete(),
        lambda key: key.save(),
        lambda key: key.save(update_fields=["highest_safety"]),
        lambda key: async_to_sync(key.adelete)(),
        lambda key: copy.copy(key).delete(),
        lambda key: pickle.loads(pickle.dumps(key)).save(),
    ],
    ids=["delete", "save", "columns", "adelete", "copy", "pickle"],
)
def test_the_key_that_authenticated_a_request_cannot_be_changed_by_it(issued, change):
    key = keys.authenticate(issued[1])
    key.highest_safety = "Destructive"
    with pytest.raises(PermissionDenied, match="cannot be changed or deleted"):
        change(key)
    assert APIKey.objects.get().highest_safety == "ReadOnly"
