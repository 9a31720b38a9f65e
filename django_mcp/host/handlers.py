"""The code behind an endpoint's method: the handler, the action, the function that a decorator wrapped."""

import inspect
from collections.abc import Callable
from typing import Any

from rest_framework import mixins
from rest_framework.generics import GenericAPIView

from django_mcp.types import Hints, Safety

_GENERIC_ACTIONS: dict[str, tuple[tuple[type, str], ...]] = {
    "GET": ((mixins.ListModelMixin, "list"), (mixins.RetrieveModelMixin, "retrieve")),
    "POST": ((mixins.CreateModelMixin, "create"),),
    "PUT": ((mixins.UpdateModelMixin, "update"),),
    "PATCH": ((mixins.UpdateModelMixin, "partial_update"),),
    "DELETE": ((mixins.DestroyModelMixin, "destroy"),),
}


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
    """Return what a method does in REST framework's terms, or None where only the view knows."""
    actions = getattr(callback, "actions", None)
    if actions:
        return str(actions[method.lower()])
    if issubclass(view_class, GenericAPIView):
        for mixin, action in _GENERIC_ACTIONS.get(method, ()):
            if issubclass(view_class, mixin):
                return action
    return None


def is_drfs_own(view_class: type, handler: str, method: str) -> bool:
    """Tell whether no code of the host's stands between a method and the view's serializer."""
    actions = [action for _mixin, action in _GENERIC_ACTIONS.get(method, ())]
    names = {handler, *actions, *(("update",) if method == "PATCH" else ())}
    found = [getattr(view_class, name, None) for name in names]
    return all(getattr(function, "__module__", "rest_framework.").startswith("rest_framework.") for function in found)


# RFC 9110, section 9.2.1: the safe methods. TRACE is safe too, but no API answers it.
_BY_METHOD = {
    "GET": Safety.READ_ONLY,
    "HEAD": Safety.READ_ONLY,
    "OPTIONS": Safety.READ_ONLY,
    "POST": Safety.WRITE,
    "PUT": Safety.WRITE,
    "PATCH": Safety.WRITE,
    "DELETE": Safety.DESTRUCTIVE,
}


def infer(method: str, *, ambiguous: bool = False, hints: Hints | None = None) -> Safety:
    """Return the safety of a method: what was declared, else what the method promises, else Write.

    `ambiguous` says that the same code answers an unsafe method too: then a safe method promises nothing.
    """
    if hints is not None and hints.safety is not None:
        return hints.safety
    promised = _BY_METHOD.get(method.upper(), Safety.WRITE)
    if ambiguous and promised is Safety.READ_ONLY:
        return Safety.WRITE
    return promised


def is_ambiguous(methods: frozenset[str]) -> bool:
    """Tell whether a handler that answers all these `methods` may write when asked by a safe one.

    What its code does with the method cannot be told from outside, so only what the host declares says otherwise.
    """
    return len(methods) > 1 and any(infer(method) is not Safety.READ_ONLY for method in methods)
