"""The permissions of an operation's view: what they ask for, and how they answer a user before any call."""

from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.exceptions import APIException
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import (
    AllowAny,
    DjangoModelPermissions,
    DjangoModelPermissionsOrAnonReadOnly,
    DjangoObjectPermissions,
    IsAdminUser,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
)

from django_mcp.host.views import declared, is_plain
from django_mcp.types import Operation

# Permission classes that ask for no permission by name, and look at nothing but the user and the method.
_NAMELESS: frozenset[Any] = frozenset({AllowAny, IsAdminUser, IsAuthenticated, IsAuthenticatedOrReadOnly})
# With those that look at the model of the view's queryset besides.
_OF_DRF: frozenset[Any] = _NAMELESS | {DjangoModelPermissions, DjangoModelPermissionsOrAnonReadOnly}
# DRF's own mark of a view to which permissions by model do not apply.
_UNAPPLIED = "_ignore_model_permissions"
# The methods by which a permission by model asks.
_ASKING = ("has_permission", "has_object_permission", "get_required_permissions", "_queryset")


def required_permissions(operation: Operation) -> frozenset[str] | None:
    """Return the permissions, as `app_label.codename`, that calling the operation takes; None where they are not known.

    They are those of `mcp_operation(permissions=…)`, or else those of DRF's permissions by model, if these alone name
    any and the host's code has no part in it: with a `get_queryset` of the host's the model may be another for each
    action. A method for which they name none takes the one to view the model: it reads rows, and a key that is narrowed
    to other permissions is not meant to.
    """
    if operation.hints.permissions is not None:
        return frozenset(operation.hints.permissions)
    view_class: Any = operation.view_class
    queryset = declared(operation, "queryset")
    classes = declared(operation, "permission_classes")
    if queryset is None or not isinstance(classes, list | tuple | set) or declared(operation, _UNAPPLIED):
        return None
    by_model = [item for item in classes if _asks_by_model(item)]
    if not by_model or not _NAMELESS.union(by_model).issuperset(classes):
        return None
    if not is_plain(view_class, "initial", "get_permissions", "check_permissions", "get_queryset"):
        return None
    model = queryset.model
    with suppress(APIException):
        names = {name for item in by_model for name in _named(item(), operation.method, model)}
        return frozenset(names or {f"{model._meta.app_label}.view_{model._meta.model_name}"})  # noqa: SLF001 - Django documents it
    return None


def _asks_by_model(permission_class: Any) -> bool:
    """Tell whether a class is one of DRF's permissions by model, or derived from one with other data and no other code."""
    if not isinstance(permission_class, type) or not issubclass(permission_class, DjangoModelPermissions):
        return False
    own = DjangoObjectPermissions if issubclass(permission_class, DjangoObjectPermissions) else DjangoModelPermissions
    return all(getattr(permission_class, name) is getattr(own, name) for name in _ASKING)


def _named(permission: Any, method: str, model: type) -> Iterator[str]:
    yield from permission.get_required_permissions(method, model)
    if isinstance(permission, DjangoObjectPermissions):
        yield from permission.get_required_object_permissions(method, model)


def answer_without_view(operation: Operation, user: Any) -> bool | None:
    """Tell whether the view's permissions let the user in; None where the view must be made to ask them.

    Most views declare permissions of DRF's own and leave the asking to DRF: these look at the user, the method and the
    model alone, and need no view. `user` is None for an anonymous caller.
    """
    view_class: Any = operation.view_class
    classes = declared(operation, "permission_classes")
    if not isinstance(classes, list | tuple) or not all(isinstance(item, type) for item in classes):
        return None
    view, methods = None, ["get_permissions"]
    if not _NAMELESS.issuperset(classes):
        queryset = declared(operation, "queryset")
        if not _OF_DRF.issuperset(classes) or queryset is None or not issubclass(view_class, GenericAPIView):
            return None
        view = SimpleNamespace(queryset=queryset, **{_UNAPPLIED: declared(operation, _UNAPPLIED)})
        methods.append("get_queryset")
    if not is_plain(view_class, *methods):
        return None
    request: Any = SimpleNamespace(user=AnonymousUser() if user is None else user, method=operation.method)
    with suppress(Exception):
        return all(permission().has_permission(request, view) for permission in classes)
    # The view itself may know better.
    return None
