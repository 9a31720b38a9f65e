"""What a caller may reach, seen through the endpoint."""

import json
from functools import wraps

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from rest_framework.permissions import (
    DjangoModelPermissions,
    DjangoModelPermissionsOrAnonReadOnly,
    IsAdminUser,
    IsAuthenticated,
)

from django_mcp.access import exposure, keys
from django_mcp.catalog import discovery
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.types import Safety

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


def test_search_does_not_know_the_words_of_what_the_users_permissions_refuse(make_mcp, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    queries = ("drinks", "bakery order", "bakery options order", "list what an order is", "bakrey", "")
    with monkeypatch.context() as patch:
        patch.setattr(MenuViewSet, "permission_classes", [IsAdminUser])
        forbidden = searched(make_mcp(), *queries)
    ToolRule.objects.create(name=MENU, exposure="hidden")
    assert forbidden == searched(make_mcp(), *queries)


@pytest.mark.parametrize("permission", [IsAdminUser, IsAuthenticated & IsAdminUser])
def test_the_rest_that_search_tells_of_is_what_the_user_may_call(make_mcp, monkeypatch, permission):
    from demo_project.coffee_shop.views import MenuViewSet

    def rest():
        mcp = make_mcp()
        return len(found(mcp)), mcp.tool("api_search", {"take": 1})["next"]

    count, said = rest()
    monkeypatch.setattr(MenuViewSet, "permission_classes", [permission])
    assert rest() == (count - 1, said.replace(str(count - 1), str(count - 2)))


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


def _wrapped(view_class):
    """As class decorators do it: the wrapper calls itself by the name and the module of what it wraps."""
    asked = view_class.get_permissions

    @wraps(asked)
    def get_permissions(view):
        return [*asked(view), IsAdminUser()]

    return "get_permissions", get_permissions


class _Varying:
    """A descriptor that says one thing of the class and another of a view."""

    def __get__(self, view, view_class):
        return [IsAuthenticated if view is None else IsAdminUser]


def _new(view_class, **_said):
    view = object.__new__(view_class)
    view.permission_classes = [IsAdminUser]
    return view


@pytest.mark.parametrize(
    "hosts_own",
    [_wrapped, lambda _class: ("permission_classes", _Varying()), lambda _class: ("__new__", _new)],
    ids=["wrapper", "descriptor", "new"],
)
def test_a_view_whose_own_code_is_not_plain_to_see_is_asked_all_the_same(make_mcp, monkeypatch, hosts_own):
    from demo_project.coffee_shop.views import MenuViewSet

    # Python does not forget that a class had a `__new__`, so it is given to one of its own.
    name, value = hosts_own(MenuViewSet)
    Own = type("Own", (MenuViewSet,), {name: value})
    operation = next(operation for operation in discovery.get_catalog().operations if operation.name == MENU)
    monkeypatch.setattr(operation.callback, "cls", Own)
    object.__setattr__(operation, "view_class", Own)
    try:
        mcp = make_mcp()
        assert out_of_reach(mcp, MENU) == out_of_reach(mcp, "NoSuchOperation")
    finally:
        object.__setattr__(operation, "view_class", MenuViewSet)


@pytest.mark.parametrize("permission", [DjangoModelPermissions, DjangoModelPermissionsOrAnonReadOnly])
@pytest.mark.parametrize("may", [True, False])
def test_permissions_by_model_say_the_same_with_and_without_a_view(make_mcp, monkeypatch, user, permission, may):
    from demo_project.coffee_shop.views import MenuViewSet

    class ToView(permission):
        perms_map = {**permission.perms_map, "GET": ["%(app_label)s.view_%(model_name)s"]}

    if may:
        user.user_permissions.add(Permission.objects.get(codename="view_product"))
    monkeypatch.setattr(permission, "perms_map", ToView.perms_map)
    for asked in (permission, ToView):
        monkeypatch.setattr(MenuViewSet, "permission_classes", [asked])
        assert (MENU in found(make_mcp())) is may


def test_a_view_to_which_permissions_by_model_do_not_apply_is_reached_without_them(make_mcp, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(DjangoModelPermissions, "perms_map", {"GET": ["%(app_label)s.view_%(model_name)s"]})
    monkeypatch.setattr(MenuViewSet, "permission_classes", [DjangoModelPermissions])
    assert MENU not in found(make_mcp())
    monkeypatch.setattr(MenuViewSet, "_ignore_model_permissions", True, raising=False)
    assert MENU in found(make_mcp())


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
