"""A view whose handler only looks up and validates: everything around the handler is the host's own."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
from rest_framework.throttling import SimpleRateThrottle

from django_mcp.execution.targets import changes, label, sketch, target_of, values_of
from django_mcp.host.handlers import WRITE_ACTIONS
from django_mcp.types import Operation, OperationCall, Target

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


UNCHECKED = "The data could not be checked in advance: the view does its own checks when it runs."

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
    """What a rehearsed handler found; it travels on the inner request."""

    call: OperationCall
    reached: bool = False
    target: Target | None = None
    preview: Any = None
    warnings: tuple[str, ...] = ()


def rehearsed(operation: Operation) -> Callable[..., Any]:
    """Return the operation's view with its handler replaced. The request must carry a `Rehearsal` as `mcp_rehearsal`."""
    callback: Any = operation.callback
    actions = getattr(callback, "actions", None)
    method = operation.method.lower()
    view_class: Any = _rehearsed_class(
        getattr(callback, "cls", operation.view_class), (actions or {}).get(method, method)
    )
    initkwargs = getattr(callback, "initkwargs", {})
    view: Callable[..., Any] = (
        view_class.as_view(dict(actions), **initkwargs) if actions else view_class.as_view(**initkwargs)
    )
    return view


@lru_cache(maxsize=2048)
def _rehearsed_class(view_class: type, handler: str) -> type:
    standard = standard_action(view_class, handler)
    found = LookUp.of(view_class, handler)

    def rehearse(view: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        rehearsal: Rehearsal = request.mcp_rehearsal
        rehearsal.reached = True
        if standard is None:
            _look_up(view, rehearsal, found)
        else:
            _CHECKS[standard](view, rehearsal, partial=standard == "partial_update")
        return Response()

    async def rehearse_async(view: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        return await sync_to_async(rehearse)(view, request, *args, **kwargs)

    stub = rehearse_async if iscoroutinefunction(getattr(view_class, handler)) else rehearse
    identity = {name: getattr(view_class, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(view_class.__name__, (view_class,), {**identity, handler: stub, "check_throttles": _peek_throttles})


def standard_action(view_class: type, handler: str) -> str | None:
    """Return DRF's name for what the handler does, or None where the host wrote it."""
    if getattr(view_class, handler) in _GENERIC_HANDLERS:
        handler = WRITE_ACTIONS[handler]
    needed = _STANDARD.get(handler)
    if needed is None or any(getattr(view_class, name, None) is not own for name, own in needed.items()):
        return None
    return handler


def _check_create(view: Any, rehearsal: Rehearsal, *, partial: bool) -> None:
    serializer = view.get_serializer(data=view.request.data)
    serializer.is_valid(raise_exception=True)


def _check_update(view: Any, rehearsal: Rehearsal, *, partial: bool) -> None:
    instance = view.get_object()
    data = view.request.data
    before = values_of(instance, _serializer(view, instance))
    serializer = view.get_serializer(instance, data=data, partial=partial)
    serializer.is_valid(raise_exception=True)
    rehearsal.target = target_of(rehearsal.call, instance, serializer, found_by=view.lookup_field)
    rehearsal.preview = changes(rehearsal.call, before, serializer)


def _check_destroy(view: Any, rehearsal: Rehearsal, *, partial: bool) -> None:
    instance = view.get_object()
    rehearsal.target = target_of(rehearsal.call, instance, None)
    rehearsal.preview = _named(view, "deletes", instance)


_CHECKS: dict[str, Callable[..., None]] = {
    "create": _check_create,
    "update": _check_update,
    "partial_update": _check_update,
    "destroy": _check_destroy,
}


def _look_up(view: Any, rehearsal: Rehearsal, how: LookUp) -> None:
    """Do for the host's own handler what can be done without running it: parse the body, find the row."""
    view.request.data  # noqa: B018 - parsing raises 400 and 415.
    rehearsal.warnings = (UNCHECKED,)
    instance = _row(view, how)
    if instance is None:
        return
    call = rehearsal.call
    serializer = _serializer(view, instance)
    rehearsal.target = target_of(call, instance, serializer)
    method = call.operation.method
    if method == "DELETE":
        rehearsal.preview = _named(view, "deletes", instance)
    elif method in {"PUT", "PATCH"}:
        rehearsal.preview = changes(call, values_of(instance, serializer), serializer)
    else:
        rehearsal.preview = _named(view, "target", instance)


def _named(view: Any, role: str, instance: Any) -> dict[str, Any]:
    row = sketch(instance, _serializer(view, instance))
    return {role: label(instance), "row": row} if row else {role: label(instance)}


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


def _serializer(view: Any, instance: Any) -> Any:
    try:
        return view.get_serializer(instance)
    except Exception:  # noqa: BLE001 - its handler need not use a serializer.
        return None


def _peek_throttles(view: Any, request: Any) -> None:
    """Ask the throttles without charging. Only DRF's own kind can be asked that way; the rest decide at execution."""
    waits = []
    for throttle in view.get_throttles():
        if isinstance(throttle, SimpleRateThrottle):
            vars(throttle)["cache"] = _ReadOnlyCache(throttle.cache)
            if not throttle.allow_request(request, view):
                waits.append(throttle.wait())
    if waits:
        view.throttled(request, max((wait for wait in waits if wait is not None), default=None))


class _ReadOnlyCache:
    """A cache whose writes go nowhere."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def get(self, *args: Any, **kwargs: Any) -> Any:
        return self._cache.get(*args, **kwargs)

    def __getattr__(self, name: str) -> Callable[..., bool]:
        return lambda *args, **kwargs: True
