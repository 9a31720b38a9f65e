"""Each fixture tool, called by the official Python client on the real endpoint with a real key."""

import base64
import json

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.conformance import mcp as fixtures
from tests.e2e.conformance.serving import serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("conformance")) as opened:
        yield opened


@pytest.fixture(scope="module")
def talk(served):
    """Run a conversation with a connected client; `mode` and callbacks are the client's."""

    def run(conversation, **said):
        async def main():
            headers = {"Authorization": f"Bearer {served.key}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(served.url, http_client=http)
                async with Client(transport, **{"mode": "legacy", **said}) as client:
                    return await conversation(client)

        return anyio.run(main)

    return run


@pytest.fixture(scope="module")
def call(talk):
    def make(name, **arguments):
        return talk(lambda client: client.call_tool(name, arguments))

    return make


def text_of(result):
    return [block.text for block in result.content if block.type == "text"]


def test_text(call):
    assert text_of(call("test_simple_text")) == ["This is a simple text response for testing."]


def test_image(call):
    (block,) = call("test_image_content").content
    assert (block.type, block.mime_type, base64.b64decode(block.data)) == ("image", "image/png", fixtures.PNG)


def test_audio(call):
    (block,) = call("test_audio_content").content
    assert (block.type, block.mime_type, base64.b64decode(block.data)[:4]) == ("audio", "audio/wav", b"RIFF")


def test_embedded_resource(call):
    (block,) = call("test_embedded_resource").content
    assert (block.type, str(block.resource.uri)) == ("resource", "test://embedded-resource")
    assert (block.resource.mime_type, block.resource.text) == ("text/plain", "This is an embedded resource content.")


def test_several_kinds_of_content(call):
    content = call("test_multiple_content_types").content
    assert [block.type for block in content] == ["text", "image", "resource"]
    assert json.loads(content[2].resource.text) == {"test": "data", "value": 123}


def test_error(call):
    result = call("test_error_handling")
    assert result.is_error
    assert "This tool intentionally returns an error for testing" in text_of(result)[0]


def test_what_a_tool_logs_is_not_sent(call):
    assert text_of(call("test_logging_tool")) == ["Logged."]


def test_raw_schemas_arrive_untouched(talk):
    tools = {tool.name: tool for tool in talk(lambda client: client.list_tools()).tools}
    assert tools["json_schema_2020_12_tool"].input_schema == fixtures.JSON_SCHEMA_2020_12
    # The client drops a tool whose x-mcp-header it does not take.
    assert tools["test_custom_headers"].input_schema == fixtures.CUSTOM_HEADERS
    assert tools["test_structured_output"].output_schema == fixtures.SUM


def test_a_schema_with_combinators_is_enforced(call):
    fitting = {"contactMethod": "phone", "phone": "1", "address": {"city": "Berlin"}}
    assert call("json_schema_2020_12_tool", **fitting).structured_content == {"received": fitting}
    assert call("json_schema_2020_12_tool", contactMethod="phone", email="a@b.example").is_error


def test_arguments_with_headers_arrive(call):
    args = {"region": "us-west1", "priority": 42, "verbose": False, "query": "SELECT 1"}
    assert call("test_custom_headers", **args).structured_content == {"received": args}


def test_a_result_passes_the_clients_check_of_the_output_schema(call):
    assert call("test_structured_output", a=1, b=2).structured_content == {"sum": 3}


def test_an_error_of_a_tool_with_an_output_schema_passes_too(call):
    result = call("test_structured_output")
    assert result.is_error
    # The TypeScript client checks an object wherever there is one, in errors as well.
    assert result.structured_content is None
    assert json.loads(text_of(result)[0])["error"] == "Send a and b."


def test_a_proposal_passes_the_clients_check_of_the_output_schema(call):
    proposal = call("test_confirmed_write").structured_content
    assert proposal["status"] == "requires_confirmation"
    token = proposal["confirmationToken"]
    assert call("test_confirmed_write", confirmationToken=token).structured_content == {"sum": 42}
    replay = call("test_confirmed_write", confirmationToken=token)
    assert replay.is_error
    assert replay.structured_content["outcome"]["response"] == {"sum": 42}


def test_an_unknown_tool_is_a_protocol_error(talk):
    async def conversation(client):
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("test_unknown", {})
        return await client.call_tool("test_simple_text", {})

    assert not talk(conversation).is_error


ASKING = [
    ("elicitation", "Hello, Alice!"),
    ("sampling", "Paris"),
    ("list_roots", "file:///test/root"),
    ("request_state", "state-ok"),
    ("tampered_state", "state-ok"),
    ("multiple_inputs", "All of user_name, greeting, client_roots."),
    ("multi_round", "{'name': 'Alice'} {'color': 'blue'}"),
    ("capabilities", "Answered: user_name, greeting."),
]
ANSWERS = {"name": "Alice", "color": "blue", "ok": True}


async def elicited(context, params):
    fields = params.requested_schema["properties"]
    return types.ElicitResult(action="accept", content={name: ANSWERS[name] for name in fields})


async def sampled(context, params):
    content = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", content=content, model="test")


async def rooted(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///test/root")])


@pytest.mark.parametrize(("name", "said"), ASKING)
def test_the_official_client_answers_what_a_tool_asks(talk, name, said):
    answering = {"elicitation_callback": elicited, "sampling_callback": sampled, "list_roots_callback": rooted}
    result = talk(
        lambda client: client.call_tool(f"test_input_required_result_{name}", {}), mode="2026-07-28", **answering
    )
    assert text_of(result) == [said]


def test_a_client_that_cannot_be_asked_gets_its_own_error(talk):
    async def conversation(client):
        with pytest.raises(MCPError) as caught:
            await client.call_tool("test_missing_capability", {})
        return caught.value.error

    error = talk(conversation, mode="2026-07-28")
    assert (error.code, error.data) == (-32021, {"requiredCapabilities": {"sampling": {}}})


def test_a_client_with_a_handshake_is_told_what_it_takes(call):
    result = call("test_input_required_result_elicitation")
    assert result.is_error
    assert "2026-07-28" in text_of(result)[0]
