"""Whether a handler of the host's own looks up the row that its URL seems to name: its code is read, not run."""

import inspect
from collections.abc import Iterator
from enum import Enum, auto
from types import CodeType
from typing import Any

_LOOKS_UP = "get_object"
_MAY_LOOK_UP = frozenset({"get_object_or_404", "get_queryset", "filter_queryset"})
# Methods of dicts, querysets and rows too, so that their names in code of the host's say little.
_OF_OTHERS = frozenset({"get", "list", "create", "update", "delete"})


class LookUp(Enum):
    """`SURE` where it calls get_object(), `NEVER` where its URL may name a row of another kind, else `MAYBE`."""

    SURE = auto()
    MAYBE = auto()
    NEVER = auto()

    @classmethod
    def of(cls, view_class: Any, handler: str) -> "LookUp":
        """Tell by the code of the handler, and of the methods of the view that it calls."""
        used = set(_used(view_class, handler, set()))
        if _LOOKS_UP in used:
            return cls.SURE
        # A POST to a plain view often makes rows below the one of the URL; a viewset says what its actions are about.
        return cls.NEVER if handler == "post" and not used & _MAY_LOOK_UP else cls.MAYBE


def _used(view_class: Any, name: str, seen: set[str]) -> Iterator[str]:
    """Yield the names that a method uses, and the methods of the view that it calls."""
    seen.add(name)
    for owner in view_class.__mro__:
        code = getattr(inspect.unwrap(vars(owner)[name]), "__code__", None) if name in vars(owner) else None
        if code is None:
            continue
        names = set(_names(code))
        yield from names
        hosts_own = not owner.__module__.startswith("rest_framework.")
        for called in names - seen - (_OF_OTHERS if hosts_own else set()) - {_LOOKS_UP}:
            if callable(getattr(view_class, called, None)):
                yield from _used(view_class, called, seen)
        if "super" not in names:
            return


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
