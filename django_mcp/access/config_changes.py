"""Changes of settings, exposure and rules: each one is made together with its line in the record."""

from collections.abc import Mapping
from typing import Any

from django.db import models, router, transaction

from django_mcp import audit
from django_mcp.access.server_config import API_TOOLS
from django_mcp.models import ServerSettings, ToolGroup, ToolRule
from django_mcp.types import EventKind


def record(
    kind: EventKind,
    *,
    by: Mapping[str, Any],
    target: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> bool:
    """Record what differs between two states of `target`; False, and no event, where nothing does.

    `by` is who did it: any of a caller snapshot's keys.
    """
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if not changed:
        return False
    audit.record(
        kind,
        caller=by,
        target=target,
        before={name: before.get(name) for name in changed},
        after={name: after.get(name) for name in changed},
    )
    return True


def set_group(name: str, *, by: Mapping[str, Any], **values: Any) -> bool:
    """Set `exposed`, `approval_mode` or `publish_as` of a tool group, whose row is made where there is none; False if nothing changed."""
    with transaction.atomic(using=router.db_for_write(ToolGroup)):
        # The API tools stand until someone hides them, so a row that is about their mode must not do that.
        row = ToolGroup.objects.filter(name=name).first() or ToolGroup(name=name, exposed=name == API_TOOLS)
        return _set(row, values, by=by, target=name)


def set_rule(name: str, method: str, route: str, *, by: Mapping[str, Any], **values: Any) -> bool:
    """Set `exposure`, `approval_mode` or `requires_approval` for one operation or tool; False if nothing changed.

    The method and route are written anew: the rule is about what has this name now.
    """
    with transaction.atomic(using=router.db_for_write(ToolRule)):
        row = ToolRule.objects.filter(name__iexact=name).first() or ToolRule(name=name)
        return _set(row, {"name": name, "method": method, "route": route, **values}, by=by, target=name)


def set_writes(enabled: bool, *, by: Mapping[str, Any]) -> bool:  # noqa: FBT001 - the one thing that is set
    """Let agents write, or stop all writes on the next request of every process; False if nothing changed."""
    with transaction.atomic(using=router.db_for_write(ServerSettings)):
        before = {"writes_enabled": ServerSettings.load().writes_enabled}
        after = {"writes_enabled": enabled}
        if not record(EventKind.SETTINGS_CHANGED, by=by, target="server", before=before, after=after):
            return False
        ServerSettings.objects.filter(pk=ServerSettings.ONLY).update(**after)
    return True


def _set(row: models.Model, values: Mapping[str, Any], *, by: Mapping[str, Any], target: str) -> bool:
    before = {field: getattr(row, field) for field in values}
    if not record(EventKind.EXPOSURE_CHANGED, by=by, target=target, before=before, after=values):
        return False
    for field, value in values.items():
        setattr(row, field, value)
    row.save()
    return True
