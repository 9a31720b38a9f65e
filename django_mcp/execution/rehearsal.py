"""A view whose handler only looks up and validates: everything around the handler is the host's own."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from types import CodeType
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import generics, mixins
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from django_mcp.execution.charges import charge_throttles
from django_mcp.execution.variants import subclass, variant
from django_mcp.host.handlers import WRITE_ACTIONS
from django_mcp.types import Operation

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


_GENERIC_HANDLERS = frozenset(
    member
    for view_class in vars(generics).values()
    if isinstance(view_class, type)
    for name, member in vars(view_class).items()
    if name in WRITE_ACTIONS
)
# What has to be DRF's own for an action to be DRF's own.
_STANDARD: dict[str, dict[str, Any]] = {
    "create": {"create": mixins.CreateModelMixin.create},
    "update": {"update": mixins.UpdateModelMixin.update},
    "partial_update": {
        "partial_update": mixins.UpdateModelMixin.partial_update,
        "update": mixins.UpdateModelMixin.update,
    },
    "destroy": {"destroy": mixins.DestroyModelMixin.destroy},
}


@dataclass(slots=True)
class Rehearsal:
    """What a rehearsed handler found; it travels on the inner request.

    `action` is DRF's name for what the handler does, None where the host wrote it. `serializer` is validated where the
    handler is DRF's own. `charges` are what throttles meant to write to their caches.
    """

    charged: bool
    action: str | None = None
    reached: bool = False
    view: Any = None
    row: Any = None
    serializer: Any = None
    charges: list[Callable[[], Any]] = field(default_factory=list)


def rehearsed(operation: Operation) -> Callable[..., Any]:
    """Return the operation's view with its handler replaced. The request must carry a `Rehearsal` as `mcp_rehearsal`."""
    callback: Any = operation.callback
    return variant(callback, _rehearsed_class(getattr(callback, "cls", operation.view_class), operation.handler))


@lru_cache(maxsize=2048)
def _rehearsed_class(view_class: type, handler: str) -> type:
    action = standard_action(view_class, handler)
    look_up = LookUp.of(view_class, handler)

    def rehearse(view: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        rehearsal: Rehearsal = request.mcp_rehearsal
        rehearsal.reached, rehearsal.action, rehearsal.view = True, action, view
        if action is None:
            # What can be done of the host's own handler without running it; parsing raises 400 and 415.
            view.request.data  # noqa: B018
            rehearsal.row = _row(view, look_up)
            rehearsal.serializer = None if rehearsal.row is None else _serializer(view, rehearsal.row)
        elif action == "destroy":
            rehearsal.row = view.get_object()
        else:
            found = () if action == "create" else (view.get_object(),)
            rehearsal.row = found[0] if found else None
            rehearsal.serializer = view.get_serializer(
                *found, data=view.request.data, partial=action == "partial_update"
            )
            rehearsal.serializer.is_valid(raise_exception=True)
        return Response()

    async def rehearse_async(view: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        return await sync_to_async(rehearse)(view, request, *args, **kwargs)

    stub = rehearse_async if iscoroutinefunction(getattr(view_class, handler)) else rehearse
    return subclass(view_class, {handler: stub, "check_throttles": charge_throttles})


def standard_action(view_class: type, handler: str) -> str | None:
    """Return DRF's name for what the handler does, or None where the host wrote it."""
    if getattr(view_class, handler) in _GENERIC_HANDLERS:
        handler = WRITE_ACTIONS[handler]
    needed = _STANDARD.get(handler)
    if needed is None or any(getattr(view_class, name, None) is not own for name, own in needed.items()):
        return None
    return handler


def _row(view: Any, how: LookUp) -> Any:
    named = isinstance(view, generics.GenericAPIView) and (view.lookup_url_kwarg or view.lookup_field) in view.kwargs
    if not named or how is LookUp.NEVER:
        return None
    try:
        return view.get_object()
    except Exception as error:
        if how is LookUp.SURE and isinstance(error, Http404 | PermissionDenied | APIException):
            raise
        # Its handler need not use get_object(), so this is no reason to refuse.
        return None


def _serializer(view: Any, row: Any) -> Any:
    try:
        return view.get_serializer(row)
    except Exception:  # noqa: BLE001 - its handler need not use a serializer.
        return None
