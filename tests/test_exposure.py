"""What a caller may reach, seen through the endpoint."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from rest_framework.permissions import IsAdminUser, IsAuthenticated

from django_mcp import exposure, keys
from django_mcp.catalog import discovery
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.vocabulary import Safety

MENU = "GetCoffeeShopMenu"
CREATE = "CreateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"
TWO_LATTES = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}


def found(mcp, **arguments):
    return {api["name"] for api in mcp.tool("api_search", {"take": 100, **arguments})["apis"]}


def masked(answer, name):
    """The answer's bytes without the one thing that may differ: the echoed name."""
    return json.dumps(answer).replace(name, "NAME")


def out_of_reach(mcp, name):
    """Everything that describe and call say of a name which the caller does not reach."""
    return (
        masked(mcp.tool("api_describe", {"names": [name]}), name),
        masked(mcp.call(name, {}), name),
        masked(mcp.tool("api_read", {"name": name, "args": {}}), name),
    )


def searched(mcp, *queries):
    """What search says of each query, to the letter."""
    return [json.dumps(mcp.tool("api_search", {"query": query})) for query in queries]


def test_nothing_is_reached_until_someone_names_it(mcp):
    ToolGroup.objects.update(exposed=False)
    assert mcp.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 404


def test_settings_expose_a_group(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["coffee-shop"]}
    assert CREATE in found(mcp)


def test_settings_expose_one_operation(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOLS": [MENU]}
    assert found(mcp) == {MENU}


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
    assert CANCEL not in found(mcp)
    assert mcp.call(CANCEL, {"id": 1})["code"] == "not_found"


def test_a_hidden_group_is_gone_on_the_very_next_request(mcp):
    assert MENU in found(mcp)
    ToolGroup.objects.filter(name="coffee-shop").update(exposed=False)
    assert mcp.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 404


def test_hidden_forbidden_and_nonexistent_look_alike(make_mcp):
    ToolRule.objects.create(name=CANCEL, exposure="hidden")
    mcp = make_mcp(highest_safety=Safety.READ_ONLY)
    hidden, forbidden, missing = (out_of_reach(mcp, name) for name in (CANCEL, CREATE, "NoSuchOperation"))
    assert hidden == forbidden == missing


def test_search_is_not_swayed_by_what_the_caller_does_not_reach(make_mcp, settings):
    queries = ("cancel", "CancelCoffeeShopOrder", "cansel", "keep it in the list as cancelled")
    forbidden = searched(make_mcp(highest_safety=Safety.WRITE), *queries)
    rule = ToolRule.objects.create(name=CANCEL, exposure="hidden")
    hidden = searched(make_mcp(), *queries)
    rule.delete()
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": [CANCEL]}
    discovery.forget()
    missing = searched(make_mcp(), *queries)
    discovery.forget()
    assert forbidden == hidden == missing


def test_an_operation_that_its_view_forbids_looks_nonexistent(make_mcp, monkeypatch):
    from rest_framework.permissions import BasePermission

    from demo_project.coffee_shop.views import MenuViewSet

    class Nobody(BasePermission):
        def has_permission(self, request, view):
            return False

    monkeypatch.setattr(MenuViewSet, "permission_classes", [Nobody])
    mcp = make_mcp()
    assert out_of_reach(mcp, MENU) == out_of_reach(mcp, "NoSuchOperation")


@pytest.mark.parametrize("method", ["initialize_request", "get_permissions", "perform_content_negotiation"])
def test_an_operation_whose_view_refuses_in_a_way_of_its_own_looks_nonexistent(make_mcp, monkeypatch, method):
    from demo_project.coffee_shop.views import MenuViewSet

    def refuse(view, *args, **kwargs):
        raise PermissionDenied

    monkeypatch.setattr(MenuViewSet, method, refuse)
    mcp = make_mcp()
    assert out_of_reach(mcp, MENU) == out_of_reach(mcp, "NoSuchOperation")


@pytest.mark.parametrize("permission", [IsAdminUser, IsAuthenticated & IsAdminUser])
def test_the_permissions_that_a_view_declares_are_asked_of_the_user(
    make_mcp, monkeypatch, permission, django_user_model
):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(MenuViewSet, "permission_classes", [permission])
    assert MENU not in found(make_mcp())
    assert MENU in found(make_mcp(django_user_model.objects.get(username="admin")))


def test_a_key_reaches_only_its_groups(make_mcp):
    assert found(make_mcp(all_groups=False, groups=["other"])) == set()
    assert MENU in found(make_mcp(all_groups=False, groups=["coffee-shop"]))


def test_a_key_reaches_no_more_than_its_highest_safety(make_mcp):
    assert CREATE not in found(make_mcp(highest_safety=Safety.READ_ONLY))
    assert CANCEL not in found(make_mcp(highest_safety=Safety.WRITE))
    assert CREATE in found(make_mcp(highest_safety=Safety.WRITE))


def test_a_key_narrowed_to_permissions_reaches_only_what_declares_them(make_mcp):
    assert found(make_mcp(permissions=["coffee_shop.add_order"])) == set()


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


def test_a_narrowed_key_does_not_reach_an_action_that_asks_for_something_else(make_mcp, monkeypatch):
    from rest_framework.permissions import BasePermission, DjangoModelPermissions

    from demo_project.coffee_shop.views import OrderViewSet

    class NeedsMore(BasePermission):
        pass

    narrowed = make_mcp(permissions=["coffee_shop.add_order"])
    monkeypatch.setattr(OrderViewSet, "permission_classes", [DjangoModelPermissions])
    assert exposure.within_limits(operation(CREATE), limited(narrowed))
    monkeypatch.setattr(OrderViewSet, "permission_classes", [DjangoModelPermissions, NeedsMore])
    assert not exposure.within_limits(operation(CREATE), limited(narrowed))


def operation(name):
    return discovery.get_catalog().get(name)


def limited(mcp):
    return keys.caller(keys.authenticate(mcp.secret), address="", client="")
