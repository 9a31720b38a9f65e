"""The permissions of views, as they keep operations out of reach."""

from dataclasses import replace
from functools import wraps

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import (
    AllowAny,
    BasePermission,
    DjangoModelPermissions,
    DjangoModelPermissionsOrAnonReadOnly,
    DjangoObjectPermissions,
    IsAdminUser,
    IsAuthenticated,
)

from demo_project.coffee_shop.models import Order
from django_mcp.access import exposure, keys
from django_mcp.catalog import discovery
from tests.access.answers import CREATE, MENU, out_of_reach, search_names


def test_an_operation_that_its_view_forbids_looks_nonexistent(make_mcp, monkeypatch):
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
    """Wrap a method as class decorators do: the wrapper takes the name and the module of the method."""
    wrapped = view_class.get_permissions

    @wraps(wrapped)
    def get_permissions(view):
        return [*wrapped(view), IsAdminUser()]

    return "get_permissions", get_permissions


class _Varying:
    """A descriptor with one value for the class and another for a view."""

    def __get__(self, view, view_class):
        return [IsAuthenticated if view is None else IsAdminUser]


def _new(view_class, **_initkwargs):
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
    for permission_class in (permission, ToView):
        monkeypatch.setattr(MenuViewSet, "permission_classes", [permission_class])
        assert (MENU in search_names(make_mcp())) is may


def test_a_view_to_which_permissions_by_model_do_not_apply_is_reached_without_them(make_mcp, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(DjangoModelPermissions, "perms_map", {"GET": ["%(app_label)s.view_%(model_name)s"]})
    monkeypatch.setattr(MenuViewSet, "permission_classes", [DjangoModelPermissions])
    assert MENU not in search_names(make_mcp())
    monkeypatch.setattr(MenuViewSet, "_ignore_model_permissions", True, raising=False)
    assert MENU in search_names(make_mcp())


@pytest.mark.parametrize("permission", [IsAdminUser, IsAuthenticated & IsAdminUser])
def test_the_permissions_that_a_view_declares_are_asked_of_the_user(
    make_mcp, monkeypatch, permission, django_user_model
):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(MenuViewSet, "permission_classes", [permission])
    assert MENU not in search_names(make_mcp())
    assert MENU in search_names(make_mcp(django_user_model.objects.get(username="admin")))


def test_a_key_narrowed_to_permissions_reaches_only_what_declares_them(make_mcp):
    assert search_names(make_mcp(permissions=["coffee_shop.add_order"])) == set()


@pytest.fixture
def goods(monkeypatch):
    """A function that gives the view of `CREATE` these permissions, and other attributes."""
    from demo_project.coffee_shop.views import OrderViewSet

    def give(*permission_classes, **attributes):
        monkeypatch.setattr(OrderViewSet, "permission_classes", list(permission_classes))
        monkeypatch.setattr(OrderViewSet, "get_queryset", GenericAPIView.get_queryset)
        for name, value in attributes.items():
            monkeypatch.setattr(OrderViewSet, name, value, raising=False)

    return give


def test_a_narrowed_key_reaches_what_asks_for_its_permissions_by_model(make_mcp, goods):
    goods(DjangoModelPermissions)
    assert reaches(make_mcp(permissions=["coffee_shop.add_order"]), CREATE)
    assert not reaches(make_mcp(permissions=["coffee_shop.change_order"]), CREATE)


class NeedsMore(BasePermission):
    pass


class AsksMore(DjangoModelPermissions):
    def has_permission(self, request, view):
        return super().has_permission(request, view) and request.user.has_perm("coffee_shop.refund")


class AsksMoreOfRows(DjangoObjectPermissions):
    def has_object_permission(self, request, view, obj):
        return super().has_object_permission(request, view, obj) and request.user.has_perm("coffee_shop.refund")


class AsksByName(DjangoModelPermissions):
    def get_required_permissions(self, method, model_cls):
        return super().get_required_permissions(method, model_cls)


@pytest.mark.parametrize(
    "classes",
    [
        [DjangoModelPermissions, NeedsMore], [AsksMore], [AsksMoreOfRows], [AsksByName], [IsAuthenticated], [AllowAny],
        [DjangoModelPermissions & IsAuthenticated], [DjangoModelPermissions | IsAdminUser], [],
    ],
)  # fmt: skip
def test_a_narrowed_key_does_not_reach_what_may_ask_for_more(make_mcp, goods, classes):
    goods(*classes)
    every = [*DjangoModelPermissions().get_required_permissions("POST", Order), "coffee_shop.view_order"]
    assert not reaches(make_mcp(permissions=every), CREATE)


@pytest.mark.parametrize(
    "attributes",
    [
        {"get_queryset": lambda view: Order.objects.all()},
        {"get_permissions": lambda view: [AsksMore()]},
        {"check_permissions": lambda view, request: None},
        {"initial": lambda view, request, *args, **kwargs: None},
        {"_ignore_model_permissions": True},
        {"queryset": None},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
def test_a_narrowed_key_does_not_reach_a_view_whose_own_code_decides(make_mcp, goods, attributes):
    goods(DjangoModelPermissions, **attributes)
    assert not reaches(make_mcp(permissions=["coffee_shop.add_order"]), CREATE)


def test_a_key_narrowed_to_none_reaches_nothing_that_nobody_declared_to_need_none(make_mcp, goods, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(MenuViewSet, "permission_classes", [DjangoModelPermissions])
    goods(DjangoModelPermissions)
    nothing = make_mcp(permissions=[])
    assert search_names(nothing) == set()
    assert nothing.call(MENU, {})["code"] == nothing.call(CREATE, {})["code"] == "not_found"


def test_a_key_narrowed_to_none_reaches_what_is_declared_to_need_none(make_mcp):
    declared = operation(MENU)
    hints = declared.hints
    object.__setattr__(declared, "hints", replace(hints, permissions=()))
    try:
        assert search_names(make_mcp(permissions=[])) == {MENU}
    finally:
        object.__setattr__(declared, "hints", hints)


def test_reading_takes_the_permission_to_view_where_drf_asks_for_none(make_mcp, monkeypatch):
    from demo_project.coffee_shop.views import MenuViewSet

    monkeypatch.setattr(MenuViewSet, "permission_classes", [DjangoModelPermissions])
    assert MENU not in search_names(make_mcp(permissions=["coffee_shop.add_order"]))
    assert search_names(make_mcp(permissions=["coffee_shop.view_product"])) == {MENU}


def test_permissions_of_rows_are_asked_of_the_key_too(make_mcp, goods):
    class ByRow(DjangoObjectPermissions):
        perms_map = {**DjangoObjectPermissions.perms_map, "POST": ["%(app_label)s.add_%(model_name)s", "shop.tag"]}

    goods(ByRow)
    assert not reaches(make_mcp(permissions=["coffee_shop.add_order"]), CREATE)
    assert reaches(make_mcp(permissions=["coffee_shop.add_order", "shop.tag"]), CREATE)


def operation(name):
    return discovery.get_catalog().get(name)


def reaches(mcp, name):
    """Tell whether the limits of a key admit the operation, whoever its user is."""
    key = keys.authenticate(mcp.secret)
    return exposure.within_limits(operation(name), keys.caller(key, address="", client=""))
