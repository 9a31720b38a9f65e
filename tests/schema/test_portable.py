import json

import pytest
from jsonschema import Draft202012Validator

from django_mcp.schema.portable import KEYWORDS, portable


def root(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


def field(schema, **options):
    return portable(root(field=schema), **options)["properties"]["field"]


def keywords(schema):
    """Yield every keyword of a schema, at any depth; the names of properties are none."""
    yield from schema
    for child in schema.get("properties", {}).values():
        yield from keywords(child)
    if "items" in schema:
        yield from keywords(schema["items"])


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"type": ["string", "null"]}, {"type": "string", "description": "May be null."}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "description": "May be null."}),
        ({"type": "integer", "minimum": 1, "maximum": 9}, {"type": "integer", "description": "At least 1. At most 9."}),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.5},
            {"type": "number", "description": "More than 0. Less than 1. A multiple of 0.5."},
        ),
        (
            {"type": "string", "format": "date", "description": "When."},
            {"type": "string", "description": "When. A date, YYYY-MM-DD."},
        ),
        ({"type": "string", "format": "uuid"}, {"type": "string", "description": "Format: uuid."}),
        (
            {"type": "string", "pattern": "^a+$", "minLength": 1, "maxLength": 5},
            {
                "type": "string",
                "description": "Matches the regular expression ^a+$ Not empty. At most 5 characters.",
            },
        ),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of 1, 2."}),
        (
            {"type": ["string", "null"], "enum": ["a", "", None]},
            {"type": "string", "enum": ["a"], "description": "May be empty. May be null."},
        ),
        ({"type": "string", "const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "const": 5}, {"type": "integer", "description": "Always 5."}),
        ({"type": "integer", "default": 25}, {"type": "integer", "description": "25 if left out."}),
        (
            {"type": ["string", "number", "null"], "format": "decimal", "description": "Decimal number."},
            {"type": "string", "description": "Decimal number. Either text or a number. May be null."},
        ),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        ({"title": "Size"}, {"description": "Size"}),
        ({}, {}),
        (
            {"type": "object", "properties": {}, "additionalProperties": True},
            {"type": "object", "properties": {}, "description": "Any fields."},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {
                "type": "object",
                "properties": {},
                "description": "Further fields may have any name; each is a whole number.",
            },
        ),
        (
            {"type": "object", "properties": {}, "patternProperties": {"^x-": {}}},
            {"type": "object", "properties": {}, "description": "Further fields match ^x-"},
        ),
        (
            {"type": "array", "items": {"type": "integer", "minimum": 1}, "uniqueItems": True},
            {
                "type": "array",
                "items": {"type": "integer", "description": "At least 1."},
                "description": "No item twice.",
            },
        ),
        ({"type": "array"}, {"type": "array", "items": {}}),
    ],
)
def test_other_keywords_become_sentences(schema, expected):
    assert field(schema) == expected


def test_variants_that_are_objects_become_one():
    cash = {"type": "object", "properties": {"kind": {"type": "string", "enum": ["cash"]}}, "required": ["kind"]}
    card = {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["card"]}, "number": {"type": "string"}},
        "required": ["kind", "number"],
    }
    assert field({"anyOf": [cash, card]}) == {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["cash", "card"]}, "number": {"type": "string"}},
        "required": ["kind"],
    }


def test_variants_that_are_single_values_become_one():
    assert field({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]}) == {
        "type": "string",
        "enum": ["a", "b"],
    }
    assert field({"oneOf": [{"type": "integer"}, {"type": "string"}]}) == {
        "type": "string",
        "description": "One of: a whole number; text. Either a whole number or text.",
    }


def test_variants_that_do_not_fit_together_become_a_sentence():
    converted = field({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"id": {}, "name": {}}}]})
    assert converted == {"description": "One of: text; an object with id, name."}


def test_properties_may_be_called_like_keywords():
    names = {name: {"type": "string"} for name in ("const", "format", "type", "anyOf", "$ref", "enum", "default")}
    assert portable(root(**names))["properties"] == names


def test_the_root_is_an_object_with_properties():
    assert portable({}) == {"type": "object", "properties": {}}
    assert portable({"anyOf": [{"type": "string"}, {"type": "integer"}]})["type"] == "object"
    assert "anyOf" not in portable({"anyOf": [{"type": "string"}, {"type": "integer"}]})


def test_what_is_given_stays_as_it_was():
    schema = root(size={"type": ["string", "null"], "format": "date", "description": "When."})
    before = json.dumps(schema)
    portable(schema)
    assert json.dumps(schema) == before


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": ["string", "null"]}, None),
        ({"type": ["string", "null"], "enum": ["a", None]}, None),
        ({"type": "string", "enum": ["a", ""]}, ""),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({"type": ["string", "number"]}, 5),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer"}]}, 5),
        ({"anyOf": [{"type": "array"}, {"type": "integer"}]}, [1]),
        ({"type": ["object", "null"], "properties": {"a": {"type": "integer"}}}, None),
        ({"type": ["array", "null"], "items": {"type": "integer"}}, None),
    ],
)
def test_an_answer_that_fits_the_full_schema_fits_what_is_listed(schema, value):
    full = root(field=schema)
    assert Draft202012Validator(full).is_valid({"field": value})
    assert Draft202012Validator(portable(full, answers=True)).is_valid({"field": value})


def test_no_keyword_is_left_that_some_client_refuses(host_schemas):
    for name, schema in host_schemas:
        for answers in (False, True):
            assert set(keywords(portable(schema, answers=answers))) <= KEYWORDS, name


@pytest.fixture
def host_schemas():
    from django_mcp.catalog.discovery import get_catalog
    from django_mcp.schema.operations import schema_for

    schemas = []
    for urlconf in ("tests.urls", "tests.execution.urls"):
        for operation in get_catalog(urlconf).operations:
            schema = schema_for(operation)
            schemas += [(operation.name, side) for side in (schema.input, schema.output) if side is not None]
    return schemas
