"""What models send, and what arrives at the host's own serializers."""

import pytest

from tests.host.models import Item, Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def understood(attempt):
    """Return a function that sends fields to the view with fields of all sorts, and returns what it understood."""
    return lambda **args: attempt("all_sorts_post", **{"name": "Ann", **args}).response


@pytest.mark.parametrize("value", [[1], "x", 5, None, {"a": [None]}, True, "[1]", '{"a": 1}', " 5 ", 2.5, ""])
def test_a_field_of_any_json_takes_it_as_it_is(understood, value):
    assert understood(anything=value)["anything"] == value


@pytest.mark.parametrize(
    ("name", "sent", "meant"),
    [
        ("count", " 5 ", 5),
        ("count", "5", 5),
        ("count", 5.0, 5),
        ("agreed", "true", True),
        ("ratio", "1.5", 1.5),
        ("numbers", "[1, 2]", [1, 2]),
        ("numbers", ["1", 2], [1, 2]),
        ("scores", {"a": "1"}, {"a": 1}),
        ("address", '{"street": "S"}', {"street": "S"}),
        ("price", 10, 10),
        ("price", "10.5", 10.5),
        ("price", "10.00", 10),
        ("note", " 5 ", " 5 "),
        ("level", "2", 2),
    ],
)
def test_a_value_becomes_what_was_meant(understood, name, sent, meant):
    assert understood(**{name: sent})[name] == meant


@pytest.mark.parametrize("name", ["level", "size", "on", "mail", "address", "numbers"])
def test_null_for_an_unset_option_counts_as_left_out(understood, name):
    assert name not in understood(**{name: None})


@pytest.mark.parametrize("name", ["ratio", "unsure", "anything"])
def test_null_arrives_where_it_is_a_value(understood, name):
    assert understood(**{name: None})[name] is None


@pytest.mark.parametrize("sent", ["NaN", "1e400", "Infinity", "abc", "12345678.00"])
def test_a_decimal_that_is_none_is_refused(attempt, sent):
    refused = attempt("all_sorts_post", name="Ann", price=sent)
    assert refused.code == "validation_error"
    assert "price" in refused.error


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"scores": {"a": "x"}}, "scores.a"),
        ({"numbers": [1, "5x"]}, "numbers[1]"),
        ({"others": [{"street": "S"}, {"street": "S", "number": "x"}]}, "others[1].number"),
        ({"count": "5x"}, "count"),
    ],
)
def test_an_error_names_the_place(alice, sent, path):
    refused = alice.call("all_sorts_post", {"name": "Ann", **sent})
    assert refused.code == "validation_error"
    assert f"{path}:" in refused.error


@pytest.mark.parametrize("code", ["x", "A1", "1"])
def test_a_pattern_that_is_not_shown_still_counts(alice, attempt, code):
    assert "pattern" not in alice.describe("all_sorts_post")["inputSchema"]["properties"]["code"]
    assert attempt("all_sorts_post", name="Ann", code=code).code == "validation_error"


def test_arguments_that_are_no_object_are_refused_without_inviting_more_quotes(alice):
    refused = alice.tool("api_call", {"name": "all_sorts_post", "args": '{name: "Ann"'})
    assert refused.code == "validation_error"
    assert "object" in refused.error
    assert '\\"' not in refused.error


def test_a_misspelt_field_is_refused_with_the_right_one_before_anything_is_written(alice):
    before = Ticket.objects.get(pk=1)
    refused = alice.call("project_ticket_partial_update", {"project_slug": "apollo", "id": 1, "tytle": "New"})
    assert 'Did you mean "title"?' in refused.error
    assert Ticket.objects.get(pk=1).title == before.title


def test_a_field_that_is_read_only_is_said_to_be_ignored(alice):
    proposal = alice.call("scan_create", {"title": "T", "size": 5})
    assert any("size" in warning for warning in proposal.data["warnings"])
    assert proposal.confirm().response["size"] == 0


def test_a_misspelt_option_of_a_list_is_refused(alice):
    refused = alice.read("project_ticket_list", project_slug="apollo", serch="x")
    assert 'Did you mean "search"?' in refused.error


def test_what_a_partial_update_does_not_name_stays(attempt):
    Item.objects.filter(pk=1).update(active=False, views=7)
    attempt("item_partial_update", id=1, name="renamed")
    item = Item.objects.get(pk=1)
    assert (item.name, item.active, item.views) == ("renamed", False, 7)


def test_text_with_a_nul_is_refused_wherever_it_is(alice):
    calls = {
        "item_create": {"name": "a\0b"},
        "person_retrieve": {"email": "x\0"},
        "item_retrieve": {"id": "1\0"},
        "project_retrieve": {"slug": "apollo\0"},
        "finding": {"part": "\0"},
    }
    codes = {name: alice.call(name, args).code for name, args in calls.items()}
    assert codes["item_create"] == "validation_error"
    assert "internal_error" not in codes.values()
    searched = alice.read("project_ticket_list", project_slug="apollo", search="a\0")
    assert searched.code != "internal_error"


def test_long_integers_leave_and_come_back_as_text(alice, attempt):
    [big] = [row["number"] for row in alice.read("account_list").response if row["label"] == "big"]
    assert big == "725653563933458432"
    assert alice.read("account_retrieve", number=big).response["label"] == "big"
    made = attempt("account_create", number="725653563933458499", label="new", master=big)
    assert (made.response["number"], made.response["master"]) == ("725653563933458499", big)
    renamed = attempt("account_partial_update", path_number=big, label="bigger")
    assert renamed.response == {"number": big, "label": "bigger", "master": None}


def test_the_hosts_serializer_is_the_one_for_this_user(alice, people):
    assert set(alice.read("own_serializer").response[0]) == {"id", "name"}
    people["alice"].is_staff = True
    people["alice"].save()
    assert set(alice.read("own_serializer").response[0]) == {"id", "name", "views", "owner"}
