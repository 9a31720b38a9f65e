"""The official Python client, as it comes and with the handshake of the revisions before 2026-07-28."""

import copy

import pytest

from tests.e2e.client import ORDER
from tests.e2e.official import talk

MODES = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_the_server_tells_its_name_and_its_instructions(served, mode, revision):
    async def conversation(client):
        return client.server_info, client.instructions, client.protocol_version

    server_info, instructions, version = talk(served, conversation, mode=mode)
    assert server_info.name == "coffee-shop"
    assert "requires_confirmation" in instructions
    assert version == revision


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_an_order_from_the_search_to_the_replay(served, lattes, mode, revision):
    async def conversation(client):
        answers = {}

        async def call(step, tool, **arguments):
            answers[step] = await client.call_tool(tool, arguments)
            return answers[step].structured_content

        answers["tools"] = (await client.list_tools()).tools
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
        return answers

    answers = talk(served, conversation, mode=mode)
    tools = {tool.name: tool for tool in answers["tools"]}
    assert set(tools) == {"api_search", "api_describe", "api_read", "api_call"}
    assert tools["api_read"].annotations.read_only_hint is True
    assert tools["api_call"].annotations.destructive_hint is True
    assert ORDER in [api["name"] for api in answers["search"].structured_content["apis"]]
    described = answers["describe"].structured_content["apis"][0]
    assert described["tool"]["requiresApproval"] is True
    assert set(described["inputSchema"]["required"]) == {"customer_name", "items"}
    assert [row["id"] for row in answers["menu"].structured_content["response"]["results"]] == [7]
    assert answers["proposal"].structured_content["summary"] == "Create validated coffee shop order for Sam: 2 items"
    assert answers["changed"].structured_content["changed"] == ["items[0].quantity"]
    order = answers["confirmed"].structured_content["response"]
    assert served.inside.order(pk=order["id"])["total"] == order["total"]
    assert answers["replay"].is_error
    assert answers["replay"].structured_content["code"] == "confirmation_used"
    assert answers["replay"].structured_content["outcome"]["response"] == order


def test_two_grande_oat_milk_lattes_cost_eleven(served):
    async def conversation(client):
        lattes = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}
        return await client.call_tool("api_read", {"name": "PreviewCoffeeShopOrder", "args": lattes})

    assert talk(served, conversation, mode="auto").structured_content["response"]["total"] == "11.00"
