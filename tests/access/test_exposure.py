"""What a caller may reach, seen through the endpoint."""

import json

import pytest
from rest_framework.permissions import IsAdminUser, IsAuthenticated

from django_mcp.catalog import discovery
from django_mcp.choices import Safety
from django_mcp.models import ToolGroup, ToolRule
from tests.access.answers import CANCEL, CREATE, MENU, out_of_reach, search_names


def search_answers(mcp, *queries):
    """Return the whole answer of search to each query."""
    return [json.dumps(mcp.tool("api_search", {"query": query})) for query in queries]


def test_nothing_is_reached_until_someone_names_it(mcp):
    ToolGroup.objects.update(exposed=False)
    assert mcp.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 404


def test_settings_expose_a_group(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    assert CREATE in search_names(mcp)


def test_settings_expose_one_operation(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOLS": [MENU]}
    assert search_names(mcp) == {MENU}


def test_the_api_tools_group_alone_exposes_nothing(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["api_tools"]}
    assert mcp.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 404


def test_hiding_the_api_tools_removes_them(mcp):
    ToolGroup.objects.create(name="api_tools", exposed=False)
    assert mcp.rpc("tools/list")["result"]["tools"] == []
    assert mcp.rpc("tools/call", {"name": "api_search", "arguments": {}})["error"]["code"] == -32602


def test_a_rule_hides_one_operation_of_an_exposed_group(mcp):
    ToolRule.objects.create(name=CANCEL, exposure="hidden")
    assert CANCEL not in search_names(mcp)
    assert mcp.call(CANCEL, {"id": 1})["code"] == "not_found"


def test_a_hidden_group_is_gone_on_the_very_next_request(mcp):
    assert MENU in search_names(mcp)
    ToolGroup.objects.filter(name="coffee-shop").update(exposed=False)
    assert mcp.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404


def test_hidden_forbidden_and_nonexistent_look_alike(make_mcp):
    ToolRule.objects.create(name=CANCEL, exposure="hidden")
    mcp = make_mcp(highest_safety=Safety.READ_ONLY)
    hidden, forbidden, missing = (out_of_reach(mcp, name) for name in (CANCEL, CREATE, "NoSuchOperation"))
    assert hidden == forbidden == missing


def test_search_is_not_swayed_by_what_the_caller_does_not_reach(make_mcp, settings):
    queries = ("cancel", "CancelCoffeeShopOrder", "cansel", "keep it in the list as cancelled")
    forbidden = search_answers(make_mcp(highest_safety=Safety.WRITE), *queries)
    rule = ToolRule.objects.create(name=CANCEL, exposure="hidden")
    hidden = search_answers(make_mcp(), *queries)
    rule.delete()
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": [CANCEL]}
    discovery.forget()
    missing = search_answers(make_mcp(), *queries)
    discovery.forget()
    assert forbidden == hidden == missing


def test_search_does_not_know_the_words_of_what_the_users_permissions_refuse(make_mcp, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    queries = ("drinks", "bakery order", "bakery options order", "list what an order is", "bakrey", "")
    with monkeypatch.context() as patch:
        patch.setattr(MenuViewSet, "permission_classes", [IsAdminUser])
        forbidden = search_answers(make_mcp(), *queries)
    ToolRule.objects.create(name=MENU, exposure="hidden")
    assert forbidden == search_answers(make_mcp(), *queries)


@pytest.mark.parametrize("permission", [IsAdminUser, IsAuthenticated & IsAdminUser])
def test_the_rest_that_search_tells_of_is_what_the_user_may_call(make_mcp, monkeypatch, permission):
    from demo_project.coffee_shop.views import MenuViewSet

    def rest():
        mcp = make_mcp()
        return len(search_names(mcp)), mcp.tool("api_search", {"take": 1})["next"]

    count, hint = rest()
    monkeypatch.setattr(MenuViewSet, "permission_classes", [permission])
    assert rest() == (count - 1, hint.replace(str(count - 1), str(count - 2)))


def test_a_key_reaches_only_its_groups(make_mcp):
    assert search_names(make_mcp(all_groups=False, groups=["other"])) == set()
    assert MENU in search_names(make_mcp(all_groups=False, groups=["coffee-shop"]))


def test_a_key_reaches_no_more_than_its_highest_safety(make_mcp):
    assert CREATE not in search_names(make_mcp(highest_safety=Safety.READ_ONLY))
    assert CANCEL not in search_names(make_mcp(highest_safety=Safety.WRITE))
    assert CREATE in search_names(make_mcp(highest_safety=Safety.WRITE))


def test_the_tools_are_not_listed_for_a_key_that_reaches_nothing(make_mcp):
    assert make_mcp(all_groups=False).rpc("tools/list")["result"]["tools"] == []


@pytest.mark.parametrize(
    ("highest", "hint"),
    [
        (Safety.READ_ONLY, {"readOnlyHint": True}),
        (Safety.WRITE, {"readOnlyHint": False, "destructiveHint": False}),
        (Safety.DESTRUCTIVE, {"readOnlyHint": False, "destructiveHint": True}),
    ],
)
def test_the_call_tool_is_as_dangerous_as_the_worst_it_reaches(make_mcp, highest, hint):
    tools = {tool["name"]: tool for tool in make_mcp(highest_safety=highest).rpc("tools/list")["result"]["tools"]}
    assert tools["api_call"]["annotations"] == hint
    assert tools["api_read"]["annotations"] == {"readOnlyHint": True}


def test_follow_ups_out_of_reach_are_left_out(make_mcp):
    described = make_mcp(highest_safety=Safety.WRITE).tool("api_describe", {"names": CREATE})["apis"][0]
    assert CANCEL not in described["followUps"]
    assert "UpdateCoffeeShopOrder" in described["followUps"]
