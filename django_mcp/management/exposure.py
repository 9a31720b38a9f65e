"""What `mcp expose`, `mcp hide`, `mcp operations` and `mcp writes` do."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError
from django.db import router, transaction

from django_mcp.access import config_changes, server_config
from django_mcp.access.server_config import API_TOOLS, PublishAs
from django_mcp.management import output
from django_mcp.management.keys import ACTOR
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.tools.inventory import Named, OfferedGroup, cure, named, names, offered


def expose(names: Sequence[str], publish_as: str | None = None) -> list[str]:
    """Expose groups, operations and tools; return a line for each.

    `publish_as` is how the operations of the groups are offered from now on: then only groups of operations can be
    named. Raises CommandError for a name that nothing has, and changes nothing.
    """
    targets = _targets(names)
    if publish_as is not None and publish_as not in PublishAs.values:
        msg = f"{publish_as!r} is no way to publish: one of {', '.join(PublishAs.values)}."
        raise CommandError(msg)
    for target in targets if publish_as is not None else ():
        if not isinstance(target, OfferedGroup) or not target.operation_count:
            name = target.name
            msg = f"{name!r} is no group of operations: only the operations of whole groups are published in a way."
            raise CommandError(msg)
    return _change(targets, exposed=True, publish_as=publish_as)


def hide(names: Sequence[str]) -> list[str]:
    """Hide groups, operations and tools; return a line for each.

    Raises CommandError for a name that nothing has and for a group that settings expose, and changes nothing.
    """
    targets = _targets(names)
    for target in targets:
        if isinstance(target, OfferedGroup) and target.locked:
            msg = f"Group {target.name!r} is exposed by DJANGO_MCP['TOOL_GROUPS']: take it out there."
            raise CommandError(msg)
    return _change(targets, exposed=False)


def switch_writes(word: str, reason: str = "") -> str:
    """Let agents write ("on"), or stop all writes at once ("off"); the record keeps the reason."""
    enabled = word == "on"
    changed = config_changes.switch_writes(enabled=enabled, by=ACTOR, reason=reason)
    line = "Writes are on." if enabled else "Writes are off: no agent can change anything."
    return line if changed else f"{line} They were before."


def operations() -> str:
    """Return every operation and every tool of the host as a table."""
    rows = [
        (
            offer.name,
            offer.method,
            offer.route,
            str(offer.safety_text),
            group.name,
            "yes" if offer.exposed else "no",
            offer.mode or "-",
            "; ".join(str(note) for note in offer.notes),
        )
        for group in offered(server_config.current())
        for offer in group.offers
    ]
    return output.table(("NAME", "METHOD", "ROUTE", "SAFETY", "GROUP", "EXPOSED", "MODE", "NOTES"), rows)


def _targets(wanted: Sequence[str]) -> list[OfferedGroup | Named]:
    """Return the groups, operations and tools of these names; a group goes before what has the same name."""
    groups = {group.name: group for group in offered(server_config.current())}
    targets = []
    for name in wanted:
        target = groups.get(name) or named(name)
        if target is None:
            msg = f"There is no group, operation or tool {name!r}. {cure(name, [*groups, *names()])}"
            raise CommandError(msg)
        targets.append(target)
    return targets


def _change(targets: Sequence[OfferedGroup | Named], *, exposed: bool, publish_as: str | None = None) -> list[str]:
    with transaction.atomic(using=router.db_for_write(ToolGroup)):
        return [
            _set_group(target, exposed=exposed, publish_as=publish_as)
            if isinstance(target, OfferedGroup)
            else _set_rule(target, exposed=exposed)
            for target in targets
        ]


def _set_group(group: OfferedGroup, *, exposed: bool, publish_as: str | None) -> str:
    values: dict[str, Any] = {} if group.locked else {"exposed": exposed}
    if publish_as is not None:
        values["publish_as"] = publish_as
    config_changes.set_group(group.name, by=ACTOR, **values)
    line = f"Group {group.name}: {'exposed' if exposed else 'hidden'}"
    if group.name == API_TOOLS:
        return f"{line}."
    by_name_only = sum(offer.by_name_only for offer in group.offers) if exposed else 0
    note = f" {by_name_only} with their own authentication are exposed by name only." if by_name_only else ""
    tools = f", {group.tool_count} tools" if group.tool_count else ""
    return f"{line}, {group.operation_count} operations{tools}.{note}"


def _set_rule(target: Named, *, exposed: bool) -> str:
    exposure = ToolRule.Exposure.EXPOSED if exposed else ToolRule.Exposure.HIDDEN
    config_changes.set_rule(target.name, target.method, target.route, by=ACTOR, exposure=exposure.value)
    return f"{'Tool' if target.is_tool else 'Operation'} {target.name}: {exposure}."
