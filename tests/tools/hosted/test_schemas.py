"""The schemas of a tool that a host defines, and the arguments that they take."""

import pytest
from rest_framework import serializers

from django_mcp.choices import Safety
from tests.tools.hosted.conftest import Cup, Member, brew, create

RAW = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "address": {"$ref": "#/$defs/address"},
        "phone": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["region"]}]}],
    "if": {"properties": {"region": {"const": "eu"}}, "required": ["region"]},
    "then": {"required": ["phone"]},
    "additionalProperties": False,
}


def test_a_raw_input_schema_passes_untouched(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input_schema=RAW)
    assert mcp.tools()["brew"]["inputSchema"] == RAW


def test_a_raw_input_schema_that_is_confirmed_gets_the_token_and_nothing_else(offer, mcp):
    offer(brew, safety=Safety.WRITE, input_schema=RAW)
    listed = mcp.tools()["brew"]["inputSchema"]
    assert listed["properties"].pop("confirmationToken")["type"] == "string"
    assert listed == RAW
    assert mcp.tool("brew", {"phone": "1"}).confirm().data == {"brewed": {"phone": "1"}}


@pytest.mark.parametrize(
    ("args", "where"),
    [
        ({}, "args"),
        ({"region": 5}, "region"),
        ({"region": "eu"}, "args"),
        ({"phone": "1", "address": {"city": 1}}, "address.city"),
        ({"phone": "1", "fax": "2"}, "args"),
    ],
)
def test_a_raw_input_schema_is_checked(offer, mcp, args, where):
    offer(brew, safety=Safety.READ_ONLY, input_schema=RAW)
    answer = mcp.tool("brew", args)
    assert answer.code == "validation_error"
    assert set(answer.data["errors"]) == {where}


def test_deep_arguments_of_a_recursive_schema_are_checked(offer, mcp):
    tree = {"type": "object", "properties": {"of": {"$ref": "#"}, "leaf": {"type": "string"}}}
    offer(brew, safety=Safety.READ_ONLY, input_schema=tree)
    args = {"leaf": 1}
    for _ in range(50):
        args = {"of": args}
    assert mcp.tool("brew", args).code == "validation_error"


def test_a_tool_without_input_takes_no_arguments(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    assert mcp.tools()["brew"]["inputSchema"]["properties"] == {}
    assert mcp.tool("brew").data == {"brewed": {}}
    assert mcp.tool("brew", {"size": "small"}).code == "validation_error"


def test_icons_and_meta_are_listed(offer, mcp):
    offer(brew, icons=[{"src": "https://x.example/i.png"}], meta={"x.example/a": 1})
    listed = mcp.tools()["brew"]
    assert (listed["icons"], listed["_meta"]) == ([{"src": "https://x.example/i.png"}], {"x.example/a": 1})


def test_an_argument_called_name_does_not_name_the_tool_in_an_error(offer, mcp):
    offer(create, input=Member)
    answer = mcp.tool("create", {"name": "", "extra": 1})
    assert answer.data["api"] == "create"


def test_what_validation_refuses_names_the_field(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    answer = mcp.tool("brew", {"size": "huge", "count": 0})
    assert answer.code == "validation_error"
    assert set(answer.data["errors"]) == {"size", "count"}
    assert "huge" in answer.error


def test_arguments_are_read_as_they_were_meant(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    assert mcp.tool("brew", {"size": "small", "count": "2"}).data["brewed"]["count"] == 2


def test_serializers_see_the_callers_user(offer, mcp):
    class Mine(serializers.Serializer):
        owner = serializers.HiddenField(default=serializers.CurrentUserDefault())

    offer(lambda caller, data: {"owner": data["owner"].username}, name="mine", safety=Safety.READ_ONLY, input=Mine)
    assert mcp.tool("mine").data == {"owner": "sam"}
