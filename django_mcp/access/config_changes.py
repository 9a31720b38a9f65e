"""Changes of settings, exposure and rules: each one is made together with its line in the record.

`by` is always who makes the change: any of a caller snapshot's keys.
"""

from collections.abc import Mapping
from typing import Any

from django.db import models, router, transaction

from django_mcp import audit
from django_mcp.access.server_config import API_TOOLS
from django_mcp.models import ServerSettings, ToolGroup, ToolRule
from django_mcp.types import EventKind

RULE_FIELDS = ("name", "method", "route", "exposure", "approval_mode", "requires_approval")
GROUP_FIELDS = ("exposed", "approval_mode", "publish_as")


def record(
    kind: EventKind,
    *,
    by: Mapping[str, Any],
    target: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> bool:
    """Record what differs between two states of `target`; return False, without an event, where nothing does."""
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


def set_settings(*, by: Mapping[str, Any], **values: Any) -> bool:
    """Set columns of the server's settings, from the next request of every process on; False if nothing changed."""
    with transaction.atomic(using=router.db_for_write(ServerSettings)):
        return _set(ServerSettings.load(), values, EventKind.SETTINGS_CHANGED, by=by, target="server")


def group_row(name: str) -> ToolGroup:
    """Return the row of a group, unsaved where there is none yet."""
    # The API tools are exposed until someone hides them, so that a row which is about their mode must not hide them.
    return ToolGroup.objects.filter(name=name).first() or ToolGroup(name=name, exposed=name == API_TOOLS)


def set_group(name: str, *, by: Mapping[str, Any], **values: Any) -> bool:
    """Set `exposed`, `approval_mode` or `publish_as` of a group, with or without a row; False if nothing changed."""
    with transaction.atomic(using=router.db_for_write(ToolGroup)):
        return _set(group_row(name), values, EventKind.EXPOSURE_CHANGED, by=by, target=name)


def rule_row(name: str) -> ToolRule:
    """Return the rule of that name, in whatever case; unsaved where there is none yet."""
    return ToolRule.objects.filter(name__iexact=name).first() or ToolRule(name=name)


def set_rule(name: str, method: str, route: str, *, by: Mapping[str, Any], **values: Any) -> bool:
    """Set `exposure`, `approval_mode` or `requires_approval` for one operation or tool; False if nothing changed.

    `method` and `route` are those of the operation that has the name now, empty for a tool.
    """
    with transaction.atomic(using=router.db_for_write(ToolRule)):
        values = {"name": name, "method": method, "route": route, **values}
        return _set(rule_row(name), values, EventKind.EXPOSURE_CHANGED, by=by, target=name)


def save_rule(rule: ToolRule, *, by: Mapping[str, Any]) -> None:
    """Save a rule as it stands; what it says differently from its row, if it has one, is recorded."""
    with transaction.atomic(using=router.db_for_write(ToolRule)):
        before = ToolRule.objects.filter(pk=rule.pk).values(*RULE_FIELDS).first() or {}
        after = {name: getattr(rule, name) for name in RULE_FIELDS}
        record(EventKind.EXPOSURE_CHANGED, by=by, target=rule.name, before=before, after=after)
        rule.save()


def delete(row: ToolGroup | ToolRule, *, by: Mapping[str, Any]) -> None:
    """Delete the row of a group or a rule."""
    fields = RULE_FIELDS if isinstance(row, ToolRule) else GROUP_FIELDS
    with transaction.atomic(using=router.db_for_write(type(row))):
        before = {name: getattr(row, name) for name in fields}
        record(EventKind.EXPOSURE_CHANGED, by=by, target=row.name, before=before, after={})
        row.delete()


def _set(row: models.Model, values: Mapping[str, Any], kind: EventKind, *, by: Mapping[str, Any], target: str) -> bool:
    before = {field: getattr(row, field) for field in values}
    if not record(kind, by=by, target=target, before=before, after=values):
        return False
    for field, value in values.items():
        setattr(row, field, value)
    # Of a row that exists the other columns are left alone: they may have changed meanwhile.
    row.save(update_fields=None if row.pk is None else values)
    return True
