"""Whose schema it is: whether what a serializer looks like may depend on the user who asks."""

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

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


class Variant(NamedTuple):
    """What a schema depends on besides operation and language: a class, and the caller if it is `personal`."""

    chosen: Any
    personal: bool


def variant(operation: Operation, make_view: Callable[[], APIView] | None) -> Variant:
    """Return what the schema of an operation depends on.

    `make_view` gives the operation's view with the caller's request; without it the schema is nobody's own.
    """
    if make_view is None:
        return Variant(None, personal=False)
    handler = getattr(operation.view_class, operation.handler, None)
    # Code that has the view has the caller with it.
    seen = _looks_at_caller(default_schema_class(), operation.view_class, operation.callback, handler)
    personal = seen or _filters_vary(operation)
    fixed = None if personal else _fixed_serializer(operation)
    if fixed is not None:
        return Variant(fixed, personal=False)
    view = make_view()
    try:
        choose = getattr(view, "get_serializer_class", None)
        serializer = choose() if callable(choose) else None
    except Exception:  # noqa: BLE001 - the host's code; the inspection will note it
        serializer = None
    own_way = getattr(type(view), "get_serializer", None) not in {None, GenericAPIView.get_serializer}
    # Only what is no class can differ from call to call.
    varies = _class_varies if isinstance(serializer, type) else _varies
    return Variant(serializer or type(view), personal=personal or own_way or varies(serializer))


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
def _looks_at_caller(default: type, view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether a schema class of the host may describe an operation otherwise for another caller.

    That is one that overrides `get_operation`, which may change all of it, and one that reads the view's request.
    """
    for cls in (default, *schema_classes(view_class, callback, handler)):
        for base in cls.__mro__:
            if not base.__module__.startswith(("drf_spectacular.", "rest_framework.")) and (
                "get_operation" in vars(base) or any(map(_reads_request, vars(base).values()))
            ):
                return True
    return False


# The attributes of a view by which filters and pages are described.
_LISTING = (
    "filter_backends", "filterset_class", "filterset_fields", "search_fields", "ordering_fields", "pagination_class",
)  # fmt: skip


@lru_cache(maxsize=2048)
def _filters_vary(operation: Operation) -> bool:
    """Tell whether the filters of a list may be others for another caller: a property chooses them, or a backend."""
    if operation.method != "GET":
        return False
    listing = {name: declared(operation, name) for name in _LISTING}
    if any(not isinstance(value, type) and hasattr(type(value), "__get__") for value in listing.values()):
        return True
    backends = listing["filter_backends"]
    return isinstance(backends, list | tuple) and any(map(_describes_by_request, backends))


@lru_cache(maxsize=1024)
def _describes_by_request(backend: Any) -> bool:
    return any(
        _reads_request(vars(base).get(name))
        for base in getattr(backend, "__mro__", ())
        if not base.__module__.startswith(("rest_framework.", "django_filters."))
        for name in ("get_schema_operation_parameters", "get_filterset_class", "get_search_fields", "get_valid_fields")
    )


def _reads_request(member: Any) -> bool:
    """Tell whether the code of a class's member names a request: the way from a view to its caller."""
    function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", None) or member)
    codes = [function.__code__] if inspect.isfunction(function) else []
    for code in codes:
        if "request" in code.co_names:
            return True
        codes += [constant for constant in code.co_consts if inspect.iscode(constant)]
    return False
