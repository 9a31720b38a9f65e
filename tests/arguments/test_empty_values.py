import pytest

from tests.arguments.orders import effective, errors, normalised


@pytest.mark.parametrize("sent", [None, "", "  "])
def test_unset_option_is_dropped(sent):
    assert effective({"page": sent, "price": sent, "meta": sent, "paid": sent}) == {}


def test_null_is_dropped_from_optional_text_and_kept_where_accepted():
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}}

    assert effective({"a": None, "b": None}, schema) == {"b": None}


@pytest.mark.parametrize(("name", "value"), [("page", ""), ("price", " "), ("size", None), ("meta", None)])
def test_unset_option_that_is_dropped_is_named(name, value):
    [warning] = normalised({name: value})[1]

    assert f'"{name}"' in warning


def test_null_for_a_required_field_is_refused():
    assert list(errors({"customer_name": None})) == ["customer_name"]


def test_null_inside_a_list_is_refused():
    assert list(errors({"items": [None]})) == ["items[0]"]


def test_null_that_no_alternative_takes_is_an_unset_option():
    assert effective({"x": None}, {"properties": {"x": {"anyOf": [{"type": "integer"}]}}}) == {}


@pytest.mark.parametrize(
    "sent", [{"page": None}, {"customer_name": None}, {"price": ""}, {"items": [{"product_id": ""}]}]
)
def test_what_is_empty_in_a_partial_update_is_for_the_host_to_judge(sent):
    assert normalised(sent, partial=True) == (sent, ())
