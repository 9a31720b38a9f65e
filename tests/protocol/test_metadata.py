"""The revision, the capabilities and the client's name, as a request's headers and body tell them."""

import pytest

from django_mcp.errors import ProtocolError
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.metadata import Metadata, client_name, header_revision, request_metadata
from django_mcp.protocol.revisions import HANDSHAKE, OFFERED, REVISIONS

NEW = "2026-07-28"
VERSION, CAPABILITIES = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"


def read(message, headers):
    return request_metadata(message, header_revision(headers), headers)


def metadata(header=None, meta=None, method="tools/list"):
    """Read a request whose header names a revision and whose body has the metadata."""
    headers = {"Mcp-Method": method} if header is None else {"MCP-Protocol-Version": header, "Mcp-Method": method}
    return read(Message(id=1, method=method, params={} if meta is None else {"_meta": meta}), headers)


def refused(code, *args):
    with pytest.raises(ProtocolError) as caught:
        metadata(*args)
    assert (caught.value.code, caught.value.http_status) == (code, 400)
    return caught.value


def test_only_revisions_without_a_handshake_are_modern():
    assert [revision for revision in (None, "", *REVISIONS) if Metadata(revision=revision).modern] == [NEW]


@pytest.mark.parametrize("header", [None, *HANDSHAKE])
@pytest.mark.parametrize("meta", [None, {}, {"progressToken": 1}, {VERSION: "2025-11-25"}, "x", [VERSION]])
def test_a_request_of_the_handshake_revisions_is_taken_by_its_header(header, meta):
    assert metadata(header, meta) == Metadata(revision=header)


def test_a_modern_request_tells_its_revision_and_capabilities():
    modern = metadata(NEW, {VERSION: NEW, CAPABILITIES: {"elicitation": {}}})
    assert modern == Metadata(revision=NEW, capabilities={"elicitation": {}})
    assert modern.modern


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        "x",
        {CAPABILITIES: {}},
        {VERSION: None, CAPABILITIES: {}},
        {VERSION: 5, CAPABILITIES: {}},
        {VERSION: NEW},
        {VERSION: NEW, CAPABILITIES: None},
        {VERSION: NEW, CAPABILITIES: []},
    ],
)
def test_metadata_that_is_missing_or_wrong_is_named(meta):
    assert "io.modelcontextprotocol/" in refused(-32602, NEW, meta).message


@pytest.mark.parametrize("header", [None, "", "2025-11-25", "2025-03-26", "2099-01-01"])
def test_a_header_that_does_not_repeat_the_revision_is_refused(header):
    assert "MCP-Protocol-Version" in refused(-32020, header, {VERSION: NEW, CAPABILITIES: {}}).message


@pytest.mark.parametrize("revision", ["2025-11-25", "2099-01-01", ""])
def test_a_body_of_another_revision_than_the_modern_header_is_refused(revision):
    refused(-32020, NEW, {VERSION: revision, CAPABILITIES: {}})


@pytest.mark.parametrize(
    ("header", "body"), [("2099-01-01", None), ("v9", "v9"), (None, "2099-01-01"), ("draft", None)]
)
@pytest.mark.parametrize("method", ["tools/list", "server/discover", "ping"])
def test_a_revision_that_is_not_spoken_is_refused_with_those_that_are(header, body, method):
    error = refused(-32022, header, {VERSION: body, CAPABILITIES: {}}, method)
    assert error.data == {"supported": list(OFFERED), "requested": body or header}
    assert list(OFFERED) == [NEW, *reversed(HANDSHAKE)]


@pytest.mark.parametrize("header", [None, NEW, "2099-01-01", "x"])
def test_the_handshake_is_not_held_to_its_header(header):
    assert metadata(header, method="initialize") == Metadata()


def test_a_handshake_with_modern_metadata_is_a_modern_request():
    assert metadata(NEW, {VERSION: NEW, CAPABILITIES: {}}, "initialize").modern
    refused(-32022, "2099-01-01", {VERSION: "2099-01-01"}, "initialize")


@pytest.mark.parametrize("missing", ["Mcp-Method", "Mcp-Name"])
def test_a_modern_request_needs_its_headers(missing):
    message = Message(id=1, method="tools/call", params={"name": "x", "_meta": {VERSION: NEW, CAPABILITIES: {}}})
    headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "x"}
    assert read(message, headers).modern
    with pytest.raises(ProtocolError) as caught:
        read(message, {name: value for name, value in headers.items() if name != missing})
    assert (caught.value.code, caught.value.http_status) == (-32020, 400)


@pytest.mark.parametrize(
    "message", [None, Message(id=None, method="notifications/x", params={"_meta": {VERSION: "?"}})]
)
def test_what_awaits_no_answer_is_held_to_a_spoken_revision_alone(message):
    assert read(message, {"MCP-Protocol-Version": NEW}).revision == NEW
    with pytest.raises(ProtocolError) as caught:
        read(message, {"MCP-Protocol-Version": "2099-01-01"})
    assert caught.value.code == -32022


INFO = "io.modelcontextprotocol/clientInfo"


@pytest.mark.parametrize(
    ("params", "agent", "name"),
    [
        ({"_meta": {INFO: {"name": "Cursor", "version": "2"}}}, "node", "Cursor 2"),
        ({"_meta": {INFO: {"title": "no name"}}}, "node", "node"),
        ({"_meta": {INFO: "x"}}, "node", "node"),
        ({"_meta": [INFO]}, "node", "node"),
        ({"clientInfo": {"name": "Old", "version": 1}}, "", "Old 1"),
        ({"clientInfo": {"name": "Old"}}, "node", "node"),
        ({"clientInfo": ["name"]}, "", ""),
        ("x", "", ""),
    ],
)
def test_a_client_is_called_what_it_calls_itself(params, agent, name):
    assert client_name({"params": params}, agent) == name


@pytest.mark.parametrize("value", [None, [], "x", {}])
def test_a_body_that_is_no_message_names_no_client(value):
    assert client_name(value, "node") == "node"
