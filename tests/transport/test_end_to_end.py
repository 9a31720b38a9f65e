"""The endpoint with everything behind it, as far as the layers meet here."""

import json

from django_mcp.access import keys


def test_the_tools_are_listed_and_read(mcp):
    names = {tool["name"] for tool in mcp.rpc("tools/list")["result"]["tools"]}
    assert {"api_search", "api_describe", "api_call", "api_read"} <= names
    assert mcp.tool("api_search", {"query": "menu"})["status"] == "success"


def test_an_unknown_tool_and_bad_input_are_different_layers(mcp):
    assert mcp.rpc("tools/call", {"name": "nope", "arguments": {}})["error"]["code"] == -32602
    result = mcp.rpc("tools/call", {"name": "api_call", "arguments": {}})["result"]
    assert result["isError"] is True


def test_a_right_key_without_permission_is_not_401(mcp, user):
    mcp.secret = keys.issue(name="bare", user=user)[1]
    response = mcp.post(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "api_call", "arguments": {"name": "GetCoffeeShopMenu", "args": {}}},
        }
    )
    assert response.status_code == 200
    assert "WWW-Authenticate" not in response
    body = json.loads(response.content)
    assert "error" in body or body["result"]["isError"] is True


def test_a_listing_costs_one_query(mcp, django_assert_max_num_queries):
    mcp.rpc("tools/list")
    with django_assert_max_num_queries(1):
        assert "result" in mcp.rpc("tools/list")
