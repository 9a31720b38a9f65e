"""The permissions of an operation's view: what they ask for, and how they answer a user before any call."""

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
    IsAdminUser,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
)
from rest_framework.views import APIView

from django_mcp.host.views import declared, is_plain
from django_mcp.types import Operation

# Permission classes that ask for no permission by name, and look at nothing but the user and the method.
_NAMELESS: frozenset[Any] = frozenset({AllowAny, IsAdminUser, IsAuthenticated, IsAuthenticatedOrReadOnly})
# With those that look at the model of the view's queryset besides.
_OF_DRF: frozenset[Any] = _NAMELESS | {DjangoModelPermissions, DjangoModelPermissionsOrAnonReadOnly}
# DRF's own mark of a view to which permissions by model do not apply.
_UNAPPLIED = "_ignore_model_permissions"


def required_permissions(operation: Operation) -> frozenset[str] | None:
    """Return the permissions, as `app_label.codename`, that calling the operation takes; None where they are not known.

    They are those of `mcp_operation(permissions=…)`, or else those of DRF's permissions by model, if nothing but these
    and permissions that ask for none by name decide.
    """
    if operation.hints.permissions is not None:
        return frozenset(operation.hints.permissions)
    view: Any = operation.view_class
    if view.get_permissions is not APIView.get_permissions:
        return None
    queryset = declared(operation, "queryset")
    classes = declared(operation, "permission_classes")
    if not isinstance(classes, list | tuple | set):
        return None
    by_model = [item for item in classes if hasattr(item, "get_required_permissions")]
    if not by_model or queryset is None or not set(classes) <= _NAMELESS.union(by_model):
        return None
    try:
        return frozenset(
            name for item in by_model for name in item().get_required_permissions(operation.method, queryset.model)
        )
    except APIException:
        return None


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
