"""The row that a call would change, and what to show of the change."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import models, router
from django.db.models.fields.files import FieldFile
from rest_framework import serializers

from django_mcp.protocol.json import plain
from django_mcp.redaction import MASK, redact
from django_mcp.text import one_line
from django_mcp.types import OperationCall, Target

MAX_SHOWN_ITEMS = 20

AnyField = serializers.Field[Any, Any, Any, Any]


def target_of(call: OperationCall, instance: Any, serializer: Any, *, found_by: str = "") -> Target | None:
    """Return what to compare of a row: for PUT and PATCH the columns behind the fields sent, else all of them.

    Columns that change by themselves (`auto_now`, `volatile_fields`) are left out; the one that the row was found by
    belongs to it, else the same call could find another. None where there is no row.
    """
    if not isinstance(instance, models.Model) or instance.pk is None:
        return None
    volatile = set(call.operation.hints.volatile_fields)
    lasting = [
        field
        for field in instance._meta.concrete_fields  # noqa: SLF001 - Django documents it.
        if not getattr(field, "auto_now", False) and not {field.name, field.attname} & volatile
    ]
    names = _sources(call, serializer) if call.operation.method in {"PUT", "PATCH"} else set()
    compared = [field for field in lasting if {field.name, field.attname} & names]
    if compared:
        compared += [field for field in lasting if field.name == found_by and field not in compared]
    many = {field.name for field in instance._meta.many_to_many}  # noqa: SLF001 - Django documents it.
    return Target(
        model=type(instance),
        pk=instance.pk,
        using=router.db_for_write(type(instance), instance=instance),
        # Where only related rows are changed, the row as a whole stands for them.
        fields=tuple(field.attname for field in compared or lasting),
        relations=tuple(sorted(many & names)),
    )


def values_of(instance: Any, serializer: Any) -> dict[str, Any]:
    """Return what the row's fields hold now, as the REST API shows them: what it keeps to itself is not in here."""
    # The preview does without a row that cannot be shown.
    with suppress(Exception):
        shown_now = plain(serializer.to_representation(instance))
        return dict(shown_now) if isinstance(shown_now, Mapping) else {}
    return {}


def changes(call: OperationCall, before: Mapping[str, Any], serializer: Any) -> dict[str, Any]:
    """Return the preview of an update: each field that would change, with its value before and after.

    That is what was sent, and what a validated serializer writes besides: defaults, hidden fields, what a form that
    leaves it out means. Secrets are masked.
    """
    sent = _sent(call, serializer)
    rows = []
    for name, field in _written(call, serializer):
        argument, value = sent.get(name, (name, None))
        after = _after(field, serializer, value)
        if name in before and before[name] == after:
            continue
        row = {"field": argument}
        for key, found in (("from", before.get(name)), ("to", after)):
            masked = redact({argument: found}, call.sensitive)[argument]
            row[key] = MASK if _secret(field) and found is not None else shown(masked)
        rows.append(row)
    return {"changes": rows}


def label(instance: Any) -> str:
    """Return what a row is called without what its own text may tell: REST need not show that."""
    options = getattr(instance, "_meta", None)
    name = options.verbose_name if options is not None else type(instance).__name__
    return one_line(f"{name} {getattr(instance, 'pk', '')}")


def sketch(instance: Any, serializer: Any) -> dict[str, Any]:
    """Return the row's plain fields as the REST API shows them, the first few."""
    values = {name: item for name, item in values_of(instance, serializer).items() if not isinstance(item, list | dict)}
    return dict(list(redact(shown(values)).items())[:MAX_SHOWN_ITEMS])


def _writable(serializer: Any) -> Iterator[tuple[str, AnyField]]:
    return ((name, field) for name, field in getattr(serializer, "fields", {}).items() if not field.read_only)


def _secret(field: AnyField) -> bool:
    return field.write_only and not isinstance(field, serializers.HiddenField)


def _sent(call: OperationCall, serializer: Any) -> dict[str, tuple[str, Any]]:
    """Return what was sent, argument and value, by the serializer's field."""
    known = getattr(serializer, "fields", {})
    found = {}
    for name, value in call.arguments.items():
        argument = call.placement.get(name)
        field = argument.wire if argument else name
        if field in known and (argument is None or argument.location == "body"):
            found[field] = (name, value)
    return found


def _written(call: OperationCall, serializer: Any) -> list[tuple[str, AnyField]]:
    """Return the fields that would be written, those that were sent first."""
    sent, validated = _sent(call, serializer), _validated(serializer)
    writable = dict(_writable(serializer))
    besides = [name for name, field in writable.items() if name not in sent and field.source in validated]
    return [(name, writable[name]) for name in (*sent, *besides) if name in writable]


def _sources(call: OperationCall, serializer: Any) -> set[str]:
    return {str(field.source).partition(".")[0] for _, field in _written(call, serializer)}


def _validated(serializer: Any) -> Mapping[str, Any]:
    return getattr(serializer, "_validated_data", None) or {}


def _after(field: AnyField, serializer: Any, sent: Any) -> Any:
    validated = _validated(serializer)
    source = str(field.source)
    if source not in validated:
        return sent
    try:
        return _represented(field, validated[source])
    except Exception:  # noqa: BLE001 - what was sent is as good.
        return sent


def _represented(field: AnyField, value: Any) -> Any:
    if isinstance(value, UploadedFile):
        return f"{value.name} ({value.content_type}, {value.size} bytes)"
    if isinstance(value, FieldFile):
        return value.name or None
    if isinstance(field, serializers.HiddenField):
        return str(value)
    return None if value is None else plain(field.to_representation(value))


def shown(value: Any) -> Any:
    """Return a JSON value as a human can read it: texts on one line each, long lists cut."""
    if isinstance(value, Mapping):
        return {one_line(key): shown(item) for key, item in value.items()}
    if isinstance(value, list):
        more = len(value) - MAX_SHOWN_ITEMS
        return [*map(shown, value[:MAX_SHOWN_ITEMS]), *([f"… and {more} more"] if more > 0 else [])]
    return one_line(value) if isinstance(value, str) else value
