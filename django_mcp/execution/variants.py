"""The host's view with parts of it replaced: for what must not run, or must not count."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any


def variant(callback: Any, view_class: type) -> Callable[..., Any]:
    """Return the view function of another class in the place of a callback's own, with the same actions and arguments.

    `view_class` is a subclass of the callback's. What decorates the callback in the URLconf is left out.
    """
    actions = getattr(callback, "actions", None)
    initkwargs = getattr(callback, "initkwargs", {})
    as_view: Any = view_class.as_view  # type: ignore[attr-defined]
    view: Callable[..., Any] = as_view(dict(actions), **initkwargs) if actions else as_view(**initkwargs)
    return view


def subclass(view_class: type, replaced: Mapping[str, Any]) -> type:
    """Return a subclass that says of itself what its base does, with some of its attributes replaced."""
    identity = {name: getattr(view_class, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(view_class.__name__, (view_class,), {**identity, **replaced})


@lru_cache(maxsize=2048)
def uncharged(view_class: type) -> type:
    """Return the view class without throttles: for reads that the caller did not ask for."""
    return subclass(view_class, {"check_throttles": lambda _view, _request: None})
