"""MCP's methods over HTTP in the revisions without a handshake, beside those with one."""

import base64
import json
import os
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from django_mcp import dispatch
from django_mcp.errors import ProtocolError
from django_mcp.tools.answers import ToolResult
from django_mcp.tools.registry import Page

NEW = "2026-07-28"
PREFIX = "io.modelcontextprotocol"
META = {
    f"{PREFIX}/protocolVersion": NEW,
    f"{PREFIX}/clientInfo": {"name": "Inspector", "version": "3"},
    f"{PREFIX}/clientCapabilities": {},
}
LISTED = {
    "name": "sql",
    "title": "SQL",
    "description": "Runs.",
    "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "execution": {"taskSupport": "forbidden"},
}


class Sql:
    def schemas(self, reach):
        return LISTED["inputSchema"], None


@pytest.fixture
def tools(monkeypatch):
    """One tool of a host, and a record of how it was called."""
    calls = []

    def find(name, reach):
        if name != "sql":
            raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {name}")
        return Sql()

    def call_tool(tool, arguments, reach):
        calls.append((arguments, reach.context.caller.client))
        return ToolResult(structured={"status": "success"})

    def listed(reach, *, after=""):
        return Page(tools=[LISTED], last="" if after else "1sql")

    monkeypatch.setattr(dispatch, "call_tool", call_tool)
    monkeypatch.setattr(dispatch.registry, "find", find)
    monkeypatch.setattr(dispatch.registry, "listed", listed)
    return calls


@pytest.fixture
def modern(post):
    """Return a function that sends a conforming request; `headers` add to, replace or, as None, remove its own."""

    def modern(method, *, headers=(), meta=META, **params):
        named = {"MCP-Protocol-Version": NEW, "Mcp-Method": method}
        if isinstance(params.get("name"), str):
            named["Mcp-Name"] = params["name"]
        named.update(headers)
        if meta is not None:
            params["_meta"] = meta
        message = {"jsonrpc": "2.0", "id": "q", "method": method, "params": params}
        return post(message, headers={name: value for name, value in named.items() if value is not None})

    return modern


def refusal(response, status, code):
    assert (response.status_code, response.json()["error"]["code"]) == (status, code), response.content
    assert response.json()["id"] == "q"
    return response.json()["error"]


def test_discovery_tells_what_is_spoken_and_how_to_write(modern):
    result = modern("server/discover").json()["result"]
    assert result["supportedVersions"] == [NEW, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    assert result["capabilities"] == {"tools": {}}
    assert result["instructions"].startswith("Use API Tools")


def test_discovery_needs_a_key(stranger, exposed):
    response = stranger(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}},
        headers={"MCP-Protocol-Version": NEW, "Mcp-Method": "server/discover"},
    )
    assert response.status_code == 401


@pytest.mark.parametrize("call", [("server/discover", {}), ("tools/list", {}), ("tools/call", {"name": "sql"})])
def test_every_result_says_its_type_and_who_answers(modern, tools, settings, call):
    settings.DJANGO_MCP = {"SERVER_NAME": "Café", "SERVER_VERSION": "7"}
    method, params = call
    result = modern(method, **params).json()["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"] == {f"{PREFIX}/serverInfo": {"name": "Café", "title": "Café", "version": "7"}}


@pytest.mark.parametrize(("method", "kept"), [("server/discover", True), ("tools/list", True), ("tools/call", False)])
def test_listings_may_be_kept_by_their_caller_alone_and_not_for_long(modern, tools, method, kept):
    result = modern(method, **({"name": "sql"} if method == "tools/call" else {})).json()["result"]
    assert {name: result.get(name) for name in ("ttlMs", "cacheScope")} == (
        {"ttlMs": 0, "cacheScope": "private"} if kept else {"ttlMs": None, "cacheScope": None}
    )


def test_a_listing_goes_on_after_its_cursor(modern, tools):
    cursor = modern("tools/list").json()["result"]["nextCursor"]
    assert "nextCursor" not in modern("tools/list", cursor=cursor).json()["result"]
    refusal(modern("tools/list", cursor="made up"), 200, -32602)


def test_tools_have_the_fields_of_the_revision(modern, tools):
    (tool,) = modern("tools/list").json()["result"]["tools"]
    assert tool == {name: value for name, value in LISTED.items() if name != "execution"}


def test_both_eras_are_served_side_by_side(modern, ask, tools):
    assert "resultType" in modern("tools/list").json()["result"]
    assert ask("initialize", {"protocolVersion": NEW})["result"]["protocolVersion"] == "2025-11-25"
    assert set(ask("tools/list", MCP_Protocol_Version="2025-11-25")["result"]) == {"tools", "nextCursor"}
    assert set(ask("tools/call", {"name": "sql"})["result"]) == {"content", "isError", "structuredContent"}
    assert ask("tools/list", {"_meta": {f"{PREFIX}/protocolVersion": "2025-06-18"}})["result"]["tools"] == [LISTED]


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "prompts/list", "resources/list", "resources/templates/list", "x",
     "completion/complete", "subscriptions/listen", "resources/subscribe", "notifications/initialized"],
)  # fmt: skip
def test_what_the_revision_has_not_or_is_not_served_is_404(modern, method):
    refusal(modern(method), 404, -32601)


@pytest.mark.parametrize("meta", [None, {}, "x", {**META, f"{PREFIX}/clientCapabilities": None}])
def test_missing_metadata_is_400(modern, tools, meta):
    refusal(modern("tools/call", name="sql", meta=meta), 400, -32602)
    assert tools == []


@pytest.mark.parametrize("params", [[1], "x", None])
def test_params_without_metadata_are_400_whatever_they_are(post, params):
    message = {"jsonrpc": "2.0", "id": "q", "method": "tools/list", "params": params}
    refusal(post(message, headers={"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"}), 400, -32602)


def test_a_client_may_leave_out_who_it_is(modern):
    meta = {name: value for name, value in META.items() if "clientInfo" not in name}
    assert modern("server/discover", meta=meta).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp-Method": None},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Method": "TOOLS/CALL"},
        {"Mcp-Name": None},
        {"Mcp-Name": "other"},
        {"MCP-Protocol-Version": None},
        {"MCP-Protocol-Version": "2025-11-25"},
        {"Mcp-Param-Region": "us"},
        {"Mcp-Param-Region": None},
        {"Mcp-Param-Region": "=?base64?!?="},
    ],
)
def test_headers_that_differ_from_the_body_are_400_and_nothing_runs(modern, tools, headers):
    headers = {"Mcp-Param-Region": "eu", **headers}
    refusal(modern("tools/call", name="sql", arguments={"region": "eu"}, headers=headers), 400, -32020)
    assert tools == []


def test_encoded_headers_are_read(modern, tools):
    def wrapped(text):
        return f"=?base64?{base64.b64encode(text.encode()).decode()}?="

    headers = {"Mcp-Name": wrapped("sql"), "Mcp-Param-Region": wrapped("café")}
    assert modern("tools/call", name="sql", arguments={"region": "café"}, headers=headers).status_code == 200
    assert [call[0] for call in tools] == [{"region": "café"}]


@pytest.mark.parametrize("headers", [{"Mcp-Method": "x", "Mcp-Name": "x", "Mcp-Param-Region": "x"}, {}])
def test_the_handshake_revisions_know_no_such_headers(post, tools, headers):
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "sql", "arguments": {"region": "eu"}},
    }
    assert "result" in post(message, headers={"MCP-Protocol-Version": "2025-11-25", **headers}).json()


def test_a_tool_that_is_not_there_looks_the_same_whatever_its_headers(modern, tools):
    error = refusal(modern("tools/call", name="nope"), 200, -32602)
    assert refusal(modern("tools/call", name="nope", headers={"Mcp-Param-Region": "x"}), 200, -32602) == error


def test_a_capability_that_the_client_did_not_declare_is_400(modern, tools, monkeypatch):
    data = {"requiredCapabilities": {"elicitation": {}}}

    def call_tool(*args):
        raise ProtocolError(ProtocolError.CAPABILITY, "Needs elicitation.", data=data)

    monkeypatch.setattr(dispatch, "call_tool", call_tool)
    assert refusal(modern("tools/call", name="sql"), 400, -32021)["data"] == data


@pytest.mark.parametrize("headers", [{"MCP-Protocol-Version": "2099-01-01"}, {"MCP-Protocol-Version": None}])
def test_a_later_revision_is_400_and_lists_the_spoken(modern, headers):
    meta = {**META, f"{PREFIX}/protocolVersion": "2099-01-01"}
    data = refusal(modern("tools/list", meta=meta, headers=headers), 400, -32022)["data"]
    assert data == {
        "supported": [NEW, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "requested": "2099-01-01",
    }


def test_a_notification_is_accepted_without_metadata(post):
    response = post({"jsonrpc": "2.0", "method": "notifications/cancelled"}, headers={"MCP-Protocol-Version": NEW})
    assert (response.status_code, response.content) == (202, b"")


def test_a_batch_is_one_refusal(post):
    response = post([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], headers={"MCP-Protocol-Version": NEW})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


def test_the_record_calls_the_client_what_its_metadata_says(modern, tools):
    modern("tools/call", name="sql", headers={"User-Agent": "node"})
    assert [call[1] for call in tools] == ["Inspector 3"]


def test_the_order_of_the_tools_is_always_the_same(make_mcp):
    mcp = make_mcp()
    mcp.headers.update({"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"})
    answers = [mcp.rpc("tools/list", {"_meta": META})["result"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert [tool["name"] for tool in answers[0]["tools"][:3]] == ["api_search", "api_describe", "api_read"]


VALUES = st.none() | st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=12) | st.sampled_from(
    [NEW, "2025-11-25", "2099-01-01", "tools/list", "tools/call", "sql", "=?base64?c3Fs?=", "=?base64?/w==?="]
)  # fmt: skip
ANYTHING = st.recursive(
    VALUES | st.integers() | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(VALUES.filter(bool), inner),
    max_leaves=4,
)


@hypothesis(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["tools/list", "tools/call", "server/discover", "initialize", "x"]),
    headers=st.dictionaries(
        st.sampled_from(["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp-Session-Id"]),
        VALUES,
    ),
    meta=st.dictionaries(st.sampled_from([*META, "progressToken"]), ANYTHING).map(lambda said: {**META, **said})
    | ANYTHING,
    params=st.dictionaries(st.sampled_from(["name", "arguments", "cursor", "protocolVersion", ""]), ANYTHING),
)
def test_any_request_gets_a_json_answer(modern, tools, method, headers, meta, params):
    response = modern(method, headers=headers, meta=meta, **{**params, "name": params.get("name") or "sql"})
    assert response.status_code in {200, 400, 404}
    assert response["Content-Type"] == "application/json"
    assert response.json()["id"] == "q"
    assert response.json().get("error", {}).get("code") != -32603


@pytest.mark.service("schemas")
def test_answers_follow_the_official_schema(modern, tools):
    schema = json.loads((Path(os.environ["MCP_SCHEMAS"]) / f"{NEW}.schema.json").read_text())

    def valid(response, name):
        jsonschema.validate(response.json(), {**schema, "$ref": f"#/$defs/{name}"})

    valid(modern("server/discover"), "DiscoverResultResponse")
    valid(modern("tools/list"), "ListToolsResultResponse")
    valid(modern("tools/call", name="sql"), "CallToolResultResponse")
    valid(modern("tools/call", name="sql", headers={"Mcp-Name": "x"}), "HeaderMismatchError")
    unknown = {**META, f"{PREFIX}/protocolVersion": "x"}
    valid(modern("tools/list", meta=unknown, headers={"MCP-Protocol-Version": "x"}), "UnsupportedProtocolVersionError")
    valid(modern("ping"), "JSONRPCErrorResponse")
    valid(modern("tools/list", meta=None), "JSONRPCErrorResponse")
    known = schema["$defs"]
    for method, kind in (("server/discover", "DiscoverResult"), ("tools/list", "ListToolsResult")):
        assert set(modern(method).json()["result"]) <= set(known[kind]["properties"])
    called = modern("tools/call", name="sql").json()["result"]
    assert set(called) <= set(known["CallToolResult"]["properties"])
