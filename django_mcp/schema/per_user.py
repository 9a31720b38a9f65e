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

# Where a class makes up its fields, or itself, when it is asked.
_MAKING_SERIALIZERS = frozenset(
    {
        "__new__", "__init__", "__deepcopy__", "many_init", "bind", "fields", "get_fields", "get_field_names",
        "get_default_field_names", "get_extra_kwargs", "include_extra_kwargs", "get_uniqueness_extra_kwargs",
        "build_field", "build_standard_field", "build_relational_field", "build_nested_field", "build_property_field",
        "build_url_field",
    }
)  # fmt: skip
_MAKING_FIELDS = frozenset({"bind", "choices", "get_choices"})


def variant(operation: Operation, asked: Callable[[], APIView] | None) -> tuple[Any, ...]:
    """Return what a schema depends on besides operation and language: the serializer class, and the user if need be."""
    if asked is None:
        return (None, None)
    known = _declared(operation)
    if known is not None:
        return (known, None)
    view = asked()
    try:
        choose = getattr(view, "get_serializer_class", None)
        serializer = choose() if callable(choose) else None
    except Exception:  # noqa: BLE001 - the host's code; the inspection will note it
        serializer = None
    personal = _depends_on_user(view, serializer) or _rewritten_for(operation)
    user = getattr(view.request, "user", None) if personal else None
    return (serializer or type(view), getattr(user, "pk", None))


def _declared(operation: Operation) -> type | None:
    """Return the serializer class where it is the same for everyone, and no view need be made to know it; else None."""
    view_class: Any = operation.view_class
    if not issubclass(view_class, GenericAPIView) or not is_plain(view_class, "get_serializer_class", "get_serializer"):
        return None
    if _rewritten_for(operation):
        return None
    said = declared(operation, "serializer_class")
    return said if isinstance(said, type) and not _any_makes_itself_up(said) else None


def _rewritten_for(operation: Operation) -> bool:
    # That code has the view, and with it the caller.
    handler = getattr(operation.view_class, operation.handler, None)
    return is_rewritten(operation.view_class, operation.callback, handler)


def _depends_on_user(view: APIView, serializer: Any) -> bool:
    if getattr(type(view), "get_serializer", None) not in {None, GenericAPIView.get_serializer}:
        return True
    # Only what is no class can differ from call to call.
    return _any_makes_itself_up(serializer) if isinstance(serializer, type) else _look(serializer)


@lru_cache(maxsize=2048)
def _any_makes_itself_up(serializer: type) -> bool:
    return _look(serializer)


def _look(serializer: Any) -> bool:
    return any(_makes_itself_up(cls) for cls in _classes(serializer, set()))


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


def _makes_itself_up(cls: type) -> bool:
    making = _MAKING_SERIALIZERS if issubclass(cls, serializers.BaseSerializer) else _MAKING_FIELDS
    hosts_own = (
        base for base in cls.__mro__ if not base.__module__.startswith("rest_framework.") and base is not object
    )
    return any(not making.isdisjoint(vars(base)) for base in hosts_own)


_TELLING = ("is_excluded", "get_summary", "get_description")


def given(view_class: type, callback: Any, handler: Any) -> list[type]:
    """Return the schema classes that the view and its handler were given beside the default one, the handler's first."""
    found: list[type] = []
    on_callback = getattr(callback, "initkwargs", {}).get("schema")
    on_handler = getattr(handler, "kwargs", {}).get("schema")
    on_view = inspect.getattr_static(view_class, "schema", None)
    for schema in (on_handler, on_callback, on_view):
        if schema is not None:
            schema_class = schema if inspect.isclass(schema) else type(schema)
            found += [cls for cls in schema_class.__mro__ if _is_spectacular(cls) and cls not in found]
    return found


def _is_spectacular(cls: type) -> bool:
    # A class that extend_schema makes derives from whatever DEFAULT_SCHEMA_CLASS is, so its module has to tell.
    return cls.__module__ == "drf_spectacular.utils" or (issubclass(cls, AutoSchema) and cls is not AutoSchema)


def default_class() -> type:
    """Return the schema class of views that were given none."""
    return cast("type", api_settings.DEFAULT_SCHEMA_CLASS)


def is_customised(view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether a view says more about itself than its code does: extend_schema or a schema class of the host."""
    default = default_class()
    hosts_own = issubclass(default, AutoSchema) and any(
        getattr(default, name) is not getattr(AutoSchema, name) for name in _TELLING
    )
    return hosts_own or bool(given(view_class, callback, handler))


def is_rewritten(view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether a schema class of the host makes something of its own of a whole operation."""
    return _is_rewritten(default_class(), view_class, callback, handler)


@lru_cache(maxsize=2048)
def _is_rewritten(default: type, view_class: type, callback: Any, handler: Any) -> bool:
    libraries = ("drf_spectacular.", "rest_framework.")
    bases = (base for cls in (default, *given(view_class, callback, handler)) for base in cls.__mro__)
    return any("get_operation" in vars(base) for base in bases if not base.__module__.startswith(libraries))
