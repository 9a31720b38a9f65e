"""What a serializer would write: the fields that were sent, and what it adds or converts of its own accord."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.db.models.fields.files import FieldFile
from rest_framework import serializers

from django_mcp.approval.preview import Write
from django_mcp.protocol.json import plain
from django_mcp.types import OperationCall

AnyField = serializers.Field[Any, Any, Any, Any]
WHEN_IT_RUNS = "set when it runs"


def writes(call: OperationCall, serializer: Any) -> Iterator[Write]:
    """Yield what a validated serializer writes: what was sent first, then its defaults and what `validate()` adds."""
    arguments = sent_arguments(call, serializer)
    fields = getattr(serializer, "fields", {})
    validated = validated_data(serializer)
    for name, (argument, value) in arguments.items():
        yield _write(fields[name], validated, argument=argument, name=name, sent_value=value)
    sources = {str(fields[name].source) for name in arguments}
    for name, field in fields.items():
        if name not in arguments and not field.read_only and field.source in validated:
            sources.add(str(field.source))
            yield _write(field, validated, argument=name, name=name)
    shown = {str(field.source): name for name, field in fields.items()}
    for key, value in validated.items():
        # A dotted source is nested in here under its first part.
        if any(source.partition(".")[0] == key or source == "*" for source in sources):
            continue
        if key in shown:
            yield _write(fields[shown[key]], validated, argument=shown[key], name=shown[key])
        else:
            yield Write(argument=str(key), field="", value=_brief(value), sent=False)


def related_rows(serializer: Any) -> Iterator[tuple[str, models.Model]]:
    """Yield the related rows that would be set, by the serializer's field."""
    for name, field in getattr(serializer, "fields", {}).items():
        value = validated_data(serializer).get(field.source)
        rows = value if isinstance(value, list | tuple | set) else [value]
        related = isinstance(field, serializers.RelatedField | serializers.ManyRelatedField)
        if related and not isinstance(field, serializers.StringRelatedField):
            yield from ((name, row) for row in rows if isinstance(row, models.Model))


def written_sources(call: OperationCall, serializer: Any) -> frozenset[str]:
    """Return what the written fields are called in the model, as far as they say so."""
    fields = getattr(serializer, "fields", {})
    validated = validated_data(serializer)
    names = [*sent_arguments(call, serializer), *(name for name, field in fields.items() if field.source in validated)]
    sources = {str(fields[name].source).partition(".")[0] for name in names if not fields[name].read_only}
    return frozenset(sources) | (frozenset(map(str, validated)) if sources else frozenset())


def sent_arguments(call: OperationCall, serializer: Any) -> dict[str, tuple[str, Any]]:
    """Return the arguments that are fields of the serializer, with their values, by the field's name."""
    fields = getattr(serializer, "fields", {})
    arguments = {}
    for name, value in call.arguments.items():
        placed = call.placement.get(name)
        field = placed.wire if placed else name
        if field in fields and not fields[field].read_only and (placed is None or placed.location == "body"):
            arguments[field] = (name, value)
    return arguments


def validated_data(serializer: Any) -> Mapping[str, Any]:
    """Return what validation made of the data, empty where nothing was validated."""
    data = getattr(serializer, "_validated_data", None)
    return data if isinstance(data, Mapping) else {}


def _write(
    field: AnyField, validated: Mapping[str, Any], *, argument: str, name: str, sent_value: Any = serializers.empty
) -> Write:
    sent = sent_value is not serializers.empty
    source = str(field.source)
    if source not in validated:
        value = sent_value
    elif not sent and _is_computed(field):
        value = WHEN_IT_RUNS
    else:
        value = _represented(field, validated[source], sent_value)
    return Write(argument=argument, field=name, value=value, sent=sent, label=_choice_label(field, value))


def _is_computed(field: AnyField) -> bool:
    default = field.default
    constant = default is serializers.empty or isinstance(default, serializers.CurrentUserDefault)
    return callable(default) and not constant


def _represented(field: AnyField, value: Any, sent_value: Any) -> Any:
    if isinstance(value, UploadedFile):
        return f"{value.name} ({value.content_type}, {value.size} bytes)"
    if isinstance(value, FieldFile):
        return value.name or None
    if isinstance(field, serializers.HiddenField):
        return _brief(value)
    try:
        return None if value is None else plain(field.to_representation(value))
    except Exception:  # noqa: BLE001 - the host's code; what was sent is as good
        return sent_value if sent_value is not serializers.empty else _brief(value)


def _brief(value: Any) -> Any:
    if isinstance(value, models.Model):
        # Its own text may tell what REST does not show.
        return f"{value._meta.verbose_name} {value.pk}"  # noqa: SLF001 - Django documents it
    try:
        return plain(value)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def _choice_label(field: AnyField, value: Any) -> str:
    if not isinstance(field, serializers.ChoiceField) or isinstance(value, list | dict):
        return ""
    label = field.choices.get(value, "")
    return "" if str(label) == str(value) else str(label)
