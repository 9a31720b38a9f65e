"""What clients with narrow ideas of JSON Schema are shown, for the whole of the host."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft7Validator, Draft202012Validator

from django_mcp.catalog.discovery import get_catalog
from django_mcp.models import ToolGroup
from django_mcp.schema.operations import schema_for

pytestmark = pytest.mark.django_db

# What every client and model provider is known to take.
COMMON = {
    "type", "properties", "required", "description", "items", "enum", "additionalProperties", "default", "title",
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
}  # fmt: skip
ROOT_COMBINATORS = {"anyOf", "oneOf", "allOf", "not", "if", "enum", "const"}
NAMED = {"properties", "patternProperties"}


def keywords(schema):
    """Yield the keywords of a schema at any depth, with the value of each."""
    if isinstance(schema, list):
        for item in schema:
            yield from keywords(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            yield key, value
            if key in NAMED:
                for inner in value.values():
                    yield from keywords(inner)
            elif key not in {"enum", "default", "required", "examples", "const"}:
                yield from keywords(value)


def check_root(schema):
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert not ROOT_COMBINATORS & set(schema)
    Draft202012Validator.check_schema(schema)
    Draft7Validator.check_schema(schema)


def check_anywhere(schema):
    for key, value in keywords(schema):
        assert key not in {"$ref", "$defs", "definitions", "nullable", "readOnly", "writeOnly", "discriminator"}
        assert not key.startswith("x-")
        if key == "pattern":
            assert not re.search(r"\(\?|\\Z|\\A", value)


@pytest.fixture(params=["api_tools", "one_tool_each"])
def listed(alice, request):
    ToolGroup.objects.update(publish_as=request.param)
    return alice.tools()


def test_every_tool_that_is_listed_is_plain(listed):
    for name, tool in listed.items():
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
        check_root(tool["inputSchema"])
        check_anywhere(tool["inputSchema"])
        Draft202012Validator.check_schema(tool["outputSchema"])
        assert tool["outputSchema"]["type"] == "object"


def test_tools_are_listed_in_common_words_only(listed):
    for tool in listed.values():
        for key, value in keywords(tool["inputSchema"]):
            assert key in COMMON, (tool["name"], key)
            if key == "enum":
                assert all(isinstance(item, str) for item in value), tool["name"]
            if key == "type":
                assert isinstance(value, str), tool["name"]


def test_the_api_tools_have_short_names_and_little_to_read(alice):
    tools = alice.tools()
    assert max(map(len, tools)) <= 40
    assert sum(len(str(tool)) for tool in tools.values()) < 8 * 1024


@pytest.mark.parametrize("language", ["en", "cs"])
def test_every_operation_is_described_plainly_in_every_language(alice, language):
    alice.headers["Accept-Language"] = language
    described = 0
    for operation in get_catalog().operations:
        api = alice.describe(operation.name)
        if "error" in api:
            continue
        described += 1
        check_root(api["inputSchema"])
        check_anywhere(api["inputSchema"])
        if api["outputSchema"] is not None:
            Draft202012Validator.check_schema(api["outputSchema"])
            check_anywhere(api["outputSchema"])
    assert described > 100


def test_names_are_unique_whatever_the_case():
    names = [operation.name.casefold() for operation in get_catalog("tests.host.urls").operations]
    assert len(names) == len(set(names)) > 100


def test_describing_any_operation_of_the_host_asks_no_database(people):
    with CaptureQueriesContext(connection) as queries:
        schemas = [schema_for(operation) for operation in get_catalog().operations]
    assert len(schemas) > 100
    assert not queries.captured_queries


def test_one_serializer_without_end_degrades_alone(alice):
    assert alice.describe("ticket_tree_retrieve")["inputSchema"]["required"] == ["id"]
    assert alice.describe("project_ticket_create")["inputSchema"]["properties"]["title"]["type"] == "string"


def test_input_and_output_have_their_own_fields(alice):
    api = alice.describe("all_sorts_post")
    sent, given = api["inputSchema"]["properties"], str(api["outputSchema"])
    assert {"pin"} <= set(sent)
    assert not {"stamp", "who"} & set(sent)
    assert "'pin'" not in given
    assert api["inputSchema"]["required"] == ["name"]
    assert sent["size"]["enum"] == ["s", "l", "xl"]
    assert "Extra large" in str(sent["size"])


def test_a_partial_update_needs_its_path_only(alice):
    assert alice.describe("project_ticket_partial_update")["inputSchema"]["required"] == ["project_slug", "id"]


def test_a_view_without_a_serializer_is_described_by_its_words(alice):
    api = alice.describe("note_put")
    assert "One note" in api["description"]
    assert api["inputSchema"]["additionalProperties"] is True
    assert api["inputSchema"]["required"] == ["number"]


def test_texts_are_in_the_language_of_the_caller(alice):
    texts = {}
    for language in ("en", "cs"):
        alice.headers["Accept-Language"] = language
        texts[language] = str(alice.describe("all_sorts_post")["inputSchema"]["properties"]["size"])
    assert ("Yes" in texts["en"], "Ano" in texts["cs"]) == (True, True)
