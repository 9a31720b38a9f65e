"""What the host offers, as people see it: every group with its operations and tools, and what holds for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from django_mcp.access.exposure import exposed, exposed_tool
from django_mcp.access.server_config import API_TOOLS, Group, PublishAs, Rule, Server, approval_required
from django_mcp.catalog.discovery import get_catalog
from django_mcp.models import ToolRule
from django_mcp.text import nearest
from django_mcp.tools.registry import hosted_tools
from django_mcp.types import ApprovalMode, HostedTool, Operation, Safety

OWN_AUTHENTICATION = _("has its own authentication: exposed by name only")
NEEDS_APPROVAL = _("requires approval")
NOT_DECLARED = _("not declared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a rule can be about: an operation, or a host's tool, which has neither method nor route."""

    name: str
    method: str = ""
    route: str = ""

    @property
    def is_tool(self) -> bool:
        return not self.method


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Named):
    """One operation or tool and what holds for it. `mode` is None where it runs at once.

    `safety` is None where the host did not declare it: then it counts as a write.
    """

    summary: str
    safety: Safety | None
    exposed: bool
    mode: ApprovalMode | None
    by_name_only: bool = False
    notes: tuple[str | Promise, ...] = ()

    @property
    def safety_text(self) -> str | Promise:
        return NOT_DECLARED if self.safety is None else self.safety.value


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedGroup:
    """A group and its offers, none where only settings, a row or a key speak of it.

    `publish_as` is how its operations are offered; `published_by_settings` where that is the settings' word.
    """

    name: str
    exposed: bool
    mode: ApprovalMode | None
    effective_mode: ApprovalMode
    locked: bool
    publish_as: PublishAs
    published_by_settings: bool
    offers: tuple[Offer, ...]

    @property
    def exposed_count(self) -> int:
        return sum(offer.exposed for offer in self.offers)

    @property
    def is_api_tools(self) -> bool:
        return self.name == API_TOOLS

    @property
    def operation_count(self) -> int:
        return sum(not offer.is_tool for offer in self.offers)

    @property
    def tool_count(self) -> int:
        return len(self.offers) - self.operation_count

    @property
    def orphaned(self) -> bool:
        return not self.offers and not self.is_api_tools


def offered(server: Server) -> tuple[OfferedGroup, ...]:
    """Return every group that the catalog, the host's tools, the settings or a row know of, by name."""
    by_group: dict[str, list[Offer]] = {API_TOOLS: []}
    by_group.update({name: [] for name in server.groups})
    for operation in get_catalog().operations:
        by_group.setdefault(operation.group, []).append(_operation_offer(operation, server))
    for tool in _declared():
        by_group.setdefault(tool.group, []).append(_tool_offer(tool, server))
    return tuple(_group(name, offers, server) for name, offers in sorted(by_group.items()))


def _declared() -> Iterable[HostedTool]:
    return (tool.declared for tool in hosted_tools().values() if tool.declared is not None)


def _operation_offer(operation: Operation, server: Server) -> Offer:
    rules = server.rules_for(operation.name, operation.method, operation.route)
    approved = approval_required(rules, said=operation.requires_approval)
    notes: list[str | Promise] = list(operation.notes)
    if operation.own_authentication:
        notes.append(OWN_AUTHENTICATION)
    if approved and not operation.mutates:
        notes.append(NEEDS_APPROVAL)
    return Offer(
        name=operation.name,
        method=operation.method,
        route=operation.route,
        summary=operation.summary,
        safety=operation.safety,
        exposed=exposed(operation, server),
        mode=_mode(operation.group, rules, server, mutates=operation.mutates, approved=approved),
        by_name_only=operation.own_authentication,
        notes=tuple(notes),
    )


def _tool_offer(tool: HostedTool, server: Server) -> Offer:
    rules = server.rules_for(tool.name)
    approved = approval_required(rules, said=tool.requires_approval)
    mutates = tool.acts_as is not Safety.READ_ONLY
    return Offer(
        name=tool.name,
        summary=tool.title or tool.description.partition("\n")[0],
        safety=tool.safety,
        exposed=exposed_tool(tool.name, tool.group, server),
        mode=_mode(tool.group, rules, server, mutates=mutates, approved=approved),
        notes=(NEEDS_APPROVAL,) if approved and not mutates else (),
    )


def _mode(group: str, rules: tuple[Rule, ...], server: Server, *, mutates: bool, approved: bool) -> ApprovalMode | None:
    if not mutates and not approved:
        return None
    mode = server.mode_of(group, rules)
    return ApprovalMode.strictest(mode, ApprovalMode.TOKEN) if approved else mode


def _group(name: str, offers: Iterable[Offer], server: Server) -> OfferedGroup:
    said = server.groups.get(name, Group(exposed=name == API_TOOLS))
    return OfferedGroup(
        name=name,
        exposed=said.exposed,
        mode=said.mode,
        effective_mode=said.mode or server.mode,
        locked=said.locked,
        publish_as=said.publish_as,
        published_by_settings=said.published_by_settings,
        offers=tuple(sorted(offers, key=lambda offer: (offer.is_tool, offer.name))),
    )


def group_names() -> tuple[str, ...]:
    """Return the names of the groups that have something in them."""
    return tuple(sorted(operation_groups() | {tool.group for tool in _declared()}))


def operation_groups() -> frozenset[str]:
    """Return the names of the groups that have operations in them."""
    return frozenset(operation.group for operation in get_catalog().operations)


def named(name: str) -> Named | None:
    """Return the operation, or else the host's tool, that a name means in whatever case; None where it means nothing."""
    operation = get_catalog().get(name)
    if operation is not None:
        return Named(name=operation.name, method=operation.method, route=operation.route)
    tool = _tool_names().get(name.casefold())
    return None if tool is None else Named(name=tool)


def names() -> tuple[str, ...]:
    """Return the names of all operations and of all the host's tools."""
    return (*(operation.name for operation in get_catalog().operations), *hosted_tools())


def _tool_names() -> Mapping[str, str]:
    return {name.casefold(): name for name in hosted_tools()}


def orphaned(rule: ToolRule) -> bool:
    """Tell whether the rule matches nothing: no operation or tool by name, no operation by method and route."""
    return rule.name.casefold() not in _tool_names() and not any(
        operation.name.lower() == rule.name.lower() or (operation.method, operation.route) == (rule.method, rule.route)
        for operation in get_catalog().operations
    )


def cure(name: str, known: Iterable[str]) -> str:
    """Return what to do about a name that nothing of the host has: the nearest of `known`, and where all are listed."""
    near = nearest(name, known)
    listed = "`manage.py mcp operations` lists what there is."
    return f"Did you mean {near!r}? {listed}" if near else listed
