"""MCP's methods over HTTP, in the handshake revisions."""

import json

import pytest

from django_mcp.models import ServerSettings, ToolRule
from django_mcp.protocol.revisions import HANDSHAKE
from tests.protocol import schemas
from tests.transport.conftest import SQL


def sql_in(answer):
    return next(tool for tool in answer["result"]["tools"] if tool["name"] == "sql")


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_the_handshake_echoes_a_spoken_revision(ask, revision):
    result = ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c"}})["result"]
    assert result["protocolVersion"] == revision
    assert result["capabilities"] == {"tools": {}}
    assert ("title" in result["serverInfo"]) is (revision >= "2025-06-18")
    assert result["instructions"].startswith("Use API Tools")


@pytest.mark.parametrize("requested", ["2099-01-01", "", "x" * 1000])
def test_the_handshake_answers_any_other_revision_with_the_newest(ask, requested):
    assert ask("initialize", {"protocolVersion": requested})["result"]["protocolVersion"] == "2025-11-25"


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
        {"method": "tools/call", "params": {"name": "sql"}},
        {"id": 1, "result": {}},
        {"id": 1, "error": {"code": 1, "message": "x"}},
    ],
)
def test_notifications_and_responses_are_accepted_without_a_byte_and_not_acted_on(post, calls, message):
    response = post({"jsonrpc": "2.0", **message})
    assert (response.status_code, response.content, response["Content-Length"]) == (202, b"", "0")
    assert "Content-Type" not in response
    assert response["Cache-Control"] == "no-store"
    assert calls == []


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
def test_the_features_that_a_server_of_tools_lacks_are_empty(ask, method, result):
    assert ask(method, {"level": "info"})["result"] == result


@pytest.mark.parametrize("params", [None, {}, {"cursor": None}, {"cursor": ""}])
def test_tools_are_one_page(ask, calls, params):
    answer = ask("tools/list", params, MCP_Protocol_Version="2025-11-25")
    assert [tool["name"] for tool in answer["result"]["tools"]] == [
        "api_search", "api_describe", "api_read", "api_call", "sql"
    ]  # fmt: skip
    assert sql_in(answer) == SQL
    assert "nextCursor" not in answer["result"]


def test_an_unknown_cursor_is_wrong(ask):
    assert ask("tools/list", {"cursor": "abc"})["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("revision", "fields"),
    [
        ("2024-11-05", {"name", "description", "inputSchema"}),
        ("2025-03-26", {"name", "description", "inputSchema", "annotations"}),
        ("2025-06-18", set(SQL)),
        ("2025-11-25", set(SQL)),
    ],
)
def test_tools_have_the_fields_of_the_revision(ask, calls, revision, fields):
    assert set(sql_in(ask("tools/list", MCP_Protocol_Version=revision))) == fields


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_results_have_the_fields_of_the_revision(ask, calls, revision):
    result = ask("tools/call", {"name": "sql", "arguments": {}}, MCP_Protocol_Version=revision)["result"]
    assert ("structuredContent" in result) is (revision >= "2025-06-18")
    assert json.loads(result["content"][0]["text"]) == {"city": "Žďár"}


def test_without_a_named_revision_nothing_is_taken_away(ask, calls):
    assert sql_in(ask("tools/list")) == SQL
    assert ask("tools/call", {"name": "sql"})["result"]["structuredContent"] == {"city": "Žďár"}


@pytest.mark.parametrize(
    ("params", "arguments"),
    [
        ({}, {}),
        ({"arguments": None}, {}),
        ({"arguments": {"a": [1, None]}}, {"a": [1, None]}),
        ({"arguments": {}, "_meta": {}, "task": {}}, {}),
    ],
)
def test_a_call_passes_its_arguments_on(ask, calls, params, arguments):
    ask("tools/call", {"name": "sql", **params})
    assert [arguments for _caller, arguments in calls] == [arguments]


def test_a_call_runs_under_the_settings_that_hold_now(ask, calls):
    assert "result" in ask("tools/call", {"name": "sql"})
    ToolRule(name="sql", exposure=ToolRule.Exposure.HIDDEN).save()
    assert ask("tools/call", {"name": "sql"})["error"]["code"] == -32602
    assert len(calls) == 1


def test_an_unknown_tool_is_a_protocol_error(ask):
    assert ask("tools/call", {"name": "nope"})["error"]["code"] == -32602


@pytest.mark.parametrize(
    "params",
    [{}, {"name": None}, {"name": 3}, {"name": "sql", "arguments": [1]}, {"name": "sql", "arguments": "{}"}],
)
def test_wrong_parameters_are_a_protocol_error(ask, calls, params):
    assert ask("tools/call", params)["error"]["code"] == -32602
    assert calls == []


def test_answers_are_compact_and_unescaped(post, calls):
    message = {"jsonrpc": "2.0", "id": "ü", "method": "tools/call", "params": {"name": "sql"}}
    response = post(message, headers={"MCP-Protocol-Version": "2025-03-26"})
    assert response["Content-Type"] == "application/json"
    text = r'{"type":"text","text":"{\"city\":\"Žďár\"}"}'
    assert response.content.decode() == f'{{"jsonrpc":"2.0","id":"ü","result":{{"content":[{text}],"isError":false}}}}'


def test_errors_are_in_english_whatever_the_language(ask, settings):
    settings.LANGUAGE_CODE = "cs"
    assert ask("initialize", {})["error"]["message"] == "Invalid params. protocolVersion: Required."


@pytest.mark.service("schemas")
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_answers_follow_the_official_schema(ask, calls, revision):
    answers = {
        "InitializeResult": ask("initialize", {"protocolVersion": revision}),
        "ListToolsResult": ask("tools/list", MCP_Protocol_Version=revision),
        "CallToolResult": ask("tools/call", {"name": "sql"}, MCP_Protocol_Version=revision),
        "EmptyResult": ask("ping", MCP_Protocol_Version=revision),
        "ListPromptsResult": ask("prompts/list", MCP_Protocol_Version=revision),
        "ListResourcesResult": ask("resources/list", MCP_Protocol_Version=revision),
        "ListResourceTemplatesResult": ask("resources/templates/list", MCP_Protocol_Version=revision),
    }
    for name, answer in answers.items():
        schemas.validate(answer["result"], revision, name)
        schemas.validate(answer, revision, "JSONRPCMessage")
    schemas.validate(ask("nope", MCP_Protocol_Version=revision), revision, "JSONRPCMessage")
