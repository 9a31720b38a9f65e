"""What the REST API shows its caller of the row that a call is about, and nothing that it does not show."""

from collections.abc import Iterator, Mapping
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.core.handlers.base import BaseHandler
from django.db import models
from django.http import Http404, HttpRequest
from django.urls import ResolverMatch
from rest_framework.mixins import ListModelMixin
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.catalog.discovery import get_catalog
from django_mcp.execution.undone import undone
from django_mcp.execution.variants import subclass, uncharged, variant
from django_mcp.host.requests import Context, inner_request
from django_mcp.protocol.json import plain
from django_mcp.types import Operation


def row_as_read(operation: Operation, context: Context, request: HttpRequest, row: Any) -> Mapping[str, Any] | None:
    """Return the row as a GET of its own route answers it to this caller, without charging throttles; None for no answer.

    That is the operation's own route, for a detail action the route without the action's part, and where that has no
    GET the resource's list, if it is DRF's own and has the row. `request` is the call's, resolved; a value that two
    reads show differently is in neither of them, and so not in the result. What a read writes is undone.
    """
    first = _read(operation, context, request, row)
    if first is None:
        return None
    second = _read(operation, context, request, row) or {}
    return {name: value for name, value in first.items() if name in second and second[name] == value}


def related_label(operation: Operation, context: Context, row: models.Model) -> str:
    """Return what a related row calls itself, where a read of its own resource shows this caller that very text; else "".

    `operation` is the one whose call names the row.
    """
    label = str(row)
    for resource in get_catalog(getattr(context.outer, "urlconf", None)).operations:
        queryset: Any = getattr(resource.view_class, "queryset", None)
        holes = list(resource.path_arguments)
        if resource.method != "GET" or len(holes) != 1 or getattr(queryset, "model", None) is not type(row):
            continue
        lookup = getattr(resource.view_class, "lookup_field", "pk")
        path = "/" + resource.route.lstrip("/").replace(f"{{{holes[0]}}}", str(getattr(row, lookup, row.pk)))
        resolved = _resolved(context, path, operation)
        answer = _answer(*resolved) if resolved is not None else None
        if answer is not None:
            return label if label in map(str, answer.values()) else ""
    return ""


def _read(operation: Operation, context: Context, request: HttpRequest, row: Any) -> Mapping[str, Any] | None:
    for path in _paths(operation, request.path_info):
        resolved = _resolved(context, path, operation)
        if resolved is None:
            continue
        inner, match = resolved
        answer = _answer(inner, match)
        if answer is not None:
            return answer
        if not _answers_get(match.func):
            return _listed(context, path, operation, row)
    return None


def _paths(operation: Operation, path: str) -> Iterator[str]:
    """Yield where the row may be read: the action's path without its own part, else the operation's."""
    handler: Any = getattr(operation.view_class, operation.handler, None)
    action_path = getattr(handler, "url_path", None)
    if action_path is None:
        yield path
    elif getattr(handler, "detail", False):
        yield _without_end(path, len(str(action_path).strip("/").split("/")))


def _without_end(path: str, segments: int) -> str:
    slash = "/" if path.endswith("/") else ""
    return "/".join(path.rstrip("/").split("/")[:-segments]) + slash


def _resolved(context: Context, path: str, operation: Operation) -> tuple[HttpRequest, ResolverMatch] | None:
    request = inner_request(context, method="GET", path=path)
    try:
        match = BaseHandler().resolve_request(request)
    except Http404:
        return None
    view_class = getattr(match.func, "cls", None)
    if view_class is None or not _authenticates_alike(match.func, operation):
        return None
    request.META["HTTP_ACCEPT"] = "application/json, */*"
    return request, match


def _authenticates_alike(callback: Any, operation: Operation) -> bool:
    """Tell whether a view knows its callers as the operation's does, whose user is forced on it here."""

    def classes(view: Any, view_class: Any) -> Any:
        return getattr(view, "initkwargs", {}).get(
            "authentication_classes", getattr(view_class, "authentication_classes", None)
        )

    mine, theirs = classes(operation.callback, operation.view_class), classes(callback, callback.cls)
    return list(mine or ()) == list(theirs or ()) or list(theirs or ()) == list(APIView.authentication_classes)


def _answers_get(callback: Any) -> bool:
    actions = getattr(callback, "actions", None)
    return "get" in actions if actions else hasattr(callback.cls, "get")


def _answer(request: HttpRequest, match: ResolverMatch) -> Mapping[str, Any] | None:
    callback: Any = match.func
    if not _answers_get(callback):
        return None
    view = variant(callback, uncharged(callback.cls))
    if iscoroutinefunction(view):
        view = async_to_sync(view)
    try:
        with undone():
            response = view(request, *match.args, **match.kwargs)
        data = plain(getattr(response, "data", None)) if response.status_code == 200 else None
    except Exception:  # noqa: BLE001 - a row that cannot be read is not shown
        return None
    return data if isinstance(data, Mapping) else None


def _listed(context: Context, path: str, operation: Operation, row: Any) -> Mapping[str, Any] | None:
    """Return the row as the resource's list has it, where that is DRF's own and its filters leave the row in."""
    if not isinstance(row, models.Model):
        return None
    resolved = _resolved(context, _without_end(path, 1), operation)
    if resolved is None:
        return None
    request, match = resolved
    callback: Any = match.func
    handler = (getattr(callback, "actions", None) or {}).get("get", "get")
    code = getattr(callback.cls, handler, None)
    if not issubclass(callback.cls, ListModelMixin) or not str(code.__module__).startswith("rest_framework."):
        return None
    answers: list[Any] = []

    def list_one(view: Any, _request: Any, *_args: Any, **_kwargs: Any) -> Response:
        rows = view.filter_queryset(view.get_queryset())
        if rows.model is type(row):
            answers.extend(view.get_serializer(item).data for item in rows.filter(pk=row.pk)[:1])
        return Response()

    view = variant(callback, subclass(uncharged(callback.cls), {handler: list_one}))
    try:
        with undone():
            view(request, *match.args, **match.kwargs)
        return plain(answers[0]) if answers else None
    except Exception:  # noqa: BLE001 - a row that cannot be read is not shown
        return None
