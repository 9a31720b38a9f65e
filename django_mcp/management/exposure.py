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
    """Expose groups, operations and tools; return a line for each. Raises CommandError, and changes nothing, for an unknown name.

    `publish_as` is how the operations of the groups are offered from now on; only groups of operations can be named then.
    """
    return _change(names, exposed=True, publish_as=publish_as)


def hide(names: Sequence[str]) -> list[str]:
    """Hide groups, operations and tools; return a line for each. Raises CommandError, and changes nothing, for a locked group."""
    return _change(names, exposed=False)


def switch_writes(word: str) -> str:
    """Let agents write, or stop all writes at once."""
    enabled = word == "on"
    changed = config_changes.set_writes(enabled, by=ACTOR)
    said = "Writes are on." if enabled else "Writes are off: no agent can change anything."
    return said if changed else f"{said} They were before."


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
    return output.aligned(("NAME", "METHOD", "ROUTE", "SAFETY", "GROUP", "EXPOSED", "MODE", "NOTES"), rows)


def _change(names: Sequence[str], *, exposed: bool, publish_as: str | None = None) -> list[str]:
    groups = {group.name: group for group in offered(server_config.current())}
    targets = [_target(name, groups) for name in names]
    if publish_as is not None:
        _check_publishing(targets, publish_as)
    for target in targets:
        if isinstance(target, OfferedGroup) and target.locked and not exposed:
            msg = f"Group {target.name!r} is exposed by DJANGO_MCP['TOOL_GROUPS']: take it out there."
            raise CommandError(msg)
    with transaction.atomic(using=router.db_for_write(ToolGroup)):
        return [
            _set_group(target, exposed=exposed, publish_as=publish_as)
            if isinstance(target, OfferedGroup)
            else _set_named(target, exposed=exposed)
            for target in targets
        ]


def _check_publishing(targets: Sequence[OfferedGroup | Named], publish_as: str) -> None:
    if publish_as not in PublishAs.values:
        msg = f"{publish_as!r} is no way to publish: one of {', '.join(PublishAs.values)}."
        raise CommandError(msg)
    for target in targets:
        if not isinstance(target, OfferedGroup) or not target.operation_count:
            msg = f"{target.name!r} is no group of operations: only the operations of whole groups are published in a way."
            raise CommandError(msg)


def _target(name: str, groups: dict[str, OfferedGroup]) -> OfferedGroup | Named:
    found = groups.get(name) or named(name)
    if found is None:
        msg = f"There is no group, operation or tool {name!r}. {cure(name, [*groups, *names()])}"
        raise CommandError(msg)
    return found


def _set_group(group: OfferedGroup, *, exposed: bool, publish_as: str | None) -> str:
    said: dict[str, Any] = {} if group.locked else {"exposed": exposed}
    if publish_as is not None:
        said["publish_as"] = publish_as
    config_changes.set_group(group.name, by=ACTOR, **said)
    word = "exposed" if exposed else "hidden"
    if group.name == API_TOOLS:
        return f"Group {group.name}: {word}."
    left_out = sum(offer.by_name_only for offer in group.offers) if exposed else 0
    note = f" {left_out} with their own authentication are exposed by name only." if left_out else ""
    tools = f", {group.tool_count} tools" if group.tool_count else ""
    return f"Group {group.name}: {word}, {group.operation_count} operations{tools}.{note}"


def _set_named(found: Named, *, exposed: bool) -> str:
    exposure = ToolRule.Exposure.EXPOSED if exposed else ToolRule.Exposure.HIDDEN
    config_changes.set_rule(found.name, found.method, found.route, by=ACTOR, exposure=exposure.value)
    return f"{'Tool' if found.is_tool else 'Operation'} {found.name}: {exposure.value}."
