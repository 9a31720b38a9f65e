"""MCP's methods over HTTP in the revisions without a handshake, beside those with one."""

from functools import partial

import pytest

from django_mcp.errors import ProtocolError
from django_mcp.tools import registry
from django_mcp.transport import views
from tests.protocol import schemas
from tests.transport import refusals
from tests.transport.conftest import META, NEW, PREFIX, SQL

refusal = partial(refusals.refusal, id="q")


def test_discovery_tells_the_revisions_and_the_instructions(modern):
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
def test_every_result_has_its_type_and_the_server(modern, calls, settings, call):
    settings.DJANGO_MCP = {"SERVER_NAME": "Café", "SERVER_VERSION": "7"}
    method, params = call
    result = modern(method, **params).json()["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"] == {f"{PREFIX}/serverInfo": {"name": "Café", "title": "Café", "version": "7"}}


@pytest.mark.parametrize(("method", "cached"), [("server/discover", True), ("tools/list", True), ("tools/call", False)])
def test_listings_may_be_cached_by_their_caller_alone_and_not_for_long(modern, calls, method, cached):
    result = modern(method, **({"name": "sql"} if method == "tools/call" else {})).json()["result"]
    assert {name: result.get(name) for name in ("ttlMs", "cacheScope")} == (
        {"ttlMs": 0, "cacheScope": "private"} if cached else {"ttlMs": None, "cacheScope": None}
    )


def test_a_listing_goes_on_after_its_cursor(modern, calls, monkeypatch):
    monkeypatch.setattr(registry, "PAGE_SIZE", 4)
    cursor = modern("tools/list").json()["result"]["nextCursor"]
    result = modern("tools/list", cursor=cursor).json()["result"]
    assert [tool["name"] for tool in result["tools"]] == ["sql"]
    assert "nextCursor" not in result
    refusal(modern("tools/list", cursor="made up"), 200, -32602)


def test_tools_have_the_fields_of_the_revision(modern, calls):
    assert SQL in modern("tools/list").json()["result"]["tools"]


def test_both_eras_are_served_side_by_side(modern, ask, calls):
    assert "resultType" in modern("tools/list").json()["result"]
    assert ask("initialize", {"protocolVersion": NEW})["result"]["protocolVersion"] == "2025-11-25"
    assert set(ask("tools/list", MCP_Protocol_Version="2025-11-25")["result"]) == {"tools"}
    assert set(ask("tools/call", {"name": "sql"})["result"]) == {"content", "isError", "structuredContent"}
    assert SQL in ask("tools/list", {"_meta": {f"{PREFIX}/protocolVersion": "2025-06-18"}})["result"]["tools"]


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "prompts/list", "resources/list", "resources/templates/list", "x",
     "completion/complete", "subscriptions/listen", "resources/subscribe", "notifications/initialized"],
)  # fmt: skip
def test_a_method_that_the_revision_lacks_or_that_is_not_served_is_404(modern, method):
    refusal(modern(method), 404, -32601)


def test_a_tool_that_is_not_there_looks_the_same_whatever_its_headers(modern, calls):
    error = refusal(modern("tools/call", name="nope"), 200, -32602)
    assert refusal(modern("tools/call", name="nope", headers={"Mcp-Param-Region": "x"}), 200, -32602) == error


def test_a_capability_that_the_client_did_not_declare_is_400(modern, calls, monkeypatch):
    data = {"requiredCapabilities": {"elicitation": {}}}

    def dispatch(*args):
        raise ProtocolError(ProtocolError.CAPABILITY, "Needs elicitation.", data=data)

    monkeypatch.setattr(views, "dispatch", dispatch)
    assert refusal(modern("tools/call", name="sql"), 400, -32021)["data"] == data


def test_a_notification_is_accepted_without_metadata(post):
    response = post({"jsonrpc": "2.0", "method": "notifications/cancelled"}, headers={"MCP-Protocol-Version": NEW})
    assert (response.status_code, response.content) == (202, b"")


def test_a_batch_is_one_refusal(post):
    response = post([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], headers={"MCP-Protocol-Version": NEW})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


def test_a_caller_has_the_clients_name_of_the_metadata(modern, calls):
    modern("tools/call", name="sql", headers={"User-Agent": "node"})
    assert [caller.client for caller, _arguments in calls] == ["Inspector 3"]


def test_the_order_of_the_tools_is_always_the_same(make_mcp):
    mcp = make_mcp()
    mcp.headers.update({"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"})
    answers = [mcp.rpc("tools/list", {"_meta": META})["result"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert [tool["name"] for tool in answers[0]["tools"][:3]] == ["api_search", "api_describe", "api_read"]


@pytest.mark.service("schemas")
def test_answers_follow_the_official_schema(modern, calls):
    def valid(response, name):
        schemas.validate(response.json(), NEW, name)

    valid(modern("server/discover"), "DiscoverResultResponse")
    valid(modern("tools/list"), "ListToolsResultResponse")
    valid(modern("tools/call", name="sql"), "CallToolResultResponse")
    valid(modern("tools/call", name="sql", headers={"Mcp-Name": "x"}), "HeaderMismatchError")
    unknown = {**META, f"{PREFIX}/protocolVersion": "x"}
    valid(modern("tools/list", meta=unknown, headers={"MCP-Protocol-Version": "x"}), "UnsupportedProtocolVersionError")
    valid(modern("ping"), "JSONRPCErrorResponse")
    valid(modern("tools/list", meta=None), "JSONRPCErrorResponse")
    types = schemas.definitions(NEW)
    for method, kind in (("server/discover", "DiscoverResult"), ("tools/list", "ListToolsResult")):
        assert set(modern(method).json()["result"]) <= set(types[kind]["properties"])
    called = modern("tools/call", name="sql").json()["result"]
    assert set(called) <= set(types["CallToolResult"]["properties"])
