"""Which callers list and call a tool that a host defines, seen through the endpoint."""

import pytest
from django.contrib.auth.models import Permission

from django_mcp.access import keys
from django_mcp.choices import Safety
from django_mcp.models import Confirmation, ToolGroup, ToolRule
from django_mcp.testing import McpClient, RpcError
from tests.tools.hosted.conftest import Cup, brew


def test_a_caller_of_host_tools_alone_is_told_of_no_other(offer, user):
    offer(brew)
    session = McpClient(user=user, groups="kitchen").request("initialize", {"protocolVersion": "2025-11-25"})
    assert "api_" not in session["instructions"]


def test_a_tool_of_an_exposed_group_is_listed_and_runs(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    assert mcp.tools()["brew"]["annotations"] == {"readOnlyHint": True}
    assert mcp.tool("brew", {"size": "small"}).data == {"brewed": {"size": "small", "count": 1}}
    assert not Confirmation.objects.exists()


def test_undeclared_safety_is_a_write_and_promises_nothing(offer, mcp, user):
    offer(brew)
    assert "annotations" not in mcp.tools()["brew"]
    assert mcp.tool("brew").status == "requires_confirmation"
    assert "brew" not in McpClient(user=user, highest_safety=Safety.READ_ONLY).tools()


@pytest.mark.parametrize(("safety", "destructive"), [(Safety.WRITE, False), (Safety.DESTRUCTIVE, True)])
def test_declared_safety_is_published(offer, mcp, safety, destructive):
    offer(brew, safety=safety, annotations={"idempotentHint": True})
    annotations = {"readOnlyHint": False, "destructiveHint": destructive, "idempotentHint": True}
    assert mcp.tools()["brew"]["annotations"] == annotations


def test_a_hidden_group_hides_its_tools(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    ToolGroup.objects.filter(name="kitchen").update(exposed=False)
    assert "brew" not in mcp.tools()
    with pytest.raises(RpcError, match='Unknown tool: "brew"'):
        mcp.tool("brew")


def test_a_rule_hides_one_tool_of_a_group(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    offer(brew, safety=Safety.READ_ONLY, name="steam")
    ToolRule.objects.create(name="steam", exposure=ToolRule.Exposure.HIDDEN)
    assert {"brew", "steam"} & set(mcp.tools()) == {"brew"}
    with pytest.raises(RpcError, match="Unknown tool"):
        mcp.tool("steam")


def test_a_key_reaches_the_tools_of_its_groups_only(offer, user):
    offer(brew, safety=Safety.READ_ONLY)
    assert "brew" in McpClient(user=user, groups=["kitchen"]).tools()
    with pytest.raises(RpcError, match="Unknown tool"):
        McpClient(user=user, groups=["coffee-shop"]).tool("brew")


def test_permissions_by_name_are_the_users_own(offer, mcp, user):
    offer(brew, safety=Safety.READ_ONLY, permissions=["coffee_shop.change_order"])
    assert "brew" not in mcp.tools()
    user.user_permissions.add(Permission.objects.get(codename="change_order"))
    assert "brew" in mcp.tools()
    assert not mcp.tool("brew").is_error


def test_a_callable_decides_who_may(offer, mcp, user):
    offer(brew, safety=Safety.READ_ONLY, permissions=lambda caller: caller.user.is_staff)
    assert "brew" not in mcp.tools()
    user.is_staff = True
    user.save()
    assert "brew" in mcp.tools()


def test_a_callable_that_fails_hides_its_tool_and_no_other(offer, mcp, caplog):
    offer(brew, safety=Safety.READ_ONLY, permissions=lambda caller: 1 / 0)
    offer(brew, safety=Safety.READ_ONLY, name="steam")
    assert {"brew", "steam"} & set(mcp.tools()) == {"steam"}
    assert "The permissions of the tool brew failed" in caplog.text


@pytest.mark.parametrize(
    ("permissions", "reached"),
    [
        (None, False),
        (lambda caller: True, False),
        ([], True),
        (["coffee_shop.view_order"], True),
        (["coffee_shop.change_order"], False),
    ],
)
def test_a_key_narrowed_to_permissions_reaches_what_is_known_to_need_no_more(offer, user, permissions, reached):
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_order", "change_order"]))
    options = {} if permissions is None else {"permissions": permissions}
    offer(brew, safety=Safety.READ_ONLY, **options)
    _key, secret = keys.issue(name="narrow", user=user, all_groups=True, permissions=["coffee_shop.view_order"])
    assert ("brew" in McpClient(key=secret).tools()) is reached


def test_an_anonymous_caller_has_no_permissions(offer, settings):
    offer(brew, safety=Safety.READ_ONLY, permissions=["coffee_shop.view_order"])
    offer(brew, safety=Safety.READ_ONLY, name="look")
    settings.DJANGO_MCP = {"REQUIRE_AUTH": False, "USER_GROUPS": ["kitchen"]}
    assert {"brew", "look"} & set(McpClient().tools()) == {"look"}
