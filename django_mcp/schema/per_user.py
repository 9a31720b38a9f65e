"""Whose schema it is: whether what a serializer looks like may depend on the user who asks."""

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from django_mcp.host.views import declared, is_plain
from django_mcp.types import Operation

# The methods of REST framework's serializers and fields by which a class may choose its fields or its choices anew for
# each request: what makes an instance, binds it to its context, or is called by `ModelSerializer.get_fields()`. One
# that a class of the host's overrides may look at the user. REST framework does not list them; DRF 3.18 has these.
_SERIALIZER_HOOKS = frozenset(
    {
        "__new__", "__init__", "__deepcopy__", "many_init", "bind", "fields", "get_fields", "get_field_names",
        "get_default_field_names", "get_extra_kwargs", "include_extra_kwargs", "get_uniqueness_extra_kwargs",
        "build_field", "build_standard_field", "build_relational_field", "build_nested_field", "build_property_field",
        "build_url_field",
    }
)  # fmt: skip
_FIELD_HOOKS = frozenset({"bind", "choices", "get_choices"})


def variant(operation: Operation, make_view: Callable[[], APIView] | None) -> tuple[Any, ...]:
    """Return what a schema depends on besides operation and language: the serializer class, and the user if need be.

    `make_view` gives the operation's view with the caller's request; without it the schema is nobody's own.
    """
    if make_view is None:
        return (None, None)
    handler = getattr(operation.view_class, operation.handler, None)
    # The code that rewrites an operation has the view, and with it the caller.
    rewritten = _is_rewritten(default_schema_class(), operation.view_class, operation.callback, handler)
    fixed = None if rewritten else _fixed_serializer(operation)
    if fixed is not None:
        return (fixed, None)
    view = make_view()
    try:
        choose = getattr(view, "get_serializer_class", None)
        serializer = choose() if callable(choose) else None
    except Exception:  # noqa: BLE001 - the host's code; the inspection will note it
        serializer = None
    own_way = getattr(type(view), "get_serializer", None) not in {None, GenericAPIView.get_serializer}
    # Only what is no class can differ from call to call.
    varies = _class_varies if isinstance(serializer, type) else _varies
    personal = rewritten or own_way or varies(serializer)
    user = getattr(view.request, "user", None) if personal else None
    return (serializer or type(view), getattr(user, "pk", None))


def _fixed_serializer(operation: Operation) -> type | None:
    """Return the serializer class where it is the same for everyone, and no view need be made to know it; else None."""
    view_class: Any = operation.view_class
    if not issubclass(view_class, GenericAPIView) or not is_plain(view_class, "get_serializer_class", "get_serializer"):
        return None
    serializer = declared(operation, "serializer_class")
    return serializer if isinstance(serializer, type) and not _class_varies(serializer) else None


@lru_cache(maxsize=2048)
def _class_varies(serializer: type) -> bool:
    return _varies(serializer)


def _varies(serializer: Any) -> bool:
    """Tell whether the host's code may choose the fields of a serializer, or of what is within it, for each request."""
    for cls in _classes(serializer, set()):
        hooks = _SERIALIZER_HOOKS if issubclass(cls, serializers.BaseSerializer) else _FIELD_HOOKS
        hosts_own = (base for base in cls.__mro__ if not base.__module__.startswith("rest_framework."))
        if any(base is not object and not hooks.isdisjoint(vars(base)) for base in hosts_own):
            return True
    return False


def _classes(field: Any, seen: set[type]) -> Iterator[type]:
    """Yield the class of a serializer or a field, and those of all that is declared within it."""
    cls = field if isinstance(field, type) else type(field)
    child = getattr(field, "child", None)
    if child is not None:
        yield from _classes(child, seen)
    if cls not in seen:
        seen.add(cls)
        yield cls
        for part in getattr(cls, "_declared_fields", {}).values():
            yield from _classes(part, seen)


# The methods of a schema class that say more of a view than its code does.
_TEXTS = ("is_excluded", "get_summary", "get_description")


def schema_classes(view_class: type, callback: Any, handler: Any) -> list[type]:
    """Return the schema classes that a view declares beside the default one: its handler's, its URL's, then its own."""
    classes: list[type] = []
    on_callback = getattr(callback, "initkwargs", {}).get("schema")
    on_handler = getattr(handler, "kwargs", {}).get("schema")
    on_view = inspect.getattr_static(view_class, "schema", None)
    for schema in (on_handler, on_callback, on_view):
        if schema is not None:
            for cls in (schema if inspect.isclass(schema) else type(schema)).__mro__:
                # A class that extend_schema makes derives from whatever DEFAULT_SCHEMA_CLASS is, so its module tells.
                by_extend_schema = cls.__module__ == "drf_spectacular.utils"
                if by_extend_schema or (issubclass(cls, AutoSchema) and cls is not AutoSchema):
                    classes.append(cls)
    return list(dict.fromkeys(classes))


def default_schema_class() -> type:
    """Return the schema class of views that declare none."""
    return cast("type", api_settings.DEFAULT_SCHEMA_CLASS)


def is_customised(view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether more is known of a view than its code: by extend_schema or by a schema class of the host."""
    default = default_schema_class()
    hosts_own = issubclass(default, AutoSchema) and any(
        getattr(default, name) is not getattr(AutoSchema, name) for name in _TEXTS
    )
    return hosts_own or bool(schema_classes(view_class, callback, handler))


@lru_cache(maxsize=2048)
def _is_rewritten(default: type, view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether a schema class of the host overrides `get_operation`, so that it may change the whole operation."""
    libraries = ("drf_spectacular.", "rest_framework.")
    bases = (base for cls in (default, *schema_classes(view_class, callback, handler)) for base in cls.__mro__)
    return any("get_operation" in vars(base) for base in bases if not base.__module__.startswith(libraries))
