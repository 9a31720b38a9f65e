"""MCP's methods over HTTP, in the handshake revisions."""

import json
import os
from pathlib import Path

import jsonschema
import pytest

from django_mcp import dispatch
from django_mcp.access import server_config
from django_mcp.errors import ProtocolError
from django_mcp.models import ServerSettings
from django_mcp.protocol.revisions import HANDSHAKE
from django_mcp.tools.answers import ToolResult
from django_mcp.tools.registry import Page

LISTED = {
    "name": "api_read",
    "title": "Read",
    "description": "Čte.",
    "inputSchema": {"type": "object", "properties": {}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}


@pytest.fixture
def tools(monkeypatch):
    """One tool that answers, and a record of how it was called."""
    calls = []

    def find(name, reach):
        if name != "api_read":
            raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {name}")
        return name

    def call_tool(tool, arguments, reach):
        calls.append((arguments, reach.context.caller.subject, reach.server))
        return ToolResult(structured={"status": "success", "api": "ü"})

    monkeypatch.setattr(dispatch, "call_tool", call_tool)
    monkeypatch.setattr(dispatch.registry, "find", find)
    monkeypatch.setattr(dispatch.registry, "listed", lambda reach, *, after="": Page(tools=[LISTED]))
    return calls


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_the_handshake_echoes_a_spoken_revision(ask, revision):
    result = ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c"}})["result"]
    assert result["protocolVersion"] == revision
    assert result["capabilities"] == {"tools": {}}
    assert ("title" in result["serverInfo"]) is (revision >= "2025-06-18")
    assert result["instructions"].startswith("Use API Tools")


@pytest.mark.parametrize("asked", ["2099-01-01", "", "x" * 1000])
def test_the_handshake_answers_any_other_revision_with_the_newest(ask, asked):
    assert ask("initialize", {"protocolVersion": asked})["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": None}, {"protocolVersion": 1}])
def test_the_handshake_without_a_revision_is_wrong(ask, params):
    assert ask("initialize", params)["error"]["code"] == -32602


def test_the_handshake_tells_what_the_admin_set(ask, settings):
    settings.DJANGO_MCP = {"SERVER_VERSION": "7.1"}
    row = ServerSettings.load()
    row.server_name, row.instructions = "Café", "Be kind."
    row.save()
    result = ask("initialize", {"protocolVersion": "2025-06-18"})["result"]
    assert result["serverInfo"] == {"name": "Café", "title": "Café", "version": "7.1"}
    assert result["instructions"] == "Be kind."


@pytest.mark.parametrize("members", [{}, {"params": {}}, {"params": None}, {"params": {"_meta": {"progressToken": 1}}}])
def test_ping_is_an_empty_result(post, members):
    assert post({"jsonrpc": "2.0", "id": 1, "method": "ping", **members}).json()["result"] == {}


@pytest.mark.parametrize("request_id", ["1", "007", 0, -5, "ü", "", 2**60])
def test_ids_come_back_as_they_were(post, request_id):
    good = post({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    bad = post({"jsonrpc": "2.0", "id": request_id, "method": "nope"})
    wrong = post({"jsonrpc": "2.0", "id": request_id, "method": "tools/call"})
    for response in (good, bad, wrong):
        assert json.dumps(response.json()["id"]) == json.dumps(request_id)


@pytest.mark.parametrize(
    "message",
    [
        {"method": "notifications/initialized"},
        {"method": "notifications/cancelled", "params": {"requestId": 1}},
        {"method": "notifications/whatever"},
        {"method": "tools/call", "params": {"name": "api_read"}},
        {"id": 1, "result": {}},
        {"id": 1, "error": {"code": 1, "message": "x"}},
    ],
)
def test_what_asks_for_no_answer_is_accepted_without_a_byte_and_not_acted_on(post, tools, message):
    response = post({"jsonrpc": "2.0", **message})
    assert (response.status_code, response.content, response["Content-Length"]) == (202, b"", "0")
    assert "Content-Type" not in response
    assert response["Cache-Control"] == "no-store"
    assert tools == []


@pytest.mark.parametrize(
    "method", ["nope", "completion/complete", "notifications/initialized", "tools", "x" * 5000, "server/discover"]
)
def test_unknown_methods_are_errors(ask, method):
    error = ask(method)["error"]
    assert error["code"] == -32601
    assert len(error["message"]) < 300


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("prompts/list", {"prompts": []}),
        ("resources/list", {"resources": []}),
        ("resources/templates/list", {"resourceTemplates": []}),
        ("logging/setLevel", {}),
    ],
)
def test_what_a_tools_server_lacks_is_empty(ask, method, result):
    assert ask(method, {"level": "info"})["result"] == result


@pytest.mark.parametrize("params", [None, {}, {"cursor": None}, {"cursor": ""}])
def test_tools_are_one_page(ask, tools, params):
    assert ask("tools/list", params, MCP_Protocol_Version="2025-11-25")["result"] == {"tools": [LISTED]}


def test_an_unknown_cursor_is_wrong(ask, tools):
    assert ask("tools/list", {"cursor": "abc"})["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("revision", "fields"),
    [
        ("2024-11-05", {"name", "description", "inputSchema"}),
        ("2025-03-26", {"name", "description", "inputSchema", "annotations"}),
        ("2025-06-18", set(LISTED)),
        ("2025-11-25", set(LISTED)),
    ],
)
def test_tools_have_the_fields_of_the_revision(ask, tools, revision, fields):
    (tool,) = ask("tools/list", MCP_Protocol_Version=revision)["result"]["tools"]
    assert set(tool) == fields


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_results_have_the_fields_of_the_revision(ask, tools, revision):
    result = ask("tools/call", {"name": "api_read", "arguments": {}}, MCP_Protocol_Version=revision)["result"]
    assert ("structuredContent" in result) is (revision >= "2025-06-18")
    assert json.loads(result["content"][0]["text"]) == {"status": "success", "api": "ü"}


def test_without_a_named_revision_nothing_is_taken_away(ask, tools):
    assert ask("tools/list")["result"]["tools"] == [LISTED]
    assert ask("tools/call", {"name": "api_read"})["result"]["structuredContent"] == {"status": "success", "api": "ü"}


@pytest.mark.parametrize(
    ("params", "arguments"),
    [
        ({}, {}),
        ({"arguments": None}, {}),
        ({"arguments": {"a": [1, None]}}, {"a": [1, None]}),
        ({"arguments": {}, "_meta": {}, "task": {}}, {}),
    ],
)
def test_a_call_passes_its_arguments_on(ask, tools, params, arguments):
    ask("tools/call", {"name": "api_read", **params})
    assert [call[0] for call in tools] == [arguments]


def test_a_call_runs_under_the_settings_that_hold_now(ask, tools):
    ask("tools/call", {"name": "api_read"})
    row = ServerSettings.load()
    row.writes_enabled = False
    row.save()
    ask("tools/call", {"name": "api_read"})
    assert [call[2].writes_enabled for call in tools] == [True, False]
    assert tools[1][2] is server_config.current()


def test_an_unknown_tool_is_a_protocol_error(ask, tools):
    assert ask("tools/call", {"name": "nope"})["error"]["code"] == -32602


@pytest.mark.parametrize(
    "params",
    [{}, {"name": None}, {"name": 3}, {"name": "api_read", "arguments": [1]}, {"name": "api_read", "arguments": "{}"}],
)
def test_wrong_parameters_are_a_protocol_error(ask, tools, params):
    assert ask("tools/call", params)["error"]["code"] == -32602
    assert tools == []


def test_answers_are_compact_and_unescaped(post, tools):
    response = post(
        {"jsonrpc": "2.0", "id": "ü", "method": "tools/list"}, headers={"MCP-Protocol-Version": "2024-11-05"}
    )
    assert response["Content-Type"] == "application/json"
    assert response.content.decode() == (
        '{"jsonrpc":"2.0","id":"ü","result":{"tools":[{"name":"api_read","description":"Čte.",'
        '"inputSchema":{"type":"object","properties":{}}}]}}'
    )


def test_errors_are_in_english_whatever_the_language(ask, settings):
    settings.LANGUAGE_CODE = "cs"
    assert ask("initialize", {})["error"]["message"] == "Invalid params. protocolVersion: Required."


@pytest.mark.service("schemas")
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_answers_follow_the_official_schema(ask, tools, revision):
    schema = json.loads((Path(os.environ["MCP_SCHEMAS"]) / f"{revision}.schema.json").read_text())
    section = "definitions" if "definitions" in schema else "$defs"
    answers = {
        "InitializeResult": ask("initialize", {"protocolVersion": revision}),
        "ListToolsResult": ask("tools/list", MCP_Protocol_Version=revision),
        "CallToolResult": ask("tools/call", {"name": "api_read"}, MCP_Protocol_Version=revision),
        "EmptyResult": ask("ping", MCP_Protocol_Version=revision),
        "ListPromptsResult": ask("prompts/list", MCP_Protocol_Version=revision),
        "ListResourcesResult": ask("resources/list", MCP_Protocol_Version=revision),
        "ListResourceTemplatesResult": ask("resources/templates/list", MCP_Protocol_Version=revision),
    }
    for name, answer in answers.items():
        jsonschema.validate(answer["result"], {**schema, "$ref": f"#/{section}/{name}"})
        jsonschema.validate(answer, {**schema, "$ref": f"#/{section}/JSONRPCMessage"})
    error = ask("nope", MCP_Protocol_Version=revision)
    jsonschema.validate(error, {**schema, "$ref": f"#/{section}/JSONRPCMessage"})
