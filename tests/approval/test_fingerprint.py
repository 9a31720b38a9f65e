"""The fingerprint of a row differs exactly where what it stands for differs."""

import datetime
import uuid
from decimal import Decimal
from unittest import mock

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, connection, transaction
from django.db.models.query import QuerySet
from django.test.utils import CaptureQueriesContext

from django_mcp.approval import fingerprint
from django_mcp.errors import Unavailable
from django_mcp.types import Target


@pytest.fixture
def group(db):
    return Group.objects.create(name="baristas")


def target_of(row, *fields):
    return Target(model=type(row), pk=row.pk, using="default", fields=fields)


def test_no_target_has_no_fingerprint():
    assert fingerprint.fingerprint(None) == ""


def test_an_unchanged_row_keeps_its_fingerprint(group):
    before = fingerprint.fingerprint(target_of(group, "name"))
    group.save()
    assert fingerprint.fingerprint(target_of(group, "name")) == before
    assert len(before) == 64


def test_a_changed_column_changes_the_fingerprint(group):
    before = fingerprint.fingerprint(target_of(group, "name"))
    Group.objects.filter(pk=group.pk).update(name="cashiers")
    assert fingerprint.fingerprint(target_of(group, "name")) != before


def test_a_column_that_was_not_shown_does_not_matter(django_user_model, db):
    user = django_user_model.objects.create(username="sam", first_name="Sam")
    before = fingerprint.fingerprint(target_of(user, "first_name"))
    User.objects.filter(pk=user.pk).update(last_name="Smith")
    assert fingerprint.fingerprint(target_of(user, "first_name")) == before


def test_related_rows_that_would_be_set_are_compared(db):
    user = User.objects.create(username="sam")
    group, other = Group.objects.create(name="a"), Group.objects.create(name="b")
    target = Target(model=User, pk=user.pk, using="default", fields=("username",), relations=("groups",))
    user.groups.set([group])
    before = fingerprint.fingerprint(target)
    user.groups.set([group, other])
    assert fingerprint.fingerprint(target) != before
    user.groups.set([group])
    assert fingerprint.unchanged(before, target)


def test_what_the_host_says_of_the_state_is_compared(group):
    target = target_of(group, "name")
    before = fingerprint.fingerprint(target, {"version": 1})
    assert fingerprint.unchanged(before, target, {"version": 1})
    assert not fingerprint.unchanged(before, target, {"version": 2})
    assert not fingerprint.unchanged(before, target)
    assert fingerprint.fingerprint(None, "v1") != fingerprint.fingerprint(None, "v2")


def test_rows_of_equal_content_differ(db):
    rows = [User.objects.create(username=name, first_name="Sam") for name in ("a", "b")]
    assert len({fingerprint.fingerprint(target_of(row, "first_name")) for row in rows}) == 2


def test_a_row_that_is_gone_has_one_fingerprint_of_its_own(group):
    target = target_of(group, "name")
    before = fingerprint.fingerprint(target)
    group.delete()
    gone = fingerprint.fingerprint(target)
    assert gone not in {before, ""}
    assert gone == fingerprint.fingerprint(Target(model=Group, pk=-1, using="default", fields=("id",)))


def test_a_foreign_key_is_compared_by_its_column(db):
    permission = Permission.objects.first()
    other = Permission.objects.exclude(content_type=permission.content_type_id).first()
    before = fingerprint.fingerprint(target_of(permission, "content_type_id"))
    Permission.objects.filter(pk=permission.pk).update(content_type=other.content_type_id, codename="moved")
    assert fingerprint.fingerprint(target_of(permission, "content_type_id")) != before


def test_a_fingerprint_costs_one_query(group):
    with CaptureQueriesContext(connection) as queries:
        fingerprint.fingerprint(target_of(group, "name"), locked=True)
    assert len(queries) == 1


def test_a_fingerprint_depends_on_the_secret(group, settings):
    before = fingerprint.fingerprint(target_of(group, "name"))
    settings.SECRET_KEY = "y" * 50
    assert fingerprint.fingerprint(target_of(group, "name")) != before


def test_a_fingerprint_survives_the_rotation_of_the_secret(group, settings):
    target = target_of(group, "name")
    before = fingerprint.fingerprint(target)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    assert fingerprint.unchanged(before, target)
    Group.objects.filter(pk=group.pk).update(name="cashiers")
    assert not fingerprint.unchanged(before, target)


@pytest.mark.parametrize("recorded", ["", "ab" * 32])
def test_a_target_that_was_there_only_once_is_a_change(group, recorded):
    assert fingerprint.unchanged(recorded, None) is (recorded == "")
    assert not fingerprint.unchanged(recorded, target_of(group, "name"))


def test_a_database_that_does_not_answer_runs_nothing(group):
    with (
        mock.patch.object(QuerySet, "values_list", side_effect=DatabaseError("secret")),
        pytest.raises(Unavailable) as caught,
    ):
        fingerprint.fingerprint(target_of(group, "name"))
    assert "secret" not in caught.value.text


@pytest.mark.parametrize("inside", [True, False])
def test_the_row_is_locked_only_inside_a_transaction(transactional_db, inside):
    group = Group.objects.create(name="baristas")
    locks = mock.patch.object(QuerySet, "select_for_update", autospec=True, side_effect=lambda rows: rows)
    able = mock.patch.object(connection.features, "has_select_for_update", new=True)
    with locks as lock, able:
        if inside:
            with transaction.atomic():
                fingerprint.fingerprint(target_of(group, "name"), locked=True)
        else:
            fingerprint.fingerprint(target_of(group, "name"), locked=True)
    assert lock.called is inside


UTC = datetime.UTC
ZONE = datetime.timezone(datetime.timedelta(hours=2))
DIFFERENT = [
    None, True, False, 0, 1, 1.0, "1", "", "None", Decimal(1), Decimal("1.00"), b"1", [], ["1"], {}, {"a": 1}, {"a": "1"},
    {1: 1}, {"1": 1}, [["1"]], datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=UTC),
    datetime.time(1), datetime.timedelta(1), uuid.UUID(int=1), str(uuid.UUID(int=1)), {"map": []}, {"list": []},
]  # fmt: skip


def test_values_of_different_type_or_content_differ():
    assert len({fingerprint.fingerprint(None, value) for value in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": [1]}, {"b": [1], "a": 1}),
        (datetime.datetime(2024, 1, 1, 2, tzinfo=ZONE), datetime.datetime(2024, 1, 1, tzinfo=UTC)),
        (b"x", memoryview(b"x")),
        ((1, 2), [1, 2]),
    ],
)
def test_spellings_of_one_value_are_equal(one, other):
    assert fingerprint.fingerprint(None, one) == fingerprint.fingerprint(None, other)
