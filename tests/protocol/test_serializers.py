"""The parameters of MCP's methods."""

import pytest

from django_mcp.errors import ProtocolError
from django_mcp.protocol.serializers import CallToolParams, InitializeParams, ListToolsParams, read


def problem(serializer_class, params):
    with pytest.raises(ProtocolError) as caught:
        read(serializer_class, params)
    assert caught.value.code == -32602
    return caught.value.message


@pytest.mark.parametrize("params", [{}, {"protocolVersion": None}, {"protocolVersion": 5}, {"protocolVersion": ["x"]}])
def test_the_handshake_needs_a_version(params):
    assert "protocolVersion: " in problem(InitializeParams, params)


def test_the_handshake_reads_the_version_alone():
    params = {"protocolVersion": "2025-06-18", "capabilities": 3, "clientInfo": "x", "_meta": {}}
    assert read(InitializeParams, params) == {"protocolVersion": "2025-06-18"}


@pytest.mark.parametrize("params", [{}, {"cursor": None}, {"cursor": ""}, {"_meta": {"progressToken": 1}}])
def test_a_list_is_asked_for_without_cursor(params):
    assert not read(ListToolsParams, params).get("cursor")


def test_a_cursor_is_text():
    assert read(ListToolsParams, {"cursor": "abc"}) == {"cursor": "abc"}
    for cursor in (5, {}):
        assert "cursor: " in problem(ListToolsParams, {"cursor": cursor})


@pytest.mark.parametrize("params", [{}, {"name": None}, {"name": 5}, {"name": ["api_call"]}])
def test_a_call_needs_a_name(params):
    assert "name: " in problem(CallToolParams, params)


@pytest.mark.parametrize("arguments", [[1], "x", '{"a":1}', 5, True])
def test_arguments_are_an_object(arguments):
    assert problem(CallToolParams, {"name": "a", "arguments": arguments}) == (
        "Invalid params. arguments: Must be an object."
    )


@pytest.mark.parametrize("params", [{"name": "a"}, {"name": "a", "arguments": None}])
def test_arguments_may_be_left_out(params):
    assert not read(CallToolParams, params).get("arguments")


def test_arguments_come_through_as_they_are():
    arguments = {"a": {"b": [1, None, " x "]}, "": 0, "c\0": "\0"}
    assert read(CallToolParams, {"name": " a ", "arguments": arguments}) == {"name": " a ", "arguments": arguments}
