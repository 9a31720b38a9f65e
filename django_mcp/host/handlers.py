"""The code behind an HTTP method of an endpoint, REST framework's actions, and what a method promises."""

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rest_framework import mixins
from rest_framework.generics import GenericAPIView

from django_mcp.choices import Safety
from django_mcp.types import Hints

# A hole of a route, which is a URI template; the group is the argument's name.
HOLE = re.compile(r"\{([^{}]+)\}")


class StandardAction(NamedTuple):
    """An action of REST framework's: the HTTP method that asks for it, the mixin that brings it, and its words.

    `title` begins a summary, `verb` is what people look for, empty for reads.
    """

    method: str
    mixin: type
    title: str
    verb: str


STANDARD_ACTIONS = {
    "list": StandardAction("GET", mixins.ListModelMixin, "List", ""),
    "retrieve": StandardAction("GET", mixins.RetrieveModelMixin, "Get one", ""),
    "create": StandardAction("POST", mixins.CreateModelMixin, "Create", "create"),
    "update": StandardAction("PUT", mixins.UpdateModelMixin, "Replace", "update"),
    "partial_update": StandardAction("PATCH", mixins.UpdateModelMixin, "Change", "update"),
    "destroy": StandardAction("DELETE", mixins.DestroyModelMixin, "Delete", "delete"),
}
# Generic views name these handlers after the method. A `get` of theirs may be a list or a retrieve.
WRITE_ACTIONS = {action.method.lower(): name for name, action in STANDARD_ACTIONS.items() if action.method != "GET"}

# RFC 9110, section 9.2.1: the safe methods. TRACE is safe too, but no API answers it.
_SAFETY = {
    "GET": Safety.READ_ONLY,
    "HEAD": Safety.READ_ONLY,
    "OPTIONS": Safety.READ_ONLY,
    "POST": Safety.WRITE,
    "PUT": Safety.WRITE,
    "PATCH": Safety.WRITE,
    "DELETE": Safety.DESTRUCTIVE,
}
# RFC 9110, sections 9.3.1 to 9.3.8: these methods are asked with a body, those without. A DELETE may have one.
BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})
BODYLESS_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def handler_name(callback: Any, method: str) -> str:
    """Return the name of the method of the view class that answers an HTTP method."""
    actions = getattr(callback, "actions", None) or {}
    return str(actions.get(method.lower(), method.lower()))


def handler_function(view_class: type, handler: str) -> Callable[..., Any] | None:
    """Return the code of a handler; for a function view the function itself, not what DRF makes of it."""
    function = getattr(view_class, handler, None)
    inner = inspect.unwrap(function) if callable(function) else None
    if getattr(inner, "__qualname__", "") == "api_view.<locals>.decorator.<locals>.handler":
        wrapped: Callable[..., Any] | None = inspect.getclosurevars(inner).nonlocals.get("func")  # type: ignore[arg-type]
        return wrapped
    return function


def action_name(callback: Any, view_class: type, method: str) -> str | None:
    """Return the action that an HTTP method asks a view for, or None where only the view knows."""
    actions = getattr(callback, "actions", None)
    if actions:
        return str(actions[method.lower()])
    if not issubclass(view_class, GenericAPIView):
        return None
    standard = STANDARD_ACTIONS.items()
    return next((name for name, item in standard if item.method == method and issubclass(view_class, item.mixin)), None)


def is_drfs_own(view_class: type, handler: str, method: str) -> bool:
    """Tell whether no code of the host's stands between an HTTP method and the view's serializer."""
    names = {handler, *(name for name, action in STANDARD_ACTIONS.items() if action.method == method)}
    if method == "PATCH":
        names.add("update")
    functions = [getattr(view_class, name, None) for name in names]
    return all(getattr(item, "__module__", "rest_framework.").startswith("rest_framework.") for item in functions)


def infer(method: str, *, ambiguous: bool = False, hints: Hints | None = None) -> Safety:
    """Return the safety of a method: the declared one, else what the method promises, else Write.

    `ambiguous` says that the same code answers an unsafe method too: then a safe method promises nothing.
    """
    if hints is not None and hints.safety is not None:
        return hints.safety
    promised = _SAFETY.get(method.upper(), Safety.WRITE)
    return Safety.WRITE if ambiguous and promised is Safety.READ_ONLY else promised


def is_ambiguous(methods: frozenset[str]) -> bool:
    """Tell whether a handler that answers all these methods may write when a safe one asks it.

    What its code does with the method cannot be told from outside, so only what the host declares says otherwise.
    """
    return len(methods) > 1 and any(infer(method) is not Safety.READ_ONLY for method in methods)
