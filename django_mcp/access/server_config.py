"""The server's settings, `DJANGO_MCP` and the admin's rows, as one frozen snapshot per request.

The admin's rows are kept in memory behind the stamp that every change of them renews. The stamp comes with the key's
own query, so a change is effective on the next request in every process.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.db import router
from django.db.models import Subquery

from django_mcp.conf import conf
from django_mcp.models import ServerSettings, ToolGroup, ToolRule
from django_mcp.types import ApprovalMode

# The group that the API tools themselves are exposed and hidden with.
API_TOOLS = "api_tools"
PublishAs = ToolGroup.PublishAs

STAMP = Subquery(ServerSettings.objects.filter(pk=ServerSettings.ONLY).values("stamp")[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A tool group's word. `mode` is None where it inherits; `locked` where settings expose it.

    `publish_as` is how its operations are offered, `said_by_settings` whether the word on that is `PUBLISH_AS`'s.
    """

    exposed: bool = False
    mode: ApprovalMode | None = None
    locked: bool = False
    publish_as: PublishAs = PublishAs.API_TOOLS
    said_by_settings: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule's word on one operation or tool. `exposed` and `mode` are None where it inherits.

    `exact` is False where only one of name and route still matches. The host's code has moved on since the rule was
    written, so what it restricts still holds, and what it allows no longer does.
    """

    name: str
    method: str = ""
    route: str = ""
    exposed: bool | None = None
    mode: ApprovalMode | None = None
    requires_approval: bool = False
    exact: bool = True

    def about(self, name: str, method: str, route: str) -> "Rule | None":
        """Return this rule as it applies to the operation or tool, None where it does not."""
        by_name = self.name.casefold() == name.casefold()
        by_route = (self.method, self.route) == (method, route)
        if by_name and by_route:
            return self
        if not by_name and not (by_route and route):
            return None
        return replace(self, exact=False, exposed=False if self.exposed is False else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The admin's half, as the database has it under one stamp."""

    stamp: str | None
    server: ServerSettings
    groups: tuple[ToolGroup, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Server:
    """What holds for one request; the same object for as long as nothing changes. `expiry` is in seconds; `listed` are the names that settings expose one by one."""

    name: str
    version: str
    instructions: str
    mode: ApprovalMode
    expiry: int
    writes_enabled: bool
    stamp: str | None
    groups: Mapping[str, Group]
    rules: tuple[Rule, ...]
    listed: frozenset[str]

    def rules_for(self, name: str, method: str = "", route: str = "") -> tuple[Rule, ...]:
        """Return every rule that speaks of the operation or tool."""
        if not self.rules:
            return ()
        named, routed = self._indexed
        candidates = dict.fromkeys((*named.get(name.casefold(), ()), *routed.get((method, route), ())))
        found = (rule.about(name, method, route) for rule in candidates)
        return tuple(rule for rule in found if rule is not None)

    @cached_property
    def _indexed(self) -> tuple[Mapping[str, Sequence[Rule]], Mapping[tuple[str, str], Sequence[Rule]]]:
        named: dict[str, list[Rule]] = {}
        routed: dict[tuple[str, str], list[Rule]] = {}
        for rule in self.rules:
            named.setdefault(rule.name.casefold(), []).append(rule)
            routed.setdefault((rule.method, rule.route), []).append(rule)
        return named, routed

    def publish_as(self, group: str) -> PublishAs:
        """Return how the operations of a group are offered: through the API tools, as one tool each, or both ways."""
        said = self.groups.get(group)
        return PublishAs.API_TOOLS if said is None else said.publish_as

    @cached_property
    def publishes_tools(self) -> bool:
        """Tell whether any group offers its operations as one tool each."""
        return any(group.publish_as is not PublishAs.API_TOOLS for group in self.groups.values())

    def mode_of(self, group: str, rules: Sequence[Rule]) -> ApprovalMode:
        """Return the mode of the most specific that names one. A rule that is not exact can only tighten it."""
        exact = [rule.mode for rule in rules if rule.exact and rule.mode is not None]
        mode = ApprovalMode.strictest(*exact) if exact else self.groups.get(group, Group()).mode or self.mode
        return ApprovalMode.strictest(mode, *(rule.mode for rule in rules if not rule.exact and rule.mode is not None))


def approval_required(rules: Iterable[Rule], *, said: bool) -> bool:
    """Tell whether a call must be asked about, whatever its mode: by its own word, or by a rule's."""
    return said or any(rule.requires_approval for rule in rules)


def mode_named(text: str) -> ApprovalMode | None:
    """Return the mode of that name, None for a blank; a name that is no mode counts as a confirmation."""
    if not text:
        return None
    try:
        return ApprovalMode(text)
    except ValueError:
        return ApprovalMode.TOKEN


# The rows, the settings they were composed with, and the result.
_remembered: tuple[_Rows, Mapping[str, Any], Server] | None = None


def current() -> Server:
    """Read the stamp and return the snapshot that holds now."""
    alias = router.db_for_write(ServerSettings)
    found = ServerSettings.objects.using(alias).filter(pk=ServerSettings.ONLY).values_list("stamp", flat=True).first()
    return load(found)


def load(stamp: str | None) -> Server:
    """Return the snapshot for a stamp that was just read; it costs queries only where the stamp is new."""
    rows = _remembered[0] if _remembered is not None and _remembered[0].stamp == stamp else _read(stamp)
    return _with_settings(rows)


def remembered() -> Server:
    """Return what this process last loaded. Only for answers that may be a request behind."""
    return current() if _remembered is None else _with_settings(_remembered[0])


def _with_settings(rows: _Rows) -> Server:
    global _remembered  # noqa: PLW0603 - one process-wide memory, replaced whole, so that readers need no lock
    held, said = _remembered, conf.raw
    if held is not None and held[0] is rows and held[1] is said:
        return held[2]
    server = _compose(rows)
    _remembered = (rows, said, server)
    return server


def _read(stamp: str | None) -> _Rows:
    alias = router.db_for_write(ServerSettings)
    # Read after the stamp: rows newer than their stamp are read again under the next one, never kept too long.
    server = ServerSettings.objects.using(alias).filter(pk=ServerSettings.ONLY).first()
    rules = tuple(
        Rule(
            name=row.name,
            method=row.method,
            route=row.route,
            exposed=None if row.exposure == ToolRule.Exposure.INHERIT else row.exposure == ToolRule.Exposure.EXPOSED,
            mode=mode_named(row.approval_mode),
            requires_approval=row.requires_approval,
        )
        for row in ToolRule.objects.using(alias).all()
    )
    return _Rows(
        stamp=stamp,
        server=server or ServerSettings(),
        groups=tuple(ToolGroup.objects.using(alias).all()),
        rules=rules,
    )


def _compose(rows: _Rows) -> Server:
    groups = {
        row.name: Group(exposed=row.exposed, mode=mode_named(row.approval_mode), publish_as=_published(row.publish_as))
        for row in rows.groups
    }
    for name in conf.TOOL_GROUPS:
        groups[name] = replace(groups.get(name, Group()), exposed=True, locked=True)
    for name, word in _said_of_publishing().items():
        if groups.get(name, Group()).publish_as is PublishAs.API_TOOLS:
            groups[name] = replace(groups.get(name, Group()), publish_as=word, said_by_settings=True)
    row = rows.server
    return Server(
        name=row.server_name or conf.SERVER_NAME,
        version=conf.SERVER_VERSION,
        instructions=row.instructions or conf.INSTRUCTIONS,
        mode=mode_named(row.approval_mode) or mode_named(conf.APPROVAL_MODE) or ApprovalMode.TOKEN,
        expiry=row.confirmation_expiry or conf.CONFIRMATION_TOKEN_EXPIRY,
        writes_enabled=row.writes_enabled,
        stamp=rows.stamp,
        groups=MappingProxyType(groups),
        rules=rows.rules,
        listed=frozenset(conf.TOOLS),
    )


def _published(text: Any) -> PublishAs:
    try:
        return PublishAs(text)
    except ValueError:
        return PublishAs.API_TOOLS


def _said_of_publishing() -> Mapping[str, PublishAs]:
    """Return what `PUBLISH_AS` says of groups, as far as it differs from the default; the API tools are no operations."""
    said: object = conf.PUBLISH_AS
    if not isinstance(said, Mapping):
        return {}
    words = {str(name): _published(word) for name, word in said.items() if name != API_TOOLS}
    return {name: word for name, word in words.items() if word is not PublishAs.API_TOOLS}
