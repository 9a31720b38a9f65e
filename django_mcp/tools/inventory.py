"""The inventory that people see: every group with its operations and tools, their exposure and approval."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from django_mcp.access.exposure import exposed, exposed_tool
from django_mcp.access.server_config import API_TOOLS, Group, PublishAs, Rule, Server, approval_required
from django_mcp.catalog.discovery import get_catalog
from django_mcp.choices import ApprovalMode, Safety
from django_mcp.models import ToolRule
from django_mcp.text import nearest
from django_mcp.tools.registry import hosted_tools
from django_mcp.types import HostedTool, Operation

OWN_AUTHENTICATION = _("has its own authentication: exposed by name only")
NEEDS_APPROVAL = _("requires approval")
NOT_DECLARED = _("not declared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The subject of a rule: an operation, or a host's tool, which has neither method nor route."""

    name: str
    method: str = ""
    route: str = ""

    @property
    def is_tool(self) -> bool:
        return not self.method


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Named):
    """One operation or tool with its exposure and approval. `mode` is None where it runs at once.

    `safety` is None where the host did not declare it: then it counts as a write. `by_name_only` is True where
    exposing the group does not expose it.
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
    """A group and its offers; it has none where only settings, a row or a key name it.

    `mode` is the group's own approval mode, None where it inherits `effective_mode`. `locked` is True where settings
    expose the group, `published_by_settings` where settings say how its operations are published.
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
    """Return every group that the catalog, the host's tools, the settings or a row name, by name."""
    offers_by_group: dict[str, list[Offer]] = {API_TOOLS: [], **{name: [] for name in server.groups}}
    for operation in get_catalog().operations:
        offers_by_group.setdefault(operation.group, []).append(_operation_offer(operation, server))
    for tool in hosted_tools().values():
        offers_by_group.setdefault(tool.group, []).append(_tool_offer(tool.declaration, server))
    groups: list[OfferedGroup] = []
    for name, offers in sorted(offers_by_group.items()):
        group = server.groups.get(name, Group(exposed=name == API_TOOLS))
        groups.append(
            OfferedGroup(
                name=name,
                exposed=group.exposed,
                mode=group.mode,
                effective_mode=group.mode or server.mode,
                locked=group.locked,
                publish_as=group.publish_as,
                published_by_settings=group.published_by_settings,
                offers=tuple(sorted(offers, key=lambda offer: (offer.is_tool, offer.name))),
            )
        )
    return tuple(groups)


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


def group_names() -> tuple[str, ...]:
    """Return the names of the groups that have an operation or a tool in them."""
    operations = {operation.group for operation in get_catalog().operations}
    return tuple(sorted(operations | {tool.group for tool in hosted_tools().values()}))


def named(name: str) -> Named | None:
    """Return the operation, or else the host's tool, of that name in any case; None where there is neither."""
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
    """Tell whether the rule matches no operation and no tool by name, and no operation by method and route."""
    return rule.name.casefold() not in _tool_names() and not any(
        operation.name.lower() == rule.name.lower() or (operation.method, operation.route) == (rule.method, rule.route)
        for operation in get_catalog().operations
    )


def cure(name: str, known: Iterable[str]) -> str:
    """Return the cure for an unknown name: the nearest of `known`, and the command that lists all of them."""
    near = nearest(name, known)
    command = "`manage.py mcp operations` lists what there is."
    return f"Did you mean {near!r}? {command}" if near else command
