import pytest

from django_mcp.errors import ProtocolError
from django_mcp.protocol import metadata
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.revisions import HANDSHAKE, OFFERED

NEW = "2026-07-28"
VERSION, CAPABILITIES = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"


def of(named=None, meta=None, method="tools/list", **headers):
    """Read a request that names a revision in its header and has the given metadata."""
    said = {"MCP-Protocol-Version": named, "Mcp-Method": method, **headers}
    params = {} if meta is None else {"_meta": meta}
    message = Message(id=1, method=method, params=params)
    return metadata.of(message, {name: value for name, value in said.items() if value is not None})


def refused(code, *args, **more):
    with pytest.raises(ProtocolError) as caught:
        of(*args, **more)
    assert (caught.value.code, caught.value.http_status) == (code, 400)
    return caught.value


@pytest.mark.parametrize("named", [None, *HANDSHAKE])
@pytest.mark.parametrize("meta", [None, {}, {"progressToken": 1}, {VERSION: "2025-11-25"}, "x", [VERSION]])
def test_a_request_of_the_handshake_revisions_is_taken_by_its_header(named, meta):
    assert of(named, meta) == metadata.Metadata(revision=named)


def test_a_modern_request_says_all_of_itself():
    said = of(NEW, {VERSION: NEW, CAPABILITIES: {"elicitation": {}}})
    assert said == metadata.Metadata(revision=NEW, capabilities={"elicitation": {}})
    assert said.modern


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


@pytest.mark.parametrize("named", [None, "", "2025-11-25", "2025-03-26", "2099-01-01"])
def test_a_header_that_does_not_repeat_the_revision_is_refused(named):
    assert "MCP-Protocol-Version" in refused(-32020, named, {VERSION: NEW, CAPABILITIES: {}}).message


@pytest.mark.parametrize("said", ["2025-11-25", "2099-01-01", ""])
def test_a_body_of_another_revision_than_the_modern_header_is_refused(said):
    refused(-32020, NEW, {VERSION: said, CAPABILITIES: {}})


@pytest.mark.parametrize(("named", "said"), [("2099-01-01", None), ("v9", "v9"), (None, "2099-01-01"), ("draft", None)])
@pytest.mark.parametrize("method", ["tools/list", "server/discover", "ping"])
def test_a_revision_that_is_not_spoken_is_refused_with_those_that_are(named, said, method):
    error = refused(-32022, named, {VERSION: said, CAPABILITIES: {}}, method)
    assert error.data == {"supported": list(OFFERED), "requested": said or named}
    assert list(OFFERED) == [NEW, *reversed(HANDSHAKE)]


@pytest.mark.parametrize("named", [None, NEW, "2099-01-01", "x"])
def test_the_handshake_is_not_held_to_its_header(named):
    assert of(named, method="initialize") == metadata.Metadata()


def test_a_handshake_with_modern_metadata_is_a_modern_request():
    assert of(NEW, {VERSION: NEW, CAPABILITIES: {}}, "initialize").modern
    refused(-32022, "2099-01-01", {VERSION: "2099-01-01"}, "initialize")


@pytest.mark.parametrize("missing", ["Mcp-Method", "Mcp-Name"])
def test_a_modern_request_needs_its_headers(missing):
    message = Message(id=1, method="tools/call", params={"name": "x", "_meta": {VERSION: NEW, CAPABILITIES: {}}})
    headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "x"}
    assert metadata.of(message, headers).modern
    with pytest.raises(ProtocolError) as caught:
        metadata.of(message, {name: value for name, value in headers.items() if name != missing})
    assert (caught.value.code, caught.value.http_status) == (-32020, 400)


@pytest.mark.parametrize(
    "message", [None, Message(id=None, method="notifications/x", params={"_meta": {VERSION: "?"}})]
)
def test_what_awaits_no_answer_is_held_to_a_spoken_revision_alone(message):
    assert metadata.of(message, {"MCP-Protocol-Version": NEW}).revision == NEW
    with pytest.raises(ProtocolError) as caught:
        metadata.of(message, {"MCP-Protocol-Version": "2099-01-01"})
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
    assert metadata.client_name({"params": params}, agent) == name


@pytest.mark.parametrize("value", [None, [], "x", {}])
def test_a_body_that_is_no_message_names_no_client(value):
    assert metadata.client_name(value, "node") == "node"
