"""What a caller may reach: one predicate for list, search, describe, suggestions and call."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from types import SimpleNamespace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
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

from django_mcp.access.server_config import API_TOOLS, PublishAs, Rule, Server
from django_mcp.catalog.discovery import Catalog, get_catalog
from django_mcp.host.requests import Context, inner_request
from django_mcp.host.views import bare_view, declared, is_plain
from django_mcp.types import Caller, Operation, Safety

# How many view permissions are asked to find the worst a caller can do, before the worst is assumed.
ASKED_FOR_WORST = 25

# Permission classes that ask for no permission by name, and look at nothing but the user and the method.
_NAMELESS: frozenset[Any] = frozenset({AllowAny, IsAdminUser, IsAuthenticated, IsAuthenticatedOrReadOnly})
# With those that look at the model of the view's queryset besides.
_DECLARED: frozenset[Any] = _NAMELESS | {DjangoModelPermissions, DjangoModelPermissionsOrAnonReadOnly}
# DRF's own mark of a view to which those do not apply.
_UNAPPLIED = "_ignore_model_permissions"

logger = logging.getLogger("django_mcp")


def exposed(operation: Operation, server: Server) -> bool:
    """Tell whether someone has named the operation, by itself or by its group, and nobody has hidden it.

    A view that authenticates in its own way is not reached through its group: its authenticators do not run here, so
    only a name says that this was meant.
    """
    rules = server.rules_for(operation.name, operation.method, operation.route)
    return _named(operation.name, operation.group, rules, server, by_group=not operation.own_authentication)


def exposed_tool(name: str, group: str, server: Server) -> bool:
    """Tell the same of a tool that the host defines."""
    return _named(name, group, server.rules_for(name), server, by_group=True)


def by_api_tools(operation: Operation, server: Server) -> bool:
    """Tell whether the operation's group is offered through the API tools."""
    return server.publish_as(operation.group) is not PublishAs.ONE_TOOL_EACH


def by_own_tool(operation: Operation, server: Server) -> bool:
    """Tell whether the operation's group is offered as one tool each."""
    return server.publish_as(operation.group) is not PublishAs.API_TOOLS


def _named(name: str, group: str, rules: Sequence[Rule], server: Server, *, by_group: bool) -> bool:
    if any(rule.exposed is False for rule in rules):
        return False
    if name in server.listed or any(rule.exposed for rule in rules):
        return True
    said = server.groups.get(group)
    return by_group and said is not None and said.exposed


def exposes_anything(server: Server) -> bool:
    """Tell, without looking at the catalog, whether anyone has named anything."""
    return (
        bool(server.listed)
        or any(group.exposed for name, group in server.groups.items() if name != API_TOOLS)
        or any(rule.exposed for rule in server.rules)
    )


def offers_api_tools(server: Server) -> bool:
    """Tell whether the API tools' own group is left standing; it is, unless someone hides it."""
    group = server.groups.get(API_TOOLS)
    return group is None or group.exposed


def within_limits(operation: Operation, caller: Caller) -> bool:
    """Tell whether the caller's groups, highest safety and permissions admit the operation, whoever its user is."""
    return _admits(operation, caller.groups, caller.highest_safety, caller.permissions)


def _admits(
    operation: Operation, groups: frozenset[str] | None, highest: Safety, permissions: frozenset[str] | None
) -> bool:
    if not _within(groups, highest, operation.group, operation.safety):
        return False
    if permissions is None:
        return True
    required = operation.hints.permissions if operation.hints.permissions is not None else _required(operation)
    return required is not None and permissions.issuperset(required)


def admits_tool(caller: Caller, *, group: str, safety: Safety, permissions: frozenset[str] | None) -> bool:
    """Tell whether the caller's limits admit a host's tool. `permissions` is None where they are not known by name."""
    if not _within(caller.groups, caller.highest_safety, group, safety):
        return False
    return caller.permissions is None or (permissions is not None and caller.permissions.issuperset(permissions))


def _within(groups: frozenset[str] | None, highest: Safety, group: str, safety: Safety) -> bool:
    return (groups is None or group in groups) and safety.within(highest)


def _required(operation: Operation) -> frozenset[str] | None:
    """Return the permissions that DRF's model permissions ask for; None where the view does not say them all."""
    view: Any = operation.view_class
    if view.get_permissions is not APIView.get_permissions:
        return None
    queryset = declared(operation, "queryset")
    classes = declared(operation, "permission_classes")
    if not isinstance(classes, list | tuple | set):
        return None
    asking = [item for item in classes if hasattr(item, "get_required_permissions")]
    if not asking or queryset is None or not set(classes) <= _NAMELESS.union(asking):
        return None
    try:
        return frozenset(
            name for item in asking for name in item().get_required_permissions(operation.method, queryset.model)
        )
    except APIException:
        return None


def _declared_answer(operation: Operation, user: Any) -> bool | None:
    """Return what the view's permissions say where they need no view to be asked, which is most of asking; else None."""
    view_class: Any = operation.view_class
    classes = declared(operation, "permission_classes")
    if not isinstance(classes, list | tuple) or not all(isinstance(item, type) for item in classes):
        return None
    model, asked = None, ["get_permissions"]
    if not _NAMELESS.issuperset(classes):
        queryset = declared(operation, "queryset")
        if not _DECLARED.issuperset(classes) or queryset is None or not issubclass(view_class, GenericAPIView):
            return None
        model = SimpleNamespace(queryset=queryset, **{_UNAPPLIED: declared(operation, _UNAPPLIED)})
        asked.append("get_queryset")
    if not is_plain(view_class, *asked):
        return None
    asking: Any = SimpleNamespace(user=AnonymousUser() if user is None else user, method=operation.method)
    with suppress(Exception):
        return all(permission().has_permission(asking, model) for permission in classes)
    # The view itself may know better.
    return None


@lru_cache(maxsize=256)
def _reachable(
    catalog: Catalog,
    server: Server,
    groups: frozenset[str] | None,
    highest: Safety,
    permissions: frozenset[str] | None,
) -> tuple[Operation, ...]:
    return tuple(
        operation
        for operation in catalog.operations
        if by_api_tools(operation, server)
        and exposed(operation, server)
        and _admits(operation, groups, highest, permissions)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one caller reaches on one request."""

    context: Context
    server: Server
    catalog: Catalog
    views: dict[Operation, APIView] = field(default_factory=dict)

    def operations(self) -> tuple[Operation, ...]:
        """Return all that the caller's limits admit through the API tools, by name. Their views have not been asked yet."""
        caller = self.context.caller
        return _reachable(self.catalog, self.server, caller.groups, caller.highest_safety, caller.permissions)

    def candidates(self) -> tuple[Operation, ...]:
        """Return those of `operations()` that the declared permissions of their views do not refuse.

        What they say is what search knows of: the words of others would else show in how it ranks and marks.
        """
        user = self.context.caller.user
        return tuple(operation for operation in self.operations() if _declared_answer(operation, user) is not False)

    def get(self, name: str) -> Operation | None:
        """Return the operation of that name or alias, None where the caller does not reach it through the API tools."""
        operation = self.catalog.get(name)
        if operation is None or not by_api_tools(operation, self.server):
            return None
        return operation if self.reaches(operation) else None

    def reaches(self, operation: Operation) -> bool:
        """Tell whether the caller reaches the operation, in whatever way it is published."""
        return (
            exposed(operation, self.server)
            and within_limits(operation, self.context.caller)
            and self.permits(operation)
        )

    def reaches_own_tool(self, operation: Operation) -> bool:
        """Tell whether the caller reaches the operation as a tool of its own."""
        return by_own_tool(operation, self.server) and self.reaches(operation)

    def permits(self, operation: Operation) -> bool:
        """Ask the view's own permissions. One that cannot be asked without URL arguments leaves it to the call."""
        try:
            said = _declared_answer(operation, self.context.caller.user)
            if said is not None:
                return said
            view = self.view(operation)
            return all(permission.has_permission(view.request, view) for permission in view.get_permissions())
        except (APIException, PermissionDenied, Http404):
            return False
        except Exception as error:  # noqa: BLE001 - the host's permission class, asked where it did not expect to be
            logger.debug("The permissions of %s can only be asked in a call: %s.", operation.name, type(error).__name__)
            return True

    def view(self, operation: Operation) -> APIView:
        """Return the operation's view as the caller would meet it, to be asked and not to be run; one a request."""
        view = self.views.get(operation)
        if view is None:
            request = inner_request(self.context, method=operation.method, path=operation.route)
            view = self.views[operation] = bare_view(operation, request)
        return view

    def permitted(self, operations: Iterable[Operation]) -> Iterator[Operation]:
        """Yield those whose views permit the caller, asking as late as possible."""
        return (operation for operation in operations if self.permits(operation))

    def anything(self) -> bool:
        """Tell whether the caller reaches at least one operation through the API tools."""
        return next(self.permitted(self.operations()), None) is not None

    def worst(self) -> Safety:
        """Return the safety of the most dangerous operation that the caller reaches through the API tools."""
        order = list(Safety)
        ranked = sorted(self.operations(), key=lambda operation: -order.index(operation.safety))
        for operation in islice(ranked, ASKED_FOR_WORST):
            if operation.safety is Safety.READ_ONLY or self.permits(operation):
                return operation.safety
        return ranked[0].safety if ranked else Safety.READ_ONLY


def reach(context: Context, server: Server) -> Reach:
    """Return what the context's caller reaches on the URLconf of its request."""
    return Reach(context=context, server=server, catalog=get_catalog(getattr(context.outer, "urlconf", None)))
