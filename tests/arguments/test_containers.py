import copy
import json

import pytest

from django_mcp.errors import ValidationFailed
from tests.arguments.orders import effective, errors, normalised, one, same


def test_object_sent_as_text_equals_the_object():
    assert effective({"meta": '{"a": "1"}'}) == {"meta": {"a": 1}}


def test_fraction_inside_text_is_kept():
    assert effective({"anything": 1, "items": '[{"product_id": 7.0}]'})["items"][0]["product_id"] == 7
    assert one({"type": "object"}, '{"a": 1.25}') == {"a": 1.25}


def test_list_sent_as_text_is_normalised_inside():
    sent = {"items": '[{"product_id": "7", "quantity": "2"}]'}

    assert effective(sent) == {"items": [{"product_id": 7, "quantity": 2}]}


def test_all_arguments_sent_as_text_equal_the_object():
    assert effective('{"page": "2"}') == {"page": 2}


@pytest.mark.parametrize(
    "text",
    [
        "{a:1",
        '{"a":1,"a":2}',
        '{"a":NaN}',
        '{"a":1e400}',
        '{"a":"\\ud800"}',
        '{"a":' + "[" * 65 + "]" * 65 + "}",
        "{" * 20_000,
        "[" * 20_000,
        "[1]",
    ],
)
def test_text_that_is_no_strict_object_is_refused(text):
    schema = {"type": "object", "properties": {"x": {"type": "object"}}, "required": ["x"]}

    assert list(errors({"x": text}, schema)) == ["x"]


@pytest.mark.parametrize("text", ['"{}"', "open", "5"])
def test_plain_text_is_no_object_and_no_list(text):
    schema = {"type": "object", "properties": {"x": {"type": "object"}, "y": {"type": "array", "items": {}}}}

    assert list(errors({"x": text, "y": text}, schema)) == ["x", "y"]


def test_depth_of_text_counts_from_where_it_stands():
    nested = "[" * 63 + "]" * 63
    loose = {"type": "array", "items": {}}
    wrapped = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": loose}}}}

    assert effective({"x": nested}, {"properties": {"x": loose}})
    assert list(errors({"a": {"b": nested}}, wrapped)) == ["a.b"]


@pytest.mark.parametrize("sent", ["{a", "5", [1], 5, None, True])
def test_arguments_that_are_no_object_are_refused(sent):
    assert list(errors(sent)) == ["args"]


def test_path_of_a_nested_error_is_named():
    sent = {"items": [{"product_id": 1}, {"product_id": "x", "quantity": "y"}], "meta": {"a": "x"}}

    assert list(errors(sent)) == ["items[1].product_id", "items[1].quantity", "meta.a"]


def test_combinator_beside_properties_does_not_hide_them():
    schema = {"properties": {"a": {"type": "integer"}}, "anyOf": [{"required": ["a"]}]}

    assert one(schema, {"a": "1"}) == {"a": 1}


def test_all_harmless_spellings_of_a_call_are_one():
    plain = {"customer_name": "Sam", "paid": True, "price": "10", "items": [{"product_id": 7, "quantity": 2}]}
    spellings = [
        {"items": [{"quantity": "2", "product_id": 7.0}], "price": 10, "paid": "true", "customer_name": "Sam"},
        {**plain, "price": "10.00", "page": None, "ratio": ""},
        {**plain, "items": json.dumps(plain["items"])},
        json.dumps(plain),
    ]

    assert all(same(effective(spelling), plain) for spelling in spellings)


def test_what_was_sent_is_not_changed():
    sent = {"items": [{"product_id": "7"}], "page": None}
    before = copy.deepcopy(sent)
    effective(sent)

    assert sent == before


@pytest.mark.parametrize("schema", [{"properties": {"a": True}}, {"properties": None}, {"properties": {"a": "x"}}])
def test_odd_schema_does_not_crash(schema):
    try:
        normalised({"a": 1}, schema)
    except ValidationFailed as error:
        assert error.details["errors"]
