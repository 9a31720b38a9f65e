"""The row that a call would change, and what to show of the change."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from django.db import models, router
from rest_framework import serializers
from rest_framework.utils.encoders import JSONEncoder

from django_mcp.redaction import MASK, one_line, redact
from django_mcp.vocabulary import Target, ToolCall

MAX_SHOWN_ITEMS = 20


def target_of(call: ToolCall, instance: Any, serializer: Any) -> Target | None:
    """Return what to compare of a row: for PUT and PATCH the columns behind the fields sent, else all of them.

    Columns that change by themselves (`auto_now`, `volatile_fields`) are left out. None where there is no row.
    """
    operation: Any = call.operation
    if not isinstance(instance, models.Model) or instance.pk is None:
        return None
    volatile = set(operation.hints.volatile_fields)
    lasting = [
        field
        for field in instance._meta.concrete_fields  # noqa: SLF001 - Django documents it.
        if not getattr(field, "auto_now", False) and not {field.name, field.attname} & volatile
    ]
    names = _sources(call, serializer) if operation.method in {"PUT", "PATCH"} else set()
    shown = [field for field in lasting if {field.name, field.attname} & names]
    return Target(
        model=type(instance),
        pk=instance.pk,
        using=router.db_for_write(type(instance), instance=instance),
        # Where only related rows are changed, the row as a whole stands for them.
        fields=tuple(field.attname for field in shown or lasting),
    )


def values_of(call: ToolCall, instance: Any, serializer: Any) -> dict[str, Any]:
    """Return what the arguments' fields hold now, by argument, as the serializer shows them. Unreadable ones are left out."""
    values = {}
    for name, field in _fields(call, serializer):
        if not field.write_only:
            # The preview does without a field that cannot be shown.
            with suppress(Exception):
                value = field.get_attribute(instance)
                values[name] = None if value is None else plain(field.to_representation(value))
    return values


def changes(call: ToolCall, before: Mapping[str, Any], serializer: Any) -> dict[str, Any]:
    """Return the preview of an update: each field sent that would change, with its value before and after.

    A validated serializer gives the value as it would be stored, else it is the argument. Secrets are masked.
    """
    rows = []
    for name, field in _fields(call, serializer):
        after = _after(field, serializer, call.arguments[name])
        if name in before and before[name] == after:
            continue
        hidden = field.write_only
        row = {"field": name}
        for key, value in (("from", before.get(name)), ("to", after)):
            masked = redact({name: value}, call.sensitive)[name]
            row[key] = MASK if hidden and value is not None else _shown(masked)
        rows.append(row)
    return {"changes": rows}


def label(instance: Any) -> str:
    """Return a row's name on one line."""
    try:
        return one_line(instance)
    except Exception:  # noqa: BLE001 - the host's __str__ may need what this row has not.
        return one_line(f"{instance._meta.verbose_name} {instance.pk}")  # noqa: SLF001 - Django documents it.


def _fields(call: ToolCall, serializer: Any) -> Iterable[tuple[str, serializers.Field[Any, Any, Any, Any]]]:
    known = getattr(serializer, "fields", {})
    for name in call.arguments:
        argument = call.placement.get(name)
        wire = argument.wire if argument else name
        if wire in known and (argument is None or argument.location == "body"):
            yield name, known[wire]


def _sources(call: ToolCall, serializer: Any) -> set[str]:
    return {str(field.source).partition(".")[0] for _, field in _fields(call, serializer)}


def _after(field: Any, serializer: Any, sent: Any) -> Any:
    validated = getattr(serializer, "_validated_data", None) or {}
    if field.source not in validated:
        return sent
    value = validated[field.source]
    try:
        return None if value is None else plain(field.to_representation(value))
    except Exception:  # noqa: BLE001 - what was sent is as good.
        return sent


def plain(value: Any) -> Any:
    """Return a value as DRF's encoder writes it: plain JSON values."""
    return json.loads(json.dumps(value, cls=JSONEncoder))


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {one_line(key): _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        more = len(value) - MAX_SHOWN_ITEMS
        return [*map(_shown, value[:MAX_SHOWN_ITEMS]), *([f"… and {more} more"] if more > 0 else [])]
    return one_line(value) if isinstance(value, str) else value
