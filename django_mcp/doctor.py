"""An examination of the host's API, for its developers: what agents cannot do with it, why, and the cure."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from asgiref.sync import iscoroutinefunction
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import FileUploadParser
from rest_framework.throttling import SimpleRateThrottle

from django_mcp.access.exposure import exposed
from django_mcp.access.server_config import Server
from django_mcp.catalog.discovery import get_catalog
from django_mcp.host.handlers import BODY_METHODS
from django_mcp.host.views import declared, mock_view
from django_mcp.schema.inspector import PASSED_OVER, inspector_for, quietly
from django_mcp.schema.notes import UNDESCRIBED, UNDESCRIBED_BODY
from django_mcp.schema.operations import schema_for
from django_mcp.schema.per_user import is_customised
from django_mcp.types import Operation

_WRITABLE_TYPES = (
    "application/json",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "*/*",
    "application/*",
)
_MAKE_VIEW = "Its view must be made without a caller's request."
_LEAVE_OUT = "or leave it out with EXCLUDE_OPERATIONS"


class Gap(NamedTuple):
    """A part of an operation that nothing describes, what that means for agents, and what declares it."""

    part: str
    text: str
    declared_by: str


# By the note that a model reads in the schema: what its developers need to know.
GAPS = {
    UNDESCRIBED_BODY: Gap(
        "its body",
        "Its body is not described: agents must guess what to send.",
        "a serializer_class, or extend_schema(request=…)",
    ),
    UNDESCRIBED["parameters"]: Gap(
        "its arguments of path or query",
        "Some of its arguments of path or query cannot be described.",
        "extend_schema(parameters=[…])",
    ),
    UNDESCRIBED["filters"]: Gap(
        "its filters",
        "Its filters cannot be described, so agents do not know of them.",
        "filters that can be made without a request, or extend_schema(parameters=[…])",
    ),
    UNDESCRIBED["pagination"]: Gap(
        "its pagination",
        "Its pages cannot be described, so agents do not know how to turn them.",
        "a pagination_class that describes itself by get_schema_operation_parameters()",
    ),
    UNDESCRIBED["response"]: Gap(
        "its answer",
        "Its answer cannot be described, so agents learn what it is only by calling it.",
        "a serializer_class, or extend_schema(responses=…)",
    ),
}
_FAILED = "cannot be described: "
# Warnings of the inspection that repeat a note.
_NOTED = ("unable to guess serializer", "body: ", *(f"{part}: " for part in UNDESCRIBED))
_UNTYPED = "could not derive type of path parameter"
_UNTYPED_FILTER = re.compile(r'Exception raised while trying resolve model field for django-filter field "([^"]+)"')


class Severity(StrEnum):
    """`ERROR` cannot work, `WARNING` works in part or on guesses, `NOTE` works and could be better."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class _Finding(NamedTuple):
    severity: Severity
    text: str
    cure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One finding and all its subjects: names of operations, or routes where there is no operation."""

    severity: Severity
    text: str
    cure: str
    about: tuple[str, ...]


def examine(server: Server, urlconf: str | None = None) -> tuple[Complaint, ...]:
    """Examine every operation of a URLconf, by default of `ROOT_URLCONF`; identical findings are one complaint.

    It makes the host's views, serializers, filters and permissions and asks the permissions; no view handles a request.
    The worst complaints come first, and of these the most frequent.
    """
    catalog = get_catalog(urlconf)
    subjects: dict[_Finding, list[str]] = defaultdict(list)
    for problem in catalog.problems:
        severity = Severity.ERROR if problem.hides or problem.restricts else Severity.WARNING
        subjects[_Finding(severity, problem.text, problem.cure)].append(problem.subject)
    for operation in catalog.operations:
        for finding in dict.fromkeys(_findings(operation, server)):
            subjects[finding].append(operation.name)
    order = list(Severity)
    complaints = [Complaint(**finding._asdict(), about=tuple(sorted(about))) for finding, about in subjects.items()]
    complaints.sort(key=lambda complaint: (order.index(complaint.severity), -len(complaint.about), complaint.text))
    return tuple(complaints)


def _findings(operation: Operation, server: Server) -> Iterator[_Finding]:
    for check in _CHECKS:
        try:
            yield from check(operation)
        except Exception as error:  # noqa: BLE001 - it runs the host's code
            text = f"It could not be examined in full: {type(error).__name__}."
            yield _Finding(Severity.WARNING, text, _MAKE_VIEW)
    if not exposed(operation, server):
        cure = "Name it or its group: `manage.py mcp expose`, the admin, or TOOL_GROUPS."
        yield _Finding(Severity.NOTE, "Nobody has exposed it, so no agent reaches it.", cure)


def _description(operation: Operation) -> Iterator[_Finding]:
    schema = schema_for(operation)
    for note in schema.notes:
        if note in GAPS:
            yield _Finding(Severity.WARNING, GAPS[note].text, f"Declare {GAPS[note].declared_by}.")
        else:
            yield _Finding(Severity.NOTE, note, "Say extend_schema(…), where agents need to know more.")
    for message in schema.warnings:
        if not message.startswith(_NOTED):
            yield _inspected(message)


def _inspected(message: str) -> _Finding:
    """Return the finding that a warning of the inspection stands for."""
    if message.startswith(_FAILED):
        text = f"It cannot be described at all ({message.removeprefix(_FAILED)}): agents know its name and path only."
        return _Finding(Severity.WARNING, text, f"{_MAKE_VIEW} The traceback is in the log.")
    if message.startswith(PASSED_OVER):
        error = message.removeprefix(PASSED_OVER)
        text = (
            f"What get_operation() of its schema class makes of it is passed over ({error}): it is described without."
        )
        return _Finding(Severity.WARNING, text, "Let it return the operation, and expect no key in it.")
    if message.startswith(_UNTYPED):
        text = "The type of an argument of its path is not known: agents are told that it is text."
        return _Finding(
            Severity.NOTE, text, "Type it in the route, as in <int:id>, or say extend_schema(parameters=[…])."
        )
    if untyped := _UNTYPED_FILTER.match(message):
        text = f"The type of its filter {untyped[1]!r} is not known: agents are told that it is text."
        return _Finding(Severity.NOTE, text, "Say extend_schema_field(…) on the filter or on its method.")
    cure = "Give the field or parameter a type: a type hint, extend_schema_field or extend_schema(parameters=[…])."
    return _Finding(Severity.WARNING, f"Not all of it can be described: {message}", cure)


def _authentication(operation: Operation) -> Iterator[_Finding]:
    if operation.own_authentication:
        yield _Finding(
            Severity.WARNING,
            "Its view has authenticators of its own, or none. They do not run here: the key's user is taken for "
            "granted, so its group does not expose it.",
            "Expose it by name where any key's user may call it, or give it the project's default authentication.",
        )


def _permissions(operation: Operation) -> Iterator[_Finding]:
    # A user who is saved nowhere. Permissions mostly ask more of a user than whether there is one.
    user: Any = get_user_model()(pk=0)
    for flag in ("is_active", "is_superuser"):
        # One that is a property is the host's to answer.
        with suppress(AttributeError):
            setattr(user, flag, True)
    view: Any = mock_view(operation)
    view.request.user = user
    for permission in view.get_permissions():
        try:
            permission.has_permission(view.request, view)
        except (APIException, PermissionDenied, Http404):
            continue
        except Exception as error:  # noqa: BLE001 - it runs the host's code
            yield _Finding(
                Severity.NOTE,
                f"{type(permission).__name__} cannot be asked without the arguments of the URL "
                f"({type(error).__name__}), so agents are shown the operation whoever they are, and only a call is "
                "refused.",
                "Let has_permission() answer without view.kwargs, or decide in has_object_permission().",
            )


def _safety(operation: Operation) -> Iterator[_Finding]:
    for note in operation.notes:
        text, _, cure = note.partition(". ")
        yield _Finding(Severity.WARNING, f"{text}.", cure or "Declare its safety with mcp_operation(safety=…).")


def _documentation(operation: Operation) -> Iterator[_Finding]:
    hints = operation.hints
    if operation.description or hints.description or hints.when_to_use:
        return
    handler = getattr(operation.view_class, operation.handler, None)
    if is_customised(operation.view_class, operation.callback, handler):
        with quietly():
            inspector = inspector_for(mock_view(operation), operation.callback, handler, operation.method)
            inspector.path = operation.route
            if inspector.get_summary():
                return
    yield _Finding(
        Severity.NOTE,
        "Nothing says what it is for: agents find and choose it by its name alone.",
        "Write a docstring for the view or the method, extend_schema(summary=…), or mcp_operation(when_to_use=…).",
    )


def _pagination(operation: Operation) -> Iterator[_Finding]:
    view_class: Any = operation.view_class
    lists = operation.handler == "list" or (operation.handler == "get" and issubclass(view_class, ListModelMixin))
    if operation.method != "GET" or not lists or not issubclass(view_class, GenericAPIView):
        return
    view: Any = mock_view(operation)
    paginator = view.paginator
    unsized = isinstance(paginator, PageNumberPagination) and not (
        paginator.page_size or paginator.page_size_query_param
    )
    if paginator is None or unsized:
        yield _Finding(
            Severity.NOTE,
            "The list has no pages: every row is read each time, and agents see a long answer cut.",
            "Set a pagination_class with a page size, such as LimitOffsetPagination.",
        )


def _parsers(operation: Operation) -> Iterator[_Finding]:
    if operation.method not in BODY_METHODS:
        return
    view: Any = mock_view(operation)
    parsers = view.get_parsers()
    if parsers and all(isinstance(parser, FileUploadParser) for parser in parsers):
        text = "It takes a file as its whole body, which cannot be sent as arguments."
        yield _Finding(Severity.ERROR, text, f"Add MultiPartParser and a serializer with a FileField, {_LEAVE_OUT}.")
    elif not any(
        parser.media_type in _WRITABLE_TYPES or str(parser.media_type).endswith("+json") for parser in parsers
    ):
        types = ", ".join(str(parser.media_type) for parser in parsers) or "nothing"
        text = f"It parses {types} only, which cannot be written from arguments."
        yield _Finding(Severity.ERROR, text, f"Add JSONParser, {_LEAVE_OUT}.")


def _renderers(operation: Operation) -> Iterator[_Finding]:
    types = [str(renderer.media_type) for renderer in mock_view(operation).get_renderers()]
    if types and all(media_type == "text/html" for media_type in types):
        yield _Finding(Severity.WARNING, "It answers pages of HTML only.", f"Add JSONRenderer, {_LEAVE_OUT}.")


def _transactions(operation: Operation) -> Iterator[_Finding]:
    exempt = getattr(operation.callback, "_non_atomic_requests", ())
    databases = connections.settings.items()
    atomic = [alias for alias, database in databases if database["ATOMIC_REQUESTS"] and alias not in exempt]
    if iscoroutinefunction(operation.callback) and atomic:
        text = f"Django runs no async view under ATOMIC_REQUESTS ({', '.join(atomic)})."
        yield _Finding(Severity.ERROR, text, "Decorate it with transaction.non_atomic_requests.")


def _throttles(operation: Operation) -> Iterator[_Finding]:
    throttles: Any = declared(operation, "throttle_classes") or ()
    own = sorted(item.__name__ for item in throttles if not issubclass(item, SimpleRateThrottle))
    if operation.mutates and own:
        yield _Finding(
            Severity.NOTE,
            f"{', '.join(own)} counts in a way of its own: a proposal is not counted, only the call that runs.",
            "Derive it from SimpleRateThrottle, where proposals should count as well.",
        )


_CHECKS: tuple[Callable[[Operation], Iterable[_Finding]], ...] = (
    _description, _authentication, _permissions, _safety, _documentation, _pagination, _parsers, _renderers,
    _transactions, _throttles,
)  # fmt: skip
