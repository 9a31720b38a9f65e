import json
from datetime import date
from decimal import Decimal
from enum import Enum

import pytest
from django.utils.translation import gettext_lazy
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from django_mcp.schema.json_schema import NormalForm, one_object
from django_mcp.schema.keywords import plain

COMPONENTS = {
    "Name": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    "Node": {"type": "object", "properties": {"next": {"allOf": [{"$ref": "#/components/schemas/Node"}]}}},
    "Nothing": None,
    "Chain": {
        "type": "object",
        "properties": {"next": {"oneOf": [{"$ref": "#/components/schemas/Chain"}, {"type": "null"}]}},
    },
    "Size": {"type": "string", "enum": ["s", "m"]},
    "Blank": {"enum": [""]},
    "Null": {"enum": [None]},
}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


NAME = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, {}),
        (True, {}),
        (None, {}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "integer", "format": "int64"}, {"type": "integer"}),
        ({"type": "integer", "maximum": 2**63 - 1, "minimum": 0}, {"type": "integer", "minimum": 0}),
        ({"type": "number", "maximum": 5, "exclusiveMaximum": True}, {"type": "number", "exclusiveMaximum": 5}),
        ({"type": "number", "maximum": 5, "exclusiveMaximum": False}, {"type": "number", "maximum": 5}),
        ({"type": "number", "exclusiveMinimum": 5}, {"type": "number", "exclusiveMinimum": 5}),
        ({"type": "number", "minimum": Decimal("0.5"), "maximum": Decimal("NaN")}, {"type": "number", "minimum": 0.5}),
        ({"type": "string", "minimum": date(2020, 1, 1)}, {"type": "string"}),
        (
            {"type": "string", "pattern": "["},
            {"type": "string", "description": "Must match the Python regular expression ["},
        ),
        ({"type": "string", "pattern": "(?i)" + "a" * 200}, {"type": "string"}),
        ({"type": "string", "pattern": None, "default": None}, {"type": "string"}),
        ({"type": "string", "nullable": True, "default": None}, {"type": ["string", "null"], "default": None}),
        ({"type": "string", "default": object()}, {"type": "string"}),
        (
            {"type": "string", "example": 1, "examples": [1], "x-y": 1, "xml": {}, "externalDocs": {}},
            {"type": "string"},
        ),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "array", "minLength": 1}, {"type": "array", "minItems": 1, "items": {}}),
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "object"}, {"type": "object", "properties": {}, "additionalProperties": True}),
        (
            {"properties": {"a": {}}, "nullable": True},
            {"type": ["object", "null"], "properties": {"a": {}}},
        ),
        (ref("Name"), NAME),
        (
            {"allOf": [ref("Name")], "nullable": True, "description": "d"},
            {**NAME, "type": ["object", "null"], "description": "d"},
        ),
        (
            {"allOf": [ref("Name"), {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]},
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        ),
        ({"oneOf": [ref("Size"), ref("Null")]}, {"type": ["string", "null"], "enum": ["s", "m", None]}),
        ({"oneOf": [ref("Size"), ref("Blank")]}, {"type": "string", "enum": ["s", "m", ""]}),
        (
            {"oneOf": [ref("Size"), {"enum": [""]}, {"enum": [None]}]},
            {"type": ["string", "null"], "enum": ["s", "m", "", None]},
        ),
        ({"oneOf": [{}, {"type": "null"}]}, {}),
        ({"oneOf": [{"type": "null"}]}, {}),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        ({"anyOf": [{"type": "string"}, {}]}, {}),
    ],
)
def test_openapi_becomes_plain_json_schema(schema, expected):
    converted = NormalForm(COMPONENTS, "request").convert(schema)
    assert converted == expected


@pytest.mark.parametrize(
    "schema",
    [
        ref("Node"),
        ref("Chain"),
        {"oneOf": [ref("Chain"), {"type": "null"}]},
        {"allOf": [ref("Node"), ref("Nothing")]},
        {"oneOf": [ref("Node"), {"type": "null"}]},
    ],
)
def test_a_recursion_is_cut(schema):
    form = NormalForm(COMPONENTS, "request")
    converted = form.convert(schema)
    assert form.recursive
    assert converted["properties"]["next"]["additionalProperties"] is True


@pytest.mark.parametrize(
    "schema", [ref("Unknown"), {"allOf": [ref("Unknown")]}, {"oneOf": [ref("Unknown"), {"type": "null"}]}]
)
def test_a_reference_to_nothing_is_anything(schema):
    converted = NormalForm(COMPONENTS, "request").convert(schema)
    assert converted.get("additionalProperties", True) is True
    Draft202012Validator.check_schema(converted)


@pytest.mark.parametrize(("direction", "left"), [("request", {"w"}), ("response", {"r"})])
def test_each_direction_has_its_own_fields(direction, left):
    schema = {"properties": {"r": {"readOnly": True}, "w": {"writeOnly": True}}, "required": ["r", "w"]}
    converted = NormalForm({}, direction).convert(schema)
    assert converted["properties"].keys() == left
    assert set(converted["required"]) == left


def test_variants_are_merged_into_one_object():
    one = {
        "type": "object",
        "properties": {"k": {"type": "string", "enum": ["a"]}, "v": {"type": "string"}},
        "required": ["k", "v"],
    }
    other = {
        "type": "object",
        "properties": {"k": {"type": "string", "enum": ["b"]}, "v": {"type": "integer"}},
        "required": ["k"],
        "additionalProperties": True,
    }
    assert one_object({"anyOf": [one, other, {"type": "null"}], "description": "d"}) == {
        "description": "d",
        "type": "object",
        "properties": {
            "k": {"type": "string", "enum": ["a", "b"]},
            "v": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["k"],
        "additionalProperties": True,
    }


def test_variants_without_objects_leave_nothing_to_merge():
    assert one_object({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "d"}) == {"description": "d"}


def test_an_answer_that_may_be_an_object_or_a_list_is_left_open():
    assert one_object({"anyOf": [NAME, {"type": "array", "items": {}}]}, every=True) == {}


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (gettext_lazy("Yes"), "Yes"),
        (Decimal("1.50"), "1.50"),
        (date(2020, 1, 2), "2020-01-02"),
        ({1: {2}}, {"1": [2]}),
        ((None, True, 1.5), [None, True, 1.5]),
    ],
)
def test_values_become_what_json_has(value, expected):
    assert plain(value) == expected


@pytest.mark.parametrize("value", [object(), float("inf"), b"x", [float("nan")]])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        plain(value)


LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", ["string", "null"]]),
        "nullable": st.booleans(),
        "enum": st.lists(st.sampled_from(["", "a", None, 1]), max_size=3),
        "default": st.sampled_from([None, "a", object(), float("nan"), date(2020, 1, 1)]),
        "pattern": st.sampled_from(["^a$", "(?P<a>x)", "["]),
        "format": st.sampled_from(["email", "int64", "binary"]),
        "maximum": st.sampled_from([1, 2**63, Decimal("1.5")]),
        "exclusiveMaximum": st.booleans(),
        "readOnly": st.booleans(),
        "writeOnly": st.booleans(),
        "example": st.just(1),
        "description": st.sampled_from(["", "d", gettext_lazy("Yes")]),
    },
)
SCHEMAS = st.recursive(
    st.one_of(LEAVES, st.sampled_from([*map(ref, COMPONENTS), ref("Unknown")])),
    lambda below: st.one_of(
        st.builds(lambda part, more: {**more, "allOf": part}, st.lists(below, min_size=1, max_size=2), LEAVES),
        st.builds(lambda part, more: {**more, "oneOf": part}, st.lists(below, min_size=1, max_size=3), LEAVES),
        st.builds(lambda part: {"type": "array", "items": part}, below),
        st.builds(
            lambda part, more: {"type": "object", "properties": part, "required": list(part), **more},
            st.dictionaries(st.sampled_from("abc"), below, max_size=3),
            st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": {"type": "string"}}]),
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(SCHEMAS, st.sampled_from(["request", "response"]))
def test_whatever_comes_in_plain_json_schema_comes_out(schema, direction):
    converted = one_object(NormalForm(COMPONENTS, direction).convert(schema))
    text = json.dumps(converted, allow_nan=False)
    Draft202012Validator.check_schema(converted)
    assert not {"anyOf", "oneOf", "allOf"} & converted.keys()
    for gone in ("$ref", "nullable", "readOnly", "writeOnly", '"example', "allOf"):
        assert gone not in text
