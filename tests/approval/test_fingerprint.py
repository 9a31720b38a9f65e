"""The fingerprint of a row differs exactly where what it stands for differs."""

import datetime
import uuid
from decimal import Decimal
from unittest import mock

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, connection, models, transaction
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


def taken(target, values=None, state=None):
    return fingerprint.fingerprint(target, values or {}, state)


def changed(recorded, target, values=None, state=None, **how):
    return fingerprint.differences(recorded, target, values, state, **how)


def test_nothing_to_compare_has_no_fingerprint():
    assert taken(None) == {}
    assert changed({}, None) == []


def test_an_unchanged_row_keeps_its_fingerprint(group):
    before = taken(target_of(group, "name"))
    group.save()
    assert changed(before, target_of(group, "name")) == []


def test_a_changed_column_is_named(group):
    before = taken(target_of(group, "name"))
    Group.objects.filter(pk=group.pk).update(name="cashiers")
    assert changed(before, target_of(group, "name")) == ["name"]


def test_a_column_that_was_not_shown_does_not_matter(django_user_model, db):
    user = django_user_model.objects.create(username="sam", first_name="Sam")
    before = taken(target_of(user, "first_name"))
    User.objects.filter(pk=user.pk).update(last_name="Smith")
    assert changed(before, target_of(user, "first_name")) == []


def test_a_value_that_was_shown_is_compared_where_it_is_read_again(group):
    target = target_of(group, "name")
    before = taken(target, {"members": 2, "label": "a"})
    assert changed(before, target, {"members": 3, "label": "a"}) == ["members"]
    assert changed(before, target, {"label": "a"}) == ["members"]
    assert changed(before, target, None) == []


def test_related_rows_that_would_be_set_are_compared(db):
    user = User.objects.create(username="sam")
    group, other = Group.objects.create(name="a"), Group.objects.create(name="b")
    target = Target(model=User, pk=user.pk, using="default", fields=("username",), relations=("groups",))
    user.groups.set([group])
    before = taken(target)
    user.groups.set([group, other])
    assert changed(before, target) == ["groups"]
    user.groups.set([group])
    assert changed(before, target) == []


def test_what_the_host_says_of_the_state_is_compared(group):
    target = target_of(group, "name")
    before = taken(target, state={"version": 1})
    assert changed(before, target, state={"version": 1}) == []
    assert changed(before, target, state={"version": 2}) == ["state"]
    assert changed(before, target) == ["state"]
    assert changed(taken(None, state="v1"), None, state="v2") == ["state"]


def test_a_fingerprint_tells_nothing_of_equal_rows(db):
    rows = [User.objects.create(username=name, first_name="Sam") for name in ("a", "b")]
    digests = [taken(target_of(row, "first_name"))["columns"]["first_name"] for row in rows]
    assert digests[0] != digests[1]


def test_a_row_that_is_gone_is_a_difference(group):
    target = target_of(group, "name")
    before = taken(target)
    Group.objects.all().delete()
    assert "row" in changed(before, target)
    gone = taken(target)
    assert changed(gone, target) == []


def test_a_foreign_key_is_compared_by_its_column(db):
    permission = Permission.objects.first()
    other = Permission.objects.exclude(content_type=permission.content_type_id).first()
    before = taken(target_of(permission, "content_type_id"))
    Permission.objects.filter(pk=permission.pk).update(content_type=other.content_type_id, codename="moved")
    assert changed(before, target_of(permission, "content_type_id")) == ["content_type_id"]


def test_a_fingerprint_costs_one_query(group):
    before = taken(target_of(group, "name"))
    with CaptureQueriesContext(connection) as queries:
        changed(before, target_of(group, "name"), locked=True)
    assert len(queries) == 1


def test_a_fingerprint_depends_on_the_secret(group, settings):
    before = taken(target_of(group, "name"))
    settings.SECRET_KEY = "y" * 50
    assert changed(before, target_of(group, "name")) == ["row", "name"]


def test_a_fingerprint_survives_the_rotation_of_the_secret(group, settings):
    target = target_of(group, "name")
    before = taken(target)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    assert changed(before, target) == []
    Group.objects.filter(pk=group.pk).update(name="cashiers")
    assert changed(before, target) == ["name"]


def test_a_target_that_was_there_only_once_is_a_change(group):
    assert changed({}, target_of(group, "name")) == ["row", "name"]
    assert changed(taken(target_of(group, "name")), None) == ["row", "name"]


class Opaque:
    """Values whose repr() is an address, and ones whose repr() never changes."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


class Constant(Opaque):
    def __repr__(self):
        return "<constant>"


class OpaqueField(models.CharField):
    kind = Opaque

    def from_db_value(self, value, expression, connection):
        return self.kind(value)

    def get_prep_value(self, value):
        return str(value)


class ConstantField(OpaqueField):
    kind = Constant


@pytest.mark.parametrize("kind", [OpaqueField, ConstantField])
def test_columns_are_compared_as_the_database_holds_them(group, monkeypatch, kind):
    field = kind(max_length=150)
    field.set_attributes_from_name("name")
    field.model, original = Group, Group._meta.get_field("name")
    monkeypatch.setattr(original, "from_db_value", field.from_db_value, raising=False)
    monkeypatch.setattr(original, "get_prep_value", field.get_prep_value)
    original.__dict__.pop("cached_col", None)
    target = target_of(group, "name")
    before = taken(target)
    assert changed(before, target) == []
    with connection.cursor() as cursor:
        cursor.execute("UPDATE auth_group SET name = 'cashiers'")
    assert changed(before, target) == ["name"]


def test_a_database_that_does_not_answer_runs_nothing(group):
    with (
        mock.patch.object(QuerySet, "only", side_effect=DatabaseError("secret")),
        pytest.raises(Unavailable) as caught,
    ):
        taken(target_of(group, "name"))
    assert "secret" not in caught.value.text


@pytest.mark.parametrize("inside", [True, False])
def test_the_row_is_locked_only_inside_a_transaction(transactional_db, inside):
    group = Group.objects.create(name="baristas")
    before = taken(target_of(group, "name"))
    locks = mock.patch.object(QuerySet, "select_for_update", autospec=True, side_effect=lambda rows: rows)
    able = mock.patch.object(connection.features, "has_select_for_update", new=True)
    with locks as lock, able:
        if inside:
            with transaction.atomic():
                changed(before, target_of(group, "name"), locked=True)
        else:
            changed(before, target_of(group, "name"), locked=True)
    assert lock.called is inside


UTC = datetime.UTC
ZONE = datetime.timezone(datetime.timedelta(hours=2))
DIFFERENT = [
    None, True, False, 0, 1, 1.0, "1", "", "None", Decimal(1), Decimal("1.00"), b"1", [], ["1"], {}, {"a": 1}, {"a": "1"},
    {1: 1}, {"1": 1}, [["1"]], datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=UTC),
    datetime.time(1), datetime.timedelta(1), uuid.UUID(int=1), str(uuid.UUID(int=1)), {"map": []}, {"list": []},
]  # fmt: skip


def test_values_of_different_type_or_content_differ():
    for one in DIFFERENT:
        before = taken(None, {"a": one})
        assert [other for other in DIFFERENT if changed(before, None, {"a": other}) == []] == [one]


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
    assert changed(taken(None, {"a": one}), None, {"a": other}) == []
