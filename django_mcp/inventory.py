"""What the host offers, as people see it: every group with its operations and what holds for each."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from django_mcp.catalog.discovery import get_catalog
from django_mcp.exposure import API_TOOLS, exposed
from django_mcp.server import Group, Server
from django_mcp.vocabulary import ApprovalMode, Operation

OWN_AUTHENTICATION = _("has its own authentication: exposed by name only")
NEEDS_APPROVAL = _("requires approval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One operation and what holds for it. `mode` is None where it runs at once."""

    operation: Operation
    exposed: bool
    mode: ApprovalMode | None
    notes: tuple[str | Promise, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedGroup:
    """A group and its offers, none where only settings, a row or a key speak of it."""

    name: str
    exposed: bool
    mode: ApprovalMode | None
    effective_mode: ApprovalMode
    locked: bool
    offers: tuple[Offer, ...]

    @property
    def exposed_count(self) -> int:
        return sum(offer.exposed for offer in self.offers)

    @property
    def is_api_tools(self) -> bool:
        return self.name == API_TOOLS

    @property
    def orphaned(self) -> bool:
        return not self.offers and not self.is_api_tools


def offered(server: Server) -> tuple[OfferedGroup, ...]:
    """Return every group that the catalog, the settings or a row knows of, by name."""
    by_group: dict[str, list[Offer]] = {API_TOOLS: []}
    by_group.update({name: [] for name in server.groups})
    for operation in get_catalog().operations:
        by_group.setdefault(operation.group, []).append(_offer(operation, server))
    return tuple(_group(name, offers, server) for name, offers in sorted(by_group.items()))


def _offer(operation: Operation, server: Server) -> Offer:
    rules = server.rules_for(operation.name, operation.method, operation.route)
    approved = operation.requires_approval or any(rule.requires_approval for rule in rules)
    mode = None
    if operation.mutates or approved:
        mode = server.mode_of(operation.group, rules)
    notes: list[str | Promise] = list(operation.notes)
    if operation.own_authentication:
        notes.append(OWN_AUTHENTICATION)
    if approved and not operation.mutates:
        notes.append(NEEDS_APPROVAL)
    if mode is not None and approved:
        mode = ApprovalMode.strictest(mode, ApprovalMode.TOKEN)
    return Offer(operation=operation, exposed=exposed(operation, server), mode=mode, notes=tuple(notes))


def _group(name: str, offers: Iterable[Offer], server: Server) -> OfferedGroup:
    said = server.groups.get(name, Group(exposed=name == API_TOOLS))
    return OfferedGroup(
        name=name,
        exposed=said.exposed,
        mode=said.mode,
        effective_mode=said.mode or server.mode,
        locked=said.locked,
        offers=tuple(sorted(offers, key=lambda offer: offer.operation.name)),
    )


def group_names() -> tuple[str, ...]:
    """Return the names of the groups that have something in them."""
    return tuple(sorted({operation.group for operation in get_catalog().operations}))


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the one of `names` that looks most like a name that is not among them, "" where none does."""
    folded = {known.lower(): known for known in names}
    found = difflib.get_close_matches(name.lower(), folded, n=1)
    return folded[found[0]] if found else ""
