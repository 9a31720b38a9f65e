"""The options of the decorators for hosts: each value is of the kind that the option's annotation says, or stops the start."""

import collections.abc
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise

from django_mcp.text import nearest

_PERMISSION = re.compile(r"\w+\.\w+")


def is_permission(name: object) -> bool:
    """Tell whether it is the name of a permission as Django spells it: `app_label.codename`."""
    return isinstance(name, str) and _PERMISSION.fullmatch(name) is not None


def refuse_unknown(decorator: str, options: Iterable[str], known: type) -> None:
    """Raise ImproperlyConfigured where an option is none of the typed dict `known`."""
    for name in sorted(set(options) - known.__annotations__.keys()):
        msg = f"{decorator}() does not know {name}. {cure(name, known.__annotations__)}"
        raise ImproperlyConfigured(msg)


def checked(decorator: str, options: Mapping[str, Any], known: type) -> dict[str, Any]:
    """Return the options as they are kept: lists as tuples, members of an enum for their values.

    Raises ImproperlyConfigured where an option is none of the typed dict `known`, or where a value is not of its kind.
    """
    refuse_unknown(decorator, options, known)
    kinds = get_type_hints(known)
    return {name: _checked(f"{decorator}({name}=", value, kinds[name]) for name, value in options.items()}


def listed_names(call: str, value: Any) -> tuple[str, ...]:
    """Return a list of names as it is kept; `call` is its beginning in code. Raises ImproperlyConfigured where it is none."""
    names: tuple[str, ...] = _checked(call, value, Sequence[str])
    if not names:
        msg = f"{call}[]) is about nothing; leave it out."
        raise ImproperlyConfigured(msg)
    return names


def cure(name: str, known: Iterable[str]) -> str:
    """Return what to do about a name that is none of `known`."""
    listed = sorted(map(str, known))
    near = nearest(name, listed)
    if near:
        return f"Did you mean {near}?"
    return f"There are {', '.join(listed)}." if listed else "There are none."


def _checked(call: str, value: Any, kind: Any) -> Any:
    is_list = get_origin(kind) is Sequence
    if is_list and isinstance(value, str):
        msg = f"{call}…) takes a list; write {call.partition('(')[2]}[{value!r}]."
        raise ImproperlyConfigured(msg)
    if not _fits(value, kind):
        msg = f"{call}{value!r}) takes {_said(kind)}."
        if isinstance(kind, type) and issubclass(kind, Enum) and isinstance(value, str):
            msg = f"{msg} {cure(value, list(kind))}"
        raise ImproperlyConfigured(msg)
    if is_list:
        return tuple(value)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


def _fits(value: Any, kind: Any) -> bool:
    match get_origin(kind):
        case collections.abc.Sequence:
            (item_kind,) = get_args(kind)
            return isinstance(value, list | tuple | set | frozenset) and all(_fits(item, item_kind) for item in value)
        case collections.abc.Callable:
            return callable(value)
        case types.UnionType:
            return any(_fits(value, part) for part in get_args(kind))
    if kind is Any:
        return True
    if kind is str:
        # A text that is translated when it is shown cannot be read before all apps are loaded.
        return isinstance(value, Promise) or (isinstance(value, str) and bool(value.strip()))
    return value in list(kind) if issubclass(kind, Enum) else isinstance(value, kind)


def _said(kind: Any) -> str:
    match get_origin(kind):
        case collections.abc.Sequence:
            return f"a list of {'texts' if get_args(kind) == (str,) else 'values'}"
        case collections.abc.Callable:
            return "a function"
        case types.UnionType:
            return " or ".join(map(_said, get_args(kind)))
    if issubclass(kind, Enum):
        return f"one of {', '.join(map(str, kind))}"
    return {str: "a text", bool: "True or False"}.get(kind, str(kind.__name__))
