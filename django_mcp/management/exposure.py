"""What `mcp expose`, `mcp hide` and `mcp operations` do."""

from collections.abc import Iterator, Sequence

from django.core.management.base import CommandError
from django.db import router, transaction

from django_mcp import changes, server
from django_mcp.exposure import API_TOOLS
from django_mcp.inventory import Named, OfferedGroup, named, names, nearest, offered
from django_mcp.management import tables
from django_mcp.management.keys import BY
from django_mcp.models import ToolGroup, ToolRule

ACTOR = {"subject": BY, "username": BY}


def expose(names: Sequence[str]) -> Iterator[str]:
    """Expose groups, operations and tools; return a line for each. Raises CommandError, and changes nothing, for an unknown name."""
    return _change(names, exposed=True)


def hide(names: Sequence[str]) -> Iterator[str]:
    """Hide groups, operations and tools; return a line for each. Raises CommandError, and changes nothing, for a locked group."""
    return _change(names, exposed=False)


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
        for group in offered(server.current())
        for offer in group.offers
    ]
    return tables.aligned(("NAME", "METHOD", "ROUTE", "SAFETY", "GROUP", "EXPOSED", "MODE", "NOTES"), rows)


def _change(names: Sequence[str], *, exposed: bool) -> Iterator[str]:
    groups = {group.name: group for group in offered(server.current())}
    targets = [_target(name, groups) for name in names]
    for target in targets:
        if isinstance(target, OfferedGroup) and target.locked and not exposed:
            msg = f"Group {target.name!r} is exposed by DJANGO_MCP['TOOL_GROUPS']: take it out there."
            raise CommandError(msg)
    with transaction.atomic(using=router.db_for_write(ToolGroup)):
        lines = [
            _set_group(target, exposed=exposed)
            if isinstance(target, OfferedGroup)
            else _set_named(target, exposed=exposed)
            for target in targets
        ]
    return iter(lines)


def _target(name: str, groups: dict[str, OfferedGroup]) -> OfferedGroup | Named:
    found = groups.get(name) or named(name)
    if found is None:
        near = nearest(name, [*groups, *names()])
        msg = f"There is no group, operation or tool {name!r}." + (f" Did you mean {near!r}?" if near else "")
        raise CommandError(msg)
    return found


def _set_group(group: OfferedGroup, *, exposed: bool) -> str:
    if not group.locked:
        changes.set_group(group.name, by=ACTOR, exposed=exposed)
    word = "exposed" if exposed else "hidden"
    if group.name == API_TOOLS:
        return f"Group {group.name}: {word}."
    left_out = sum(offer.by_name_only for offer in group.offers) if exposed else 0
    note = f" {left_out} with their own authentication are exposed by name only." if left_out else ""
    tools = f", {group.tool_count} tools" if group.tool_count else ""
    return f"Group {group.name}: {word}, {group.operation_count} operations{tools}.{note}"


def _set_named(found: Named, *, exposed: bool) -> str:
    exposure = ToolRule.Exposure.EXPOSED if exposed else ToolRule.Exposure.HIDDEN
    changes.set_rule(found.name, found.method, found.route, by=ACTOR, exposure=exposure.value)
    return f"{'Tool' if found.is_tool else 'Operation'} {found.name}: {exposure.value}."
