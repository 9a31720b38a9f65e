"""Changes of settings, exposure and rules: each one is made together with its line in the record.

`by` is always who makes the change: any of a caller snapshot's keys. `stamp` is that of the form that asks for it, None
where no form does; a form that is no longer true raises Stale. All changes wait for one lock, so that of two forms made
from the same rows one is saved and the other is stale.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import models, router, transaction
from django.utils import timezone

from django_mcp import audit
from django_mcp.access import stamps
from django_mcp.access.server_config import API_TOOLS
from django_mcp.choices import EventKind
from django_mcp.models import ServerSettings, ToolGroup, ToolRule
from django_mcp.redaction import redact
from django_mcp.text import clean_text, one_line

SETTINGS_FIELDS = ("approval_mode", "confirmation_expiry", "server_name", "instructions")
SWITCH_FIELDS = ("writes_enabled", "writes_changed_at")

RULE_FIELDS = ("name", "method", "route", "exposure", "approval_mode", "requires_approval")
GROUP_FIELDS = ("exposed", "approval_mode", "publish_as")
MAX_REASON = 500

_SERVER = "server"
Row = TypeVar("Row", bound=models.Model)


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


def shown(row: models.Model, fields: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of a row that a form is made from."""
    return {field: getattr(row, field) for field in fields}


def shown_groups(rows: Iterable[ToolGroup]) -> dict[str, Any]:
    """Return the values of all groups that have a row, from which their one form is made."""
    return {row.name: shown(row, GROUP_FIELDS) for row in rows}


def set_settings(*, by: Mapping[str, Any], stamp: str | None = None, **values: Any) -> bool:
    """Set columns of the server's settings, from the next request of every process on; False if nothing changed."""
    with _lock() as row:
        stamps.check(stamp, shown(row, SETTINGS_FIELDS), target=_SERVER, kind=EventKind.SETTINGS_CHANGED)
        return _set(row, values, EventKind.SETTINGS_CHANGED, by=by, target=_SERVER)


def switch_writes(*, enabled: bool, by: Mapping[str, Any], reason: str = "", stamp: str | None = None) -> bool:
    """Stop all writes of all agents, or let them go on, from the next request on; False if they were before.

    To stop them never waits for a newer page: only letting them go on minds the stamp.
    """
    with _lock() as row:
        if enabled:
            stamps.check(stamp, shown(row, SWITCH_FIELDS), target=_SERVER, kind=EventKind.WRITES_SWITCHED)
        if row.writes_enabled is enabled:
            return False
        row.writes_enabled = enabled
        row.writes_reason = clean_text(redact(reason))[:MAX_REASON]
        row.writes_changed_at = timezone.now()
        row.writes_changed_by = one_line(by.get("username") or by.get("subject") or "", 200)
        row.save(update_fields=("writes_enabled", "writes_reason", "writes_changed_at", "writes_changed_by"))
        audit.record(
            EventKind.WRITES_SWITCHED,
            caller=by,
            target=_SERVER,
            before={"writes_enabled": not enabled},
            after={"writes_enabled": enabled},
            reason=row.writes_reason,
        )
    return True


def group_row(name: str, rows: models.QuerySet[ToolGroup] | None = None) -> ToolGroup:
    """Return the row of a group, unsaved where there is none yet."""
    rows = ToolGroup.objects.all() if rows is None else rows
    # The API tools are exposed until someone hides them, so that a row which is about their mode must not hide them.
    return rows.filter(name=name).first() or ToolGroup(name=name, exposed=name == API_TOOLS)


def set_group(name: str, *, by: Mapping[str, Any], stamp: str | None = None, **values: Any) -> bool:
    """Set `exposed`, `approval_mode` or `publish_as` of a group, with or without a row; False if nothing changed."""
    with _lock():
        row = group_row(name, _locked(ToolGroup))
        stamps.check(stamp, None if row.pk is None else shown(row, GROUP_FIELDS), target=name)
        return _set(row, values, EventKind.EXPOSURE_CHANGED, by=by, target=name)


def set_groups(changes: Mapping[str, Mapping[str, Any]], *, by: Mapping[str, Any], stamp: str | None) -> list[str]:
    """Set columns of groups, by their names, all or none; return the names of those that changed.

    The stamp is that of `shown_groups`.
    """
    with _lock():
        stamps.check(stamp, shown_groups(_locked(ToolGroup)), kind=EventKind.EXPOSURE_CHANGED)
        return [name for name, values in changes.items() if set_group(name, by=by, **values)]


def rule_row(name: str, rows: models.QuerySet[ToolRule] | None = None) -> ToolRule:
    """Return the rule of that name, in whatever case; unsaved where there is none yet."""
    rows = ToolRule.objects.all() if rows is None else rows
    return rows.filter(name__iexact=name).first() or ToolRule(name=name)


def set_rule(name: str, method: str, route: str, *, by: Mapping[str, Any], **values: Any) -> bool:
    """Set `exposure`, `approval_mode` or `requires_approval` for one operation or tool; False if nothing changed.

    `method` and `route` are those of the operation that has the name now, empty for a tool.
    """
    with _lock():
        values = {"name": name, "method": method, "route": route, **values}
        row = rule_row(name, _locked(ToolRule))
        return _set(row, values, EventKind.EXPOSURE_CHANGED, by=by, target=name)


def save_rule(rule: ToolRule, *, by: Mapping[str, Any], stamp: str | None = None) -> None:
    """Save a rule as it stands; what it says differently from its row, if it has one, is recorded.

    A new rule for what has one meanwhile is stale too.
    """
    with _lock():
        row = _locked(ToolRule).filter(pk=rule.pk).first()
        before = {} if row is None else shown(row, RULE_FIELDS)
        if rule.pk:
            _check_row(stamp, row, RULE_FIELDS)
        elif stamp is not None and rule_row(rule.name, _locked(ToolRule)).pk is not None:
            raise stamps.stale(stamp, target=rule.name)
        record(EventKind.EXPOSURE_CHANGED, by=by, target=rule.name, before=before, after=shown(rule, RULE_FIELDS))
        rule.save()


def delete(row: ToolGroup | ToolRule, *, by: Mapping[str, Any], stamp: str | None = None) -> None:
    """Delete the row of a group or a rule."""
    fields = RULE_FIELDS if isinstance(row, ToolRule) else GROUP_FIELDS
    with _lock():
        _check_row(stamp, _locked(type(row)).filter(pk=row.pk).first(), fields)
        record(EventKind.EXPOSURE_CHANGED, by=by, target=row.name, before=shown(row, fields), after={})
        row.delete()


def _alias() -> str:
    return router.db_for_write(ServerSettings)


def _locked(model: type[Row]) -> models.QuerySet[Row]:
    """Return the rows of a model as they are now, also where the transaction has an older view of them."""
    return model._default_manager.using(_alias()).select_for_update()  # noqa: SLF001 - Django documents it


@contextmanager
def _lock() -> Iterator[ServerSettings]:
    """Open a transaction that holds the lock of all configuration, which is the server's one row."""
    with transaction.atomic(using=_alias()):
        rows = ServerSettings.objects.using(_alias())
        rows.get_or_create(pk=ServerSettings.ONLY)
        yield rows.select_for_update().get(pk=ServerSettings.ONLY)


def _check_row(stamp: str | None, row: ToolGroup | ToolRule | None, fields: tuple[str, ...]) -> None:
    if row is not None:
        stamps.check(stamp, shown(row, fields), target=row.name)
    elif stamp is not None:
        raise stamps.stale(stamp, gone=True, kind=EventKind.EXPOSURE_CHANGED)


def _set(row: models.Model, values: Mapping[str, Any], kind: EventKind, *, by: Mapping[str, Any], target: str) -> bool:
    before = {field: getattr(row, field) for field in values}
    if not record(kind, by=by, target=target, before=before, after=values):
        return False
    for field, value in values.items():
        setattr(row, field, value)
    # Of a row that exists the other columns are left alone: they may have changed meanwhile.
    row.save(update_fields=None if row.pk is None else values)
    return True
