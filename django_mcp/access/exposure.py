"""What a caller may reach: one predicate for list, search, describe, suggestions and call."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.views import APIView

from django_mcp.access.server_config import API_TOOLS, PublishAs, Rule, Server
from django_mcp.access.view_permissions import answer_without_view, required_permissions
from django_mcp.catalog.discovery import Catalog, get_catalog
from django_mcp.choices import Safety
from django_mcp.host.requests import Context, inner_request
from django_mcp.host.views import bare_view
from django_mcp.schema.operations import OperationSchema
from django_mcp.types import Caller, Operation

# How many views are asked to find the worst a caller can do, before the worst is assumed.
MAX_ASKED_FOR_WORST = 25

logger = logging.getLogger("django_mcp")


def exposed(operation: Operation, server: Server) -> bool:
    """Tell whether a setting or a row exposes the operation, by its name or by its group, and no rule hides it.

    A view that authenticates in its own way is not exposed by its group: its authenticators do not run here, so only
    a name shows that this is meant.
    """
    rules = server.rules_for(operation.name, operation.method, operation.route)
    return _exposed(operation.name, rules, server, group=None if operation.own_authentication else operation.group)


def exposed_tool(name: str, group: str, server: Server) -> bool:
    """Tell whether a setting or a row exposes a host's tool, by its name or by its group, and no rule hides it."""
    return _exposed(name, server.rules_for(name), server, group=group)


def _exposed(name: str, rules: Sequence[Rule], server: Server, *, group: str | None) -> bool:
    if any(rule.exposed is False for rule in rules):
        return False
    if name in server.listed or any(rule.exposed for rule in rules):
        return True
    return group is not None and group in server.groups and server.groups[group].exposed


def exposes_anything(server: Server) -> bool:
    """Tell, without looking at the catalog, whether a setting or a row exposes anything but the API tools."""
    return (
        bool(server.listed)
        or any(group.exposed for name, group in server.groups.items() if name != API_TOOLS)
        or any(rule.exposed for rule in server.rules)
    )


def offers_api_tools(server: Server) -> bool:
    """Tell whether the group of the API tools is exposed; it is, unless someone hides it."""
    group = server.groups.get(API_TOOLS)
    return group is None or group.exposed


class Limits(NamedTuple):
    """What a caller's key narrows its user to, as in `Caller`: whoever has the same limits is offered the same."""

    groups: frozenset[str] | None
    highest_safety: Safety
    permissions: frozenset[str] | None


def within_limits(operation: Operation, limits: Limits | Caller) -> bool:
    """Tell whether the limits admit the operation, whoever the user is."""
    if not _within(limits, operation.group, operation.safety):
        return False
    if limits.permissions is None:
        return True
    required = required_permissions(operation)
    return required is not None and limits.permissions.issuperset(required)


def admits_tool(caller: Caller, *, group: str, safety: Safety, permissions: frozenset[str] | None) -> bool:
    """Tell whether the caller's limits admit a host's tool. `permissions` is None where they are not known by name."""
    if not _within(caller, group, safety):
        return False
    return caller.permissions is None or (permissions is not None and caller.permissions.issuperset(permissions))


def _within(limits: Limits | Caller, group: str, safety: Safety) -> bool:
    return (limits.groups is None or group in limits.groups) and safety.within(limits.highest_safety)


def _through_api_tools(operation: Operation, server: Server) -> bool:
    return server.publish_as(operation.group) is not PublishAs.ONE_TOOL_EACH


@lru_cache(maxsize=256)
def _offered(catalog: Catalog, server: Server, limits: Limits) -> tuple[Operation, ...]:
    return tuple(
        operation
        for operation in catalog.operations
        if _through_api_tools(operation, server) and exposed(operation, server) and within_limits(operation, limits)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one caller reaches on one request.

    `views`, `schemas` and the answers of the views' permissions are those for this caller: another request may be another
    user's, or find this one changed.
    """

    context: Context
    server: Server
    catalog: Catalog
    views: dict[Operation, APIView] = field(default_factory=dict)
    schemas: dict[Any, OperationSchema] = field(default_factory=dict)
    _permitted: dict[Operation, bool] = field(default_factory=dict)

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations that the caller's limits admit through the API tools, by name.

        The permissions of their views have not been asked yet.
        """
        caller = self.context.caller
        return _offered(self.catalog, self.server, Limits(caller.groups, caller.highest_safety, caller.permissions))

    def candidates(self) -> tuple[Operation, ...]:
        """Return those of `operations()` that the declared permissions of their views do not refuse.

        Search knows the texts of these alone: those of others would show in how it ranks and marks.
        """
        user = self.context.caller.user
        return tuple(operation for operation in self.operations() if answer_without_view(operation, user) is not False)

    def get(self, name: str) -> Operation | None:
        """Return the operation of that name or alias, None where the caller does not reach it through the API tools.

        None costs the same whether there is no such operation, whether it is hidden, or whether its view forbids it:
        every view is asked then.
        """
        operation = self.catalog.get(name)
        if operation is not None and _through_api_tools(operation, self.server) and self.reaches(operation):
            return operation
        for other in self.operations():
            self.permits(other)
        return None

    def reaches(self, operation: Operation) -> bool:
        """Tell whether the caller reaches the operation, in whatever way it is published."""
        return (
            exposed(operation, self.server)
            and within_limits(operation, self.context.caller)
            and self.permits(operation)
        )

    def reaches_own_tool(self, operation: Operation) -> bool:
        """Tell whether the caller reaches the operation as a tool of its own."""
        return self.server.publish_as(operation.group) is not PublishAs.API_TOOLS and self.reaches(operation)

    def permits(self, operation: Operation) -> bool:
        """Ask the permissions of the view, once a request.

        True where only the call itself, with the arguments of its URL, can ask.
        """
        if operation not in self._permitted:
            self._permitted[operation] = self._ask(operation)
        return self._permitted[operation]

    def _ask(self, operation: Operation) -> bool:
        try:
            answer = answer_without_view(operation, self.context.caller.user)
            if answer is not None:
                return answer
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
        """Yield the operations whose views permit the caller, asking each view only when its turn comes."""
        return (operation for operation in operations if self.permits(operation))

    def anything(self) -> bool:
        """Tell whether the caller reaches at least one operation through the API tools."""
        return next(self.permitted(self.operations()), None) is not None

    def worst(self) -> Safety:
        """Return the safety of the most dangerous operation that the caller reaches through the API tools."""
        order = list(Safety)
        ranked = sorted(self.operations(), key=lambda operation: -order.index(operation.safety))
        for operation in islice(ranked, MAX_ASKED_FOR_WORST):
            if operation.safety is Safety.READ_ONLY or self.permits(operation):
                return operation.safety
        return ranked[0].safety if ranked else Safety.READ_ONLY


def reach(context: Context, server: Server) -> Reach:
    """Return what the context's caller reaches on the URLconf of its request."""
    return Reach(context=context, server=server, catalog=get_catalog(getattr(context.outer, "urlconf", None)))
