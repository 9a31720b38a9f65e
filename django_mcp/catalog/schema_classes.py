"""The schema classes that a view was given, and what they say by themselves."""

import inspect
from functools import lru_cache
from typing import Any, cast

from drf_spectacular.openapi import AutoSchema
from rest_framework.settings import api_settings

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
