"""The server's configuration: `DJANGO_MCP` and the admin's rows as one frozen snapshot per request.

Each process keeps the rows in memory under the stamp that every change of them renews. The stamp comes with the key's
own query, so that a change holds from the next request on in every process.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

from django.db import router
from django.db.models import Subquery

from django_mcp.choices import ApprovalMode
from django_mcp.conf import conf
from django_mcp.models import ServerSettings, ToolGroup, ToolRule

# The group that the API tools themselves are exposed and hidden with.
API_TOOLS = "api_tools"
PublishAs = ToolGroup.PublishAs

# The stamp as a column of another query.
STAMP = Subquery(ServerSettings.objects.filter(pk=ServerSettings.ONLY).values("stamp")[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The configuration of a tool group: its row, and what the settings say of it.

    `mode` is None where the group inherits the server's. `locked`: `TOOL_GROUPS` exposes it, whatever its row says.
    `published_by_settings`: `publish_as` comes from `PUBLISH_AS`, not from the row.
    """

    exposed: bool = False
    mode: ApprovalMode | None = None
    locked: bool = False
    publish_as: PublishAs = PublishAs.API_TOOLS
    published_by_settings: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The configuration of one operation or tool. `exposed` and `mode` are None where its group's hold.

    `exact` is False where only the name or only the route still matches: the host's code has changed since the rule
    was written. Then the restrictions of the rule still hold, and its permissions no longer do. So it is with the mode of
    a rule that has one which does not exist.
    """

    name: str
    method: str = ""
    route: str = ""
    exposed: bool | None = None
    mode: ApprovalMode | None = None
    requires_approval: bool = False
    exact: bool = True

    def applied_to(self, name: str, method: str, route: str) -> "Rule | None":
        """Return this rule as it applies to an operation or tool; None where it does not apply."""
        by_name = self.name.casefold() == name.casefold()
        by_route = (self.method, self.route) == (method, route)
        if by_name and by_route:
            return self
        if not by_name and not (by_route and route):
            return None
        return replace(self, exact=False, exposed=False if self.exposed is False else None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Server:
    """The configuration that holds for one request; the same object for as long as nothing changes.

    `expiry` is that of confirmation tokens, in seconds. `listed` are the names of operations and tools in `TOOLS`.
    """

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
        """Return every rule that applies to an operation, or to a tool, which has neither method nor route."""
        if not self.rules:
            return ()
        by_name, by_route = self._index
        candidates = dict.fromkeys((*by_name.get(name.casefold(), ()), *by_route.get((method, route), ())))
        applied = (rule.applied_to(name, method, route) for rule in candidates)
        return tuple(rule for rule in applied if rule is not None)

    @cached_property
    def _index(self) -> tuple[Mapping[str, Sequence[Rule]], Mapping[tuple[str, str], Sequence[Rule]]]:
        by_name: dict[str, list[Rule]] = {}
        by_route: dict[tuple[str, str], list[Rule]] = {}
        for rule in self.rules:
            by_name.setdefault(rule.name.casefold(), []).append(rule)
            by_route.setdefault((rule.method, rule.route), []).append(rule)
        return by_name, by_route

    def publish_as(self, group: str) -> PublishAs:
        """Return how the operations of a group are offered: through the API tools, as one tool each, or both ways."""
        configured = self.groups.get(group)
        return PublishAs.API_TOOLS if configured is None else configured.publish_as

    @cached_property
    def publishes_tools(self) -> bool:
        """Tell whether any group offers its operations as one tool each."""
        return any(group.publish_as is not PublishAs.API_TOOLS for group in self.groups.values())

    def mode_of(self, group: str, rules: Sequence[Rule]) -> ApprovalMode:
        """Return the approval mode of the rules, else of the group, else of the server.

        A rule that is not exact can only make it stricter.
        """
        exact = [rule.mode for rule in rules if rule.exact and rule.mode is not None]
        mode = ApprovalMode.strictest(*exact) if exact else self.groups.get(group, Group()).mode or self.mode
        return ApprovalMode.strictest(mode, *(rule.mode for rule in rules if not rule.exact and rule.mode is not None))


def approval_required(rules: Iterable[Rule], *, said: bool) -> bool:
    """Tell whether a call needs approval even where it only reads: by its declaration (`said`) or by a rule."""
    return said or any(rule.requires_approval for rule in rules)


def mode_named(text: str, inherited: ApprovalMode = ApprovalMode.TOKEN) -> ApprovalMode | None:
    """Return the approval mode of that name, None for a blank.

    What an unknown name meant is not known: it counts as a confirmation, or as the inherited mode if that is stricter.
    """
    if not text:
        return None
    return ApprovalMode(text) if text in ApprovalMode.values else ApprovalMode.strictest(inherited, ApprovalMode.TOKEN)


def _publish_as_named(text: Any) -> PublishAs:
    try:
        return PublishAs(text)
    except ValueError:
        return PublishAs.API_TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The admin's rows, as the database has them under one stamp."""

    stamp: str | None
    server: ServerSettings
    groups: tuple[ToolGroup, ...]
    rules: tuple[Rule, ...]

    @classmethod
    def read(cls, stamp: str | None) -> Self:
        """Read the rows, after their stamp: newer ones are read again under the next stamp, and never kept too long."""
        alias = router.db_for_write(ServerSettings)
        inherit, exposed = ToolRule.Exposure.INHERIT, ToolRule.Exposure.EXPOSED
        server = ServerSettings.objects.using(alias).filter(pk=ServerSettings.ONLY).first()
        rules = tuple(
            Rule(
                name=row.name,
                method=row.method,
                route=row.route,
                exposed=None if row.exposure == inherit else row.exposure == exposed,
                mode=mode_named(row.approval_mode),
                requires_approval=row.requires_approval,
                exact=row.approval_mode in {"", *ApprovalMode.values},
            )
            for row in ToolRule.objects.using(alias).all()
        )
        groups = tuple(ToolGroup.objects.using(alias).all())
        return cls(stamp=stamp, server=server or ServerSettings(), groups=groups, rules=rules)

    def composed(self) -> Server:
        """Return the rows and the settings together. A row goes before the settings, which alone lock a group."""
        row = self.server
        configured = mode_named(conf.APPROVAL_MODE) or ApprovalMode.TOKEN
        mode = mode_named(row.approval_mode, configured) or configured
        return Server(
            name=row.server_name or conf.SERVER_NAME,
            version=conf.SERVER_VERSION,
            instructions=row.instructions or conf.INSTRUCTIONS,
            mode=mode,
            expiry=row.confirmation_expiry or conf.CONFIRMATION_TOKEN_EXPIRY,
            writes_enabled=row.writes_enabled,
            stamp=self.stamp,
            groups=MappingProxyType(self._groups(mode)),
            rules=self.rules,
            listed=frozenset(conf.TOOLS),
        )

    def _groups(self, inherited: ApprovalMode) -> dict[str, Group]:
        groups = {
            row.name: Group(
                exposed=row.exposed,
                mode=mode_named(row.approval_mode, inherited),
                publish_as=_publish_as_named(row.publish_as),
            )
            for row in self.groups
        }
        for name in conf.TOOL_GROUPS:
            groups[name] = replace(groups.get(name, Group()), exposed=True, locked=True)
        # A check names a PUBLISH_AS that is no mapping; until it is mended the server goes on without.
        setting: object = conf.PUBLISH_AS
        for name, value in setting.items() if isinstance(setting, Mapping) else ():
            group, publish_as = groups.get(str(name), Group()), _publish_as_named(value)
            # The API tools are no operations, and a row with the default leaves the choice to the settings.
            if name != API_TOOLS and PublishAs.API_TOOLS is group.publish_as is not publish_as:
                groups[str(name)] = replace(group, publish_as=publish_as, published_by_settings=True)
        return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """What a process keeps: the rows it read last, and the configuration they made with these settings."""

    rows: _Rows
    settings: Mapping[str, Any]
    server: Server


# Replaced whole, so that readers need no lock.
_memory: _Memory | None = None


def current() -> Server:
    """Return the configuration as it is now: one query for the stamp, three more where this process has not seen it."""
    alias = router.db_for_write(ServerSettings)
    rows = ServerSettings.objects.using(alias).filter(pk=ServerSettings.ONLY)
    return for_stamp(rows.values_list("stamp", flat=True).first())


def for_stamp(stamp: str | None) -> Server:
    """Return the configuration as of a stamp that was just read: three queries where it is new, else none."""
    global _memory  # noqa: PLW0603 - see above
    memory, settings = _memory, conf.raw
    rows = memory.rows if memory is not None and memory.rows.stamp == stamp else _Rows.read(stamp)
    if memory is None or memory.rows is not rows or memory.settings is not settings:
        _memory = memory = _Memory(rows=rows, settings=settings, server=rows.composed())
    return memory.server


def cached() -> Server:
    """Return the configuration that this process read last, without a query; the first call does what `current` does.

    It may miss the changes of other processes since then: only for answers that may be a request behind.
    """
    memory = _memory
    return current() if memory is None else for_stamp(memory.rows.stamp)


def forget() -> None:
    """Drop what this process keeps, so that the next configuration is read from the database."""
    global _memory  # noqa: PLW0603 - see above
    _memory = None
