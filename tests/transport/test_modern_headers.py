"""The metadata and the headers that a request of the modern revision must have, and that agree with its body."""

import base64
from functools import partial

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from tests.transport import refusals
from tests.transport.conftest import META, NEW, PREFIX

refusal = partial(refusals.refusal, id="q")


@pytest.mark.parametrize("meta", [None, {}, "x", {**META, f"{PREFIX}/clientCapabilities": None}])
def test_missing_metadata_is_400(modern, calls, meta):
    refusal(modern("tools/call", name="sql", meta=meta), 400, -32602)
    assert calls == []


@pytest.mark.parametrize("params", [[1], "x", None])
def test_params_without_metadata_are_400_whatever_they_are(post, params):
    message = {"jsonrpc": "2.0", "id": "q", "method": "tools/list", "params": params}
    refusal(post(message, headers={"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"}), 400, -32602)


def test_a_client_may_leave_out_its_name(modern):
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
def test_headers_that_differ_from_the_body_are_400_and_nothing_runs(modern, calls, headers):
    headers = {"Mcp-Param-Region": "eu", **headers}
    refusal(modern("tools/call", name="sql", arguments={"region": "eu"}, headers=headers), 400, -32020)
    assert calls == []


def test_encoded_headers_are_read(modern, calls):
    def wrapped(text):
        return f"=?base64?{base64.b64encode(text.encode()).decode()}?="

    headers = {"Mcp-Name": wrapped("sql"), "Mcp-Param-Region": wrapped("café")}
    assert modern("tools/call", name="sql", arguments={"region": "café"}, headers=headers).status_code == 200
    assert [arguments for _caller, arguments in calls] == [{"region": "café"}]


@pytest.mark.parametrize("headers", [{"Mcp-Method": "x", "Mcp-Name": "x", "Mcp-Param-Region": "x"}, {}])
def test_the_handshake_revisions_know_no_such_headers(post, calls, headers):
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "sql", "arguments": {"region": "eu"}},
    }
    assert "result" in post(message, headers={"MCP-Protocol-Version": "2025-11-25", **headers}).json()


@pytest.mark.parametrize("headers", [{"MCP-Protocol-Version": "2099-01-01"}, {"MCP-Protocol-Version": None}])
def test_a_later_revision_is_400_and_lists_the_spoken(modern, headers):
    meta = {**META, f"{PREFIX}/protocolVersion": "2099-01-01"}
    data = refusal(modern("tools/list", meta=meta, headers=headers), 400, -32022)["data"]
    assert data == {
        "supported": [NEW, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "requested": "2099-01-01",
    }


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
    meta=st.dictionaries(st.sampled_from([*META, "progressToken"]), ANYTHING).map(lambda more: {**META, **more})
    | ANYTHING,
    params=st.dictionaries(st.sampled_from(["name", "arguments", "cursor", "protocolVersion", ""]), ANYTHING),
)
def test_any_request_gets_a_json_answer(modern, calls, method, headers, meta, params):
    response = modern(method, headers=headers, meta=meta, **{**params, "name": params.get("name") or "sql"})
    assert response.status_code in {200, 400, 404}
    assert response["Content-Type"] == "application/json"
    assert response.json()["id"] == "q"
    assert response.json().get("error", {}).get("code") != -32603
