"""The official Python client, as it comes and with the handshake of the revisions before 2026-07-28."""

import copy

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ORDER = "CreateCoffeeShopOrder"
MODES = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]


@pytest.fixture
def talk(served):
    """Run a conversation with a client that is connected in the given mode."""

    def run(conversation, *, mode):
        async def main():
            headers = {"Authorization": f"Bearer {served.keys['sam']}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(f"http://127.0.0.1:{served.server.port}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await conversation(client)

        return anyio.run(main)

    return run


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_the_server_says_who_it_is_and_how_to_write(talk, mode, revision):
    async def conversation(client):
        return client.server_info, client.instructions, client.protocol_version

    server_info, instructions, version = talk(conversation, mode=mode)
    assert server_info.name == "coffee-shop"
    assert "requires_confirmation" in instructions
    assert version == revision


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_the_whole_job(served, talk, lattes, mode, revision):
    async def conversation(client):
        said = {}

        async def call(step, tool, **arguments):
            said[step] = await client.call_tool(tool, arguments)
            return said[step].structured_content

        said["tools"] = (await client.list_tools()).tools
        await call("search", "api_search", query="place an order for coffee")
        await call("describe", "api_describe", names=[ORDER])
        await call("menu", "api_read", name="GetCoffeeShopMenu", args={"search": "oat milk latte"})
        arguments = {"name": ORDER, "args": lattes}
        token = (await call("proposal", "api_call", **arguments))["confirmationToken"]
        changed = copy.deepcopy(lattes)
        changed["items"][0]["quantity"] = 3
        await call("changed", "api_call", name=ORDER, args=changed, confirmationToken=token)
        await call("confirmed", "api_call", **arguments, confirmationToken=token)
        await call("replay", "api_call", **arguments, confirmationToken=token)
        return said

    said = talk(conversation, mode=mode)
    tools = {tool.name: tool for tool in said["tools"]}
    assert set(tools) == {"api_search", "api_describe", "api_read", "api_call"}
    assert tools["api_read"].annotations.read_only_hint is True
    assert tools["api_call"].annotations.destructive_hint is True
    assert ORDER in [api["name"] for api in said["search"].structured_content["apis"]]
    described = said["describe"].structured_content["apis"][0]
    assert described["tool"]["requiresApproval"] is True
    assert set(described["inputSchema"]["required"]) == {"customer_name", "items"}
    assert [row["id"] for row in said["menu"].structured_content["response"]["results"]] == [7]
    assert said["proposal"].structured_content["summary"] == "Create validated coffee shop order for Sam: 2 items"
    assert said["changed"].structured_content["changed"] == ["items[0].quantity"]
    order = said["confirmed"].structured_content["response"]
    assert served.inside.order(pk=order["id"])["total"] == order["total"]
    assert said["replay"].is_error
    assert said["replay"].structured_content["code"] == "confirmation_used"
    assert said["replay"].structured_content["outcome"]["response"] == order


def test_two_grande_oat_milk_lattes_cost_eleven(talk):
    async def conversation(client):
        lattes = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}
        return await client.call_tool("api_read", {"name": "PreviewCoffeeShopOrder", "args": lattes})

    assert talk(conversation, mode="auto").structured_content["response"]["total"] == "11.00"
