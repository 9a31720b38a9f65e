"""Operations as tools of their own, seen through the endpoint."""

import pytest

from django_mcp.catalog.discovery import get_catalog
from django_mcp.choices import EventKind, Safety
from django_mcp.models import AuditEvent, Confirmation, ToolGroup, ToolRule
from tests.tools.listing import publish, tools

MENU = "GetCoffeeShopMenu"
CREATE = "CreateCoffeeShopOrder"
UPDATE = "UpdateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"
API_TOOLS = ["api_search", "api_describe", "api_read", "api_call"]
TWO_LATTES = {"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]}


def own(mcp):
    """Return the tools that are operations' own."""
    operations = {operation.name for operation in get_catalog().operations}
    return {name for name in tools(mcp) if name in operations}


@pytest.fixture
def each(mcp):
    """Return a client of the coffee shop, which is published as one tool each."""
    publish("one_tool_each")
    return mcp


@pytest.fixture
def both(mcp):
    publish("both")
    return mcp


def instructions(mcp):
    return mcp.rpc("initialize", {"protocolVersion": "2025-11-25"})["result"]["instructions"]


def test_by_default_operations_are_no_tools(mcp):
    assert own(mcp) == set()
    assert mcp.rpc("tools/call", {"name": MENU, "arguments": {}})["error"]["code"] == -32602


def test_one_tool_each_leaves_the_api_tools_out(each):
    assert {MENU, CREATE, CANCEL} <= own(each)
    assert not set(API_TOOLS) & tools(each).keys()
    assert each.call(MENU, {})["code"] == "not_found"
    assert each.tool("api_read", {"name": MENU, "args": {}})["code"] == "not_found"
    assert "error" in each.tool("api_describe", {"names": [MENU]})["apis"][0]
    assert each.tool("api_search", {"query": "menu"})["status"] == "no_match"


def test_both_ways_reach_the_same_operation(both):
    assert set(API_TOOLS) < tools(both).keys()
    by_api = both.tool("api_read", {"name": MENU, "args": {"limit": 1}})
    assert both.tool(MENU, {"limit": 1}) == by_api
    assert by_api["status"] == "success"


def test_settings_publish_a_group(mcp, settings):
    settings.DJANGO_MCP = {"PUBLISH_AS": {"coffee-shop": "both"}}
    assert MENU in tools(mcp)


def test_the_admins_word_goes_before_the_settings(mcp, settings):
    settings.DJANGO_MCP = {"PUBLISH_AS": {"coffee-shop": "both"}}
    publish("one_tool_each")
    assert "api_call" not in tools(mcp)


@pytest.mark.parametrize("setting", [{"coffee-shop": "somehow"}, {"coffee-shop": None}, "both", {"api_tools": "both"}])
def test_settings_that_cannot_be_read_publish_nothing_more(mcp, settings, setting):
    settings.DJANGO_MCP = {"PUBLISH_AS": setting}
    assert own(mcp) == set()
    assert set(API_TOOLS) < {*tools(mcp), ""}


def test_publishing_exposes_nothing(mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"PUBLISH_AS": {"coffee-shop": "both"}, "TOOLS": [MENU]}
    assert own(mcp) == {MENU}
    assert mcp.rpc("tools/call", {"name": CREATE, "arguments": TWO_LATTES})["error"]["code"] == -32602


def test_naming_a_hidden_operation_does_not_reach_it(each, settings):
    ToolRule.objects.create(name=MENU, exposure="hidden")
    settings.DJANGO_MCP = {"TOOLS": [MENU]}
    assert MENU not in own(each)
    assert each.rpc("tools/call", {"name": MENU, "arguments": {}})["error"]["code"] == -32602


def test_hidden_and_nonexistent_tools_look_alike(make_mcp):
    publish("one_tool_each")
    mcp = make_mcp(highest_safety=Safety.READ_ONLY)
    forbidden = mcp.rpc("tools/call", {"name": CREATE, "arguments": {}})["error"]
    missing = mcp.rpc("tools/call", {"name": "NoSuchTool", "arguments": {}})["error"]
    assert str(forbidden).replace(CREATE, "NAME") == str(missing).replace("NoSuchTool", "NAME")


def test_a_key_lists_only_the_operations_it_reaches(make_mcp):
    publish("one_tool_each")
    assert CREATE not in own(make_mcp(highest_safety=Safety.READ_ONLY))
    assert CANCEL not in own(make_mcp(highest_safety=Safety.WRITE))
    assert own(make_mcp(all_groups=False, groups=["other"])) == set()


def test_a_view_that_forbids_the_caller_is_not_listed(each, monkeypatch):
    from rest_framework.permissions import BasePermission

    from demo_project.coffee_shop.views import MenuViewSet

    class Nobody(BasePermission):
        def has_permission(self, request, view):
            return False

    monkeypatch.setattr(MenuViewSet, "permission_classes", [Nobody])
    assert MENU not in own(each)


def test_a_tool_says_what_its_operation_is(each):
    tool = tools(each)[CREATE]
    operation = get_catalog().get(CREATE)
    assert tool["title"] == operation.summary
    assert tool["description"].startswith(operation.hints.description or operation.description)
    assert tool["annotations"] == {"readOnlyHint": False, "destructiveHint": False}
    assert set(tool["inputSchema"]["properties"]) == {"customer_name", "items", "confirmationToken"}
    assert tool["inputSchema"]["required"] == ["customer_name", "items"]
    assert tool["outputSchema"]["required"] == ["status"]
    assert tools(each)[MENU]["annotations"] == {"readOnlyHint": True}
    assert tools(each)[CANCEL]["annotations"] == {"readOnlyHint": False, "destructiveHint": True}


def test_the_token_is_an_argument_only_where_something_is_asked(each):
    assert "confirmationToken" not in tools(each)[MENU]["inputSchema"]["properties"]
    ToolRule.objects.create(name=MENU, requires_approval=True)
    assert "confirmationToken" in tools(each)[MENU]["inputSchema"]["properties"]
    ToolGroup.objects.update(approval_mode="delegate_to_client")
    assert "confirmationToken" not in tools(each)[CREATE]["inputSchema"]["properties"]
    assert "confirmationToken" in tools(each)[MENU]["inputSchema"]["properties"]


def test_the_whole_flow(each):
    proposal = each.tool(CREATE, TWO_LATTES)
    assert proposal["status"] == "requires_confirmation"
    assert f"call {CREATE} again" in proposal["instruction"]
    done = each.tool(CREATE, {**TWO_LATTES, "confirmationToken": proposal["confirmationToken"]})
    assert (done["status"], done["api"], done["httpStatus"]) == ("success", CREATE, 201)
    replay = each.tool(CREATE, {**TWO_LATTES, "confirmationToken": proposal["confirmationToken"]})
    assert (replay["code"], replay["outcome"]["response"]) == ("confirmation_used", done["response"])
    row = Confirmation.objects.get()
    assert (row.tool, row.target) == (CREATE, CREATE)
    assert AuditEvent.objects.filter(kind=EventKind.EXECUTED, tool=CREATE).count() == 1


def test_the_token_alone_stands_for_the_arguments_it_was_given_for(each):
    token = each.tool(CREATE, TWO_LATTES)["confirmationToken"]
    done = each.tool(CREATE, {"confirmationToken": token, "confirm": True})
    assert done["status"] == "success"
    assert done["response"]["customer_name"] == "Sam"


def test_arguments_that_were_not_kept_are_asked_for_again(each):
    token = each.tool(CREATE, TWO_LATTES)["confirmationToken"]
    Confirmation.objects.update(effective=None)
    assert "send the same args" in each.tool(CREATE, {"confirmationToken": token})["error"]


def test_what_cannot_be_described_is_said_in_the_schema(each, monkeypatch):
    from dataclasses import replace

    from django_mcp.tools import operation_tools

    real = operation_tools.schema_of
    noted = lambda operation, reach: replace(real(operation, reach), notes=("Read the manual.",))  # noqa: E731
    monkeypatch.setattr(operation_tools, "schema_of", noted)
    assert tools(each)[CREATE]["inputSchema"]["description"] == "Read the manual."


def test_other_arguments_than_those_shown_run_nothing(each):
    token = each.tool(CREATE, TWO_LATTES)["confirmationToken"]
    changed = {**TWO_LATTES, "customer_name": "Kim", "confirmationToken": token}
    assert each.tool(CREATE, changed)["changed"] == ["customer_name"]


@pytest.mark.parametrize("consent", [{"confirm": True}, {"approved": "yes"}, {"confirmationToken": "yes"}])
def test_saying_yes_is_a_first_call(each, consent):
    assert each.tool(CREATE, {**TWO_LATTES, **consent})["status"] == "requires_confirmation"


def test_unknown_arguments_are_refused(each):
    assert each.tool(CREATE, {**TWO_LATTES, "customer": "Sam"})["code"] == "validation_error"


def test_a_token_of_one_way_is_not_spent_on_the_other(both):
    by_api = both.propose(CREATE, TWO_LATTES)
    by_tool = both.tool(CREATE, TWO_LATTES)["confirmationToken"]
    assert both.tool(CREATE, {**TWO_LATTES, "confirmationToken": by_api})["code"] == "confirmation_wrong_operation"
    assert both.call(CREATE, TWO_LATTES, confirmationToken=by_tool)["code"] == "confirmation_wrong_operation"
    assert both.tool(CREATE, {"confirmationToken": by_api})["code"] == "confirmation_wrong_operation"
    assert both.call(CREATE, TWO_LATTES, confirmationToken=by_api)["status"] == "success"
    assert both.tool(CREATE, {**TWO_LATTES, "confirmationToken": by_tool})["status"] == "success"


def test_a_token_of_one_operations_tool_is_not_spent_on_anothers(each):
    order = each.tool(CREATE, {"confirmationToken": each.tool(CREATE, TWO_LATTES)["confirmationToken"]})["response"]
    token = each.tool(UPDATE, {"id": order["id"], "customer_name": "Sammy"})["confirmationToken"]
    refused = each.tool(CANCEL, {"id": order["id"], "confirmationToken": token})
    assert refused["code"] == "confirmation_wrong_operation"


def test_follow_ups_are_named_whichever_way_they_are_published(each):
    order = each.tool(CREATE, {"confirmationToken": each.tool(CREATE, TWO_LATTES)["confirmationToken"]})
    assert CANCEL in order["next"]


def test_hiding_the_api_tools_leaves_the_own_tools(both):
    ToolGroup.objects.create(name="api_tools", exposed=False)
    assert not set(API_TOOLS) & tools(both).keys()
    assert both.tool(MENU, {})["status"] == "success"


# Instructions


def test_no_instruction_names_a_tool_that_is_not_listed(each):
    assert not any(name in instructions(each) for name in API_TOOLS)
    assert "requires_confirmation" in instructions(each)


def test_the_instructions_are_on_the_api_tools_where_they_are_listed(both):
    assert "api_call" in instructions(both)


def test_what_the_host_says_stands_whatever_is_listed(each, settings):
    settings.DJANGO_MCP = {"INSTRUCTIONS": "Be kind."}
    assert instructions(each) == "Be kind."
