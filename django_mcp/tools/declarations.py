"""The host's declarations of its tools, checked when the project starts."""

import inspect
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from rest_framework.serializers import BaseSerializer, ListSerializer

from django_mcp.access.server_config import API_TOOLS
from django_mcp.choices import Safety
from django_mcp.options import is_permission
from django_mcp.tools import raw_schemas
from django_mcp.tools.base import TOKEN
from django_mcp.types import HostedTool

NAME = re.compile(r"[A-Za-z0-9_-]{1,48}")
# The safety decides these, so that no tool can promise more than the server enforces.
SAFETY_HINTS = ("readOnlyHint", "destructiveHint")
HINTS = ("title", "idempotentHint", "openWorldHint")


def declared(function: Callable[..., Any], declaration: Mapping[str, Any]) -> HostedTool:
    """Return the tool that `mcp_tool` declared on a function.

    Raises ImproperlyConfigured, naming the tool and the cure, for whatever would fail only in a call.
    """
    options: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in declaration.items()
    }
    options["description"] = str(options.get("description") or inspect.getdoc(function) or "")
    options["title"] = str(options.get("title") or "")
    for problem in _problems(function, options):
        module = getattr(function, "__module__", "?")
        msg = f"The MCP tool {options.get('name')!r} of {module} {problem}"
        raise ImproperlyConfigured(msg)
    if options.get("safety") is not None:
        options["safety"] = Safety(options["safety"])
    return HostedTool(function=function, **options)


def _problems(function: Any, options: Mapping[str, Any]) -> Iterator[str]:
    yield from _identity_problems(options)
    yield from _function_problems(function, asks=options.get("asks") is True)
    yield from _asking_problems(options)
    yield from _side_problems("input", options.get("input"), options.get("input_schema"))
    yield from _side_problems("output", options.get("output"), options.get("output_schema"))
    yield from _argument_problems(options)
    yield from _permission_problems(options.get("permissions"))
    yield from _option_problems(options)
    yield from _listing_problems(options)


def _identity_problems(options: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(options.get("name"), str) or not NAME.fullmatch(options["name"]):
        yield "needs a name of 1 to 48 letters, digits, _ and -; clients put prefixes before it."
    if not isinstance(options.get("group"), str) or not options["group"].strip():
        yield "needs a group, the name that it is exposed and hidden with."
    elif options["group"] == API_TOOLS:
        yield f"cannot be in the group {API_TOOLS!r}, which is reserved; name another."
    if not options["description"].strip():
        yield "needs a description: write a docstring, or pass description=."
    if options.get("safety") is not None and options["safety"] not in list(Safety):
        yield f"has safety={options['safety']!r}; use Safety.READ_ONLY, Safety.WRITE or Safety.DESTRUCTIVE."


def _function_problems(function: Any, *, asks: bool) -> Iterator[str]:
    if isinstance(function, type) or not callable(function):
        yield "must be a function; put @mcp_tool on def tool(caller, data)."
        return
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield "must return its result, not yield it."
    try:
        inspect.signature(function).bind(*((None, {}, {}) if asks else (None, {})))
    except TypeError:
        if asks:
            yield "must take the caller, the arguments and the answers: def tool(caller, data, answers)."
        else:
            yield "must take the caller and the arguments: def tool(caller, data)."


def _asking_problems(options: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(options.get("asks", False), bool):
        yield "needs asks as True or False."
    elif options.get("asks") and (options.get("safety") != Safety.READ_ONLY or options.get("requires_approval")):
        # What runs is what was confirmed: no answer may come between the confirmation and the run.
        yield (
            "asks, which only a tool with safety=Safety.READ_ONLY and without requires_approval can do; let a tool "
            "that reads ask, and take the answers as arguments of the one that writes."
        )


def _side_problems(kind: str, serializer: Any, schema: Any) -> Iterator[str]:
    is_serializer = isinstance(serializer, type) and issubclass(serializer, BaseSerializer)
    if serializer is not None and (not is_serializer or issubclass(serializer, ListSerializer)):
        yield (
            f"needs a DRF serializer class of one object as {kind}, or {kind}_schema= for a JSON Schema; wrap a list "
            "in a field."
        )
    if schema is None:
        return
    if serializer is not None:
        yield f"has both {kind}= and {kind}_schema=; keep one of them."
    yield from (f"has an {kind}_schema that {problem}" for problem in raw_schemas.problems(schema))


def _argument_problems(options: Mapping[str, Any]) -> Iterator[str]:
    sensitive = options.get("sensitive_fields", ())
    if not isinstance(sensitive, tuple) or not all(isinstance(name, str) for name in sensitive):
        yield "needs sensitive_fields as a list of names."
        return
    names = _argument_names(options)
    if names is None:
        return
    if TOKEN in names:
        yield f"takes an argument named {TOKEN}, which is the server's own; rename it."
    if unknown := [name for name in sensitive if name.partition(".")[0] not in names]:
        yield f"has sensitive_fields that are none of its arguments, {', '.join(unknown)}; nothing would be masked."


def _argument_names(options: Mapping[str, Any]) -> Collection[str] | None:
    """Return the names of the arguments, None where only a call can tell them."""
    schema, serializer = options.get("input_schema"), options.get("input")
    if schema is not None:
        return set(schema.get("properties", {}))
    if serializer is None:
        return ()
    try:
        return set(serializer().fields)
    except Exception:  # noqa: BLE001 - a serializer that needs its context has fields only with one
        return None


def _permission_problems(permissions: Any) -> Iterator[str]:
    if permissions is None or callable(permissions):
        return
    if not isinstance(permissions, tuple):
        yield "needs permissions as a list of names or a callable that takes the caller."
        return
    for name in permissions:
        if not is_permission(name):
            yield f'has the permission {name!r}; write it as "app_label.codename".'


def _option_problems(options: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(options.get("requires_approval", False), bool):
        yield "needs requires_approval as True or False."
    if options.get("atomic") not in {None, True, False}:
        yield "needs atomic as True or False; leave it out to follow ATOMIC_REQUESTS."
    if options.get("summary") is not None and not callable(options["summary"]):
        yield "needs summary as a callable: lambda caller, arguments: …."


def _listing_problems(options: Mapping[str, Any]) -> Iterator[str]:
    """Check the members that are listed as they are: one wrong entry makes strict clients drop the whole list."""
    hints, icons = options.get("annotations", {}), options.get("icons", ())
    for key in ("annotations", "meta"):
        if not isinstance(options.get(key, {}), Mapping):
            yield f"needs {key} as a dict."
            return
    for key in SAFETY_HINTS:
        if key in hints:
            yield f"says {key} in annotations; declare safety= instead, which the server enforces too."
    if unknown := [key for key in hints if key not in HINTS and key not in SAFETY_HINTS]:
        names = ", ".join(map(str, unknown))
        yield f"has unknown annotations, {names}; MCP has {', '.join(HINTS)}, the rest is for meta=."
    yield from (f"needs {key} as True or False." for key in HINTS[1:] if not isinstance(hints.get(key, True), bool))
    if not isinstance(icons, tuple) or not all(_is_icon(icon) for icon in icons):
        yield 'needs icons as a list of dicts with a "src": "https://…" or "data:…".'
        return
    try:
        json.dumps([dict(hints), options.get("meta", {}), icons], allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"has annotations, meta or icons that are no JSON: {error}."


def _is_icon(icon: Any) -> bool:
    return isinstance(icon, Mapping) and str(icon.get("src", "")).startswith(("https://", "http://", "data:"))
