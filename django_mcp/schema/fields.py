"""drf-spectacular's mapping of serializers and fields, with the facts that it leaves out and a caller has to know.

The facts travel in `x-mcp-` keys of the OpenAPI schema until `keywords` and `json_schema` read them.
"""

import re
from functools import lru_cache
from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.drainage import get_override, has_override
from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.plumbing import (
    UnableToProceedError,
    append_meta,
    force_instance,
    get_class,
    get_type_hints,
    is_field,
    is_list_serializer,
    is_serializer,
    resolve_type_hint,
)
from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.settings import api_settings

MAX_DEPTH = 16
# Marks a schema whose value the host reads in its own way: the schema does not bind.
LENIENT = "x-mcp-lenient"

# These fields bring validators whose expressions are long, Python's own, and say no more than the format.
_SELF_EXPLAINING = (
    serializers.URLField, serializers.EmailField, serializers.SlugField, serializers.IPAddressField,
    serializers.UUIDField, serializers.FileField, serializers.DecimalField,
)  # fmt: skip
# drf-spectacular calls a field of any other class a text.
_KNOWN = tuple(
    cls
    for cls in vars(serializers).values()
    if isinstance(cls, type)
    and issubclass(cls, serializers.Field)
    and cls not in {serializers.Field, serializers.RelatedField}
)
_FREE_FORM = {"type": "object", "additionalProperties": True}


class FieldInspector:
    """Mixed in before spectacular's AutoSchema; holds the state of one inspection."""

    registry: Any
    view: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.messages: list[str] = []
        self._open: dict[type, str] = {}
        self._names: dict[type, str] = {}
        self._count = 0

    # `more` are the caller's further arguments, without a default of ours: a host's override need not know them.

    def _get_serializer_name(self, serializer: Any, direction: str, *more: Any, **named: Any) -> str:
        name: str = super()._get_serializer_name(serializer, direction, *more, **named)  # type: ignore[misc]
        if is_list_serializer(serializer):
            return name
        # A component per use: two classes may share a name, and two instances of one class may differ. Only a class
        # that is being mapped right now is referred to, which is what ends a recursion.
        cls = get_class(serializer)
        if cls in self._open:
            return self._open[cls]
        self._count += 1
        self._names[cls] = f"{name}.{self._count}"
        return self._names[cls]

    def _map_serializer(self, serializer: Any, direction: str, *more: Any, **named: Any) -> Any:
        if len(self._open) >= MAX_DEPTH:
            self.messages.append("nested too deeply")
            return dict(_FREE_FORM)
        cls = get_class(serializer)
        # The proxies of polymorphic serializers are all of one class, which says nothing about a recursion.
        tracked = cls not in self._open and cls is not PolymorphicProxySerializer
        if tracked:
            self._open[cls] = self._names.get(cls, cls.__name__)
        try:
            schema = super()._map_serializer(serializer, direction, *more, **named)  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - serializers are the host's code
            self.messages.append(f"{cls.__name__}: {type(error).__name__}")
            return {**_FREE_FORM, "properties": declared_secrets(cls)}
        else:
            extended = OpenApiSerializerExtension.get_match(force_instance(serializer)) is not None  # type: ignore[no-untyped-call]
            return {**schema, LENIENT: True} if extended and direction == "request" else schema
        finally:
            if tracked:
                del self._open[cls]

    def _map_basic_serializer(self, serializer: Any, direction: str) -> Any:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[misc]
        cls: Any = get_class(serializer)
        if direction == "request":
            if schema.get("properties"):
                takes_more = cls.to_internal_value is not serializers.Serializer.to_internal_value
                schema.setdefault("additionalProperties", takes_more)
            return {**schema, LENIENT: True} if _reads_itself(cls) else schema
        return schema

    def _postprocess_serializer_schema(self, schema: Any, serializer: Any, direction: str) -> Any:
        # Which fields belong to which direction is decided in one place, whatever COMPONENT_SPLIT_REQUEST says.
        return schema

    def _unwrap_list_serializer(self, serializer: Any, direction: str) -> Any:
        schema = super()._unwrap_list_serializer(serializer, direction)  # type: ignore[misc]
        if is_list_serializer(serializer) and isinstance(schema, dict) and schema.get("type") == "array":
            least = getattr(serializer, "min_length", None)
            if least is None and getattr(serializer, "allow_empty", True) is False:
                least = 1
            most = getattr(serializer, "max_length", None)
            schema |= {key: value for key, value in (("minItems", least), ("maxItems", most)) if value is not None}
        return schema

    def _get_serializer_field_meta(self, field: Any, direction: str) -> Any:
        meta: dict[str, Any] = super()._get_serializer_field_meta(field, direction)  # type: ignore[misc]
        style = getattr(field, "style", None)
        if isinstance(style, dict) and style.get("input_type") == "password":
            meta["x-mcp-sensitive"] = True
        return meta

    def _map_serializer_field(self, field: Any, direction: str, *more: Any, **named: Any) -> Any:
        try:
            schema = self._mapped(field, direction, *more, **named)
        except Exception as error:  # noqa: BLE001 - fields are the host's code
            self.messages.append(f"{type(field).__name__}: {type(error).__name__}")
            flags = {"readOnly": "read_only", "writeOnly": "write_only"}
            return {key: True for key, attribute in flags.items() if getattr(field, attribute, False)}
        if not isinstance(schema, dict) or not isinstance(field, serializers.Field):
            return schema
        facts = {} if has_override(field, "field") else _facts(field, direction)
        return {**schema, **facts, **({LENIENT: True} if direction == "request" and _is_lenient(field) else {})}

    def _mapped(self, field: Any, direction: str, *more: Any, **named: Any) -> Any:
        related = isinstance(field, serializers.PrimaryKeyRelatedField) and not has_override(field, "field")
        # A related field may have its rows by `get_queryset()` alone, which drf-spectacular does not ask.
        if related and field.queryset is None and not field.read_only and field.pk_field is None:
            schema = self._map_model_field(field.get_queryset().model._meta.pk, None)  # type: ignore[attr-defined]  # noqa: SLF001
            # The key is not editable where it is the row's own; here it is a value.
            schema.pop("readOnly", None)
            return append_meta(schema, self._get_serializer_field_meta(field, direction))
        if _is_unknown(field):
            self.messages.append(f"{type(field).__name__}: what it takes and gives is not known")
            return append_meta({}, self._get_serializer_field_meta(field, direction))
        return super()._map_serializer_field(field, direction, *more, **named)  # type: ignore[misc]

    def _map_response_type_hint(self, method: Any) -> Any:
        # Without a hint that it understands, drf-spectacular calls a value a text that may be anything.
        hint = get_override(method, "field") or get_type_hints(method).get("return")
        if hint is None:
            return self._anything(method)
        if not (is_serializer(hint) or is_field(hint) or isinstance(hint, dict)):
            try:
                resolve_type_hint(hint)  # type: ignore[no-untyped-call]
            except UnableToProceedError:
                return self._anything(method)
        return super()._map_response_type_hint(method)  # type: ignore[misc]

    def _anything(self, method: Any) -> dict[str, Any]:
        self.messages.append(f"{getattr(method, '__name__', method)}: no type hint that says what it gives")
        return {}


def declared_secrets(cls: Any) -> dict[str, Any]:
    """Return the fields that a serializer's class declares write-only, as properties, without making the serializer."""
    extra = getattr(getattr(cls, "Meta", None), "extra_kwargs", None)
    options = extra.items() if isinstance(extra, dict) else ()
    secrets: dict[str, Any] = {
        name: {"writeOnly": True} for name, option in options if isinstance(option, dict) and option.get("write_only")
    }
    for name, field in getattr(cls, "_declared_fields", {}).items():
        inner = declared_secrets(get_class(getattr(field, "child", field)))
        if field.write_only:
            secrets[name] = {"writeOnly": True}
        elif inner:
            secrets[name] = {"properties": inner, "additionalProperties": True}
    return secrets


def _is_unknown(field: Any) -> bool:
    if not isinstance(field, serializers.Field) or isinstance(field, _KNOWN) or has_override(field, "field"):
        return False
    return OpenApiSerializerFieldExtension.get_match(field) is None


def _is_lenient(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    """Tell whether a field is described by hand, or its value is read by code of the host."""
    described = has_override(field, "field") or OpenApiSerializerFieldExtension.get_match(field) is not None
    cls: Any = type(field)
    return described or _reads_itself(cls)


@lru_cache(maxsize=2048)
def _reads_itself(cls: Any) -> bool:
    """Tell whether code of the host turns the value that is sent into the one that is used."""
    readers = (getattr(cls, name, None) for name in ("to_internal_value", "run_validation"))
    return any(not str(getattr(reader, "__module__", "")).startswith("rest_framework.") for reader in readers)


def _facts(field: serializers.Field[Any, Any, Any, Any], direction: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if isinstance(field, serializers.DecimalField):
        facts["x-mcp-decimal"] = {
            "digits": field.max_digits,
            "places": field.decimal_places,
            "minimum": field.min_value,
            "maximum": field.max_value,
            "text": getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING),
            "direction": direction,
        }
    elif isinstance(field, serializers.FileField) and direction == "request":
        facts["x-mcp-file"] = True
    regexes = [validator for validator in field.validators if isinstance(validator, RegexValidator)]
    # Without its flags an expression means something else.
    misleading = any(regex.inverse_match or regex.flags & ~re.UNICODE for regex in regexes)
    if misleading or isinstance(field, _SELF_EXPLAINING):
        facts["x-mcp-no-pattern"] = True
    return facts
