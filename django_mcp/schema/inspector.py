"""drf-spectacular's inspection of one view at a time, next to the host's own use of it and without touching that."""

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, cast

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, get_class
from drf_spectacular.utils import OpenApiRequest
from rest_framework.filters import OrderingFilter
from rest_framework.generics import GenericAPIView
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from django_mcp.schema.fields import LENIENT, FieldInspector, declared_secrets
from django_mcp.schema.per_user import default_schema_class, schema_classes

PASSED_OVER = "get_operation: "

_messages: ContextVar[list[str] | None] = ContextVar("django_mcp_inspection", default=None)


@contextmanager
def quietly() -> Iterator[list[str]]:
    """Collect the messages of drf-spectacular in this context instead of printing them."""
    messages: list[str] = []
    token = _messages.set(messages)
    try:
        yield messages
    finally:
        _messages.reset(token)


def _listen() -> None:
    emit = GENERATOR_STATS.emit

    def emit_or_collect(msg: str, severity: str) -> None:
        messages = _messages.get()
        if messages is None:
            emit(msg, severity)
        else:
            messages.append(str(msg))

    # Its warn() and error(), which its modules and extensions have imported by name, all end in this one object of the
    # process. Its silence() is a flag for all threads, so it would swallow what the host's own `spectacular` command
    # or schema view says at the same time; and what is silenced is still counted, so that --fail-on-warn would fail for
    # what was never generated. Hence one hook, which passes on all messages outside of quietly().
    GENERATOR_STATS.emit = emit_or_collect  # type: ignore[method-assign]


_listen()


@contextmanager
def _with_queryset(view: Any) -> Iterator[None]:
    """Give a view an empty queryset of its serializer's model: its own `get_queryset` may need URL arguments."""
    try:
        model = view.get_serializer_class().Meta.model
    except Exception:  # noqa: BLE001 - the host's code, or no model at all; the inspection will note what it misses
        model = None
    if model is None or getattr(view, "queryset", None) is not None:
        yield
        return
    view.queryset = model._default_manager.none()  # noqa: SLF001 - Django documents it
    try:
        yield
    finally:
        del view.queryset


class OperationInspector(FieldInspector, AutoSchema):
    """Inspects one operation. A part that fails is left out and noted in `failures`, the rest stands.

    `free_form` is set where the view has no serializer that could describe its body, `inherited` where no serializer
    was declared for this very operation; `guessed_secrets` are the secret fields of a serializer that does not describe
    the body. `own` is the operation in OpenAPI before the host's `get_operation` changes it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.failures: list[str] = []
        self.free_form = False
        self.inherited = False
        self.guessed_secrets: set[str] = set()
        self.own: Mapping[str, Any] | None = None

    def inspect_parts(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> dict[str, Any]:
        """Return the operation in OpenAPI, put together from its parts, and keep it as `own`."""
        self.registry = registry
        self.path, self.path_regex, self.path_prefix, self.method = path, path_regex, path_prefix, method.upper()
        operation = {
            "operationId": self.get_operation_id(),
            "description": self._attempt("description", self.get_description) or "",
            "tags": self.get_tags(),
            "parameters": self._attempt("parameters", self._get_parameters) or [],
            "responses": self._attempt("response", self._get_response_bodies) or {},
        }
        # Absent where there is none, as hosts that add one look for it.
        body = self._attempt("body", self._get_request_body)
        operation |= {"requestBody": body} if body else {}
        # The host may change what it goes on from.
        self.own = operation if type(self).get_operation is _Parts.get_operation else copy.deepcopy(operation)
        return operation

    def get_operation_id(self) -> str:
        return ""

    def get_tags(self) -> list[str]:
        return []

    def get_auth(self) -> list[Any]:
        return []

    def get_request_serializer(self) -> Any:
        self.inherited = True
        serializer = super().get_request_serializer()
        if serializer is None or self._is_guess():
            self.free_form = True
            # What is secret of a row is so too where an action of it reads its body in its own way.
            secrets = declared_secrets(get_class(serializer))
            self.guessed_secrets = {name for name, field in secrets.items() if field.get("writeOnly")}
            return None
        return serializer

    def get_response_serializers(self) -> Any:
        guessed = self.method != "GET" and self._is_guess()
        return None if guessed else super().get_response_serializers()

    def _get_serializer(self) -> Any:
        serializer = super()._get_serializer()  # type: ignore[no-untyped-call]
        return self._without_init() if serializer is None else serializer

    def _without_init(self) -> Any:
        """Make the view's serializer without its own `__init__`, which may need what only the URL of a call tells."""
        try:
            cls: Any = self.view.get_serializer_class()
            names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
            bare_class = type(cls)(cls.__name__, (cls,), {**names, "__init__": BaseSerializer.__init__})
            return bare_class(context={"request": self.view.request, "view": self.view, "format": None})
        except Exception:  # noqa: BLE001 - the host's code, or no serializer class at all
            return None

    def _is_guess(self) -> bool:
        """Tell whether an extra action has no serializer of its own, but its viewset's by inheritance.

        Such an action often reads its body in its own way, so the viewset's serializer would describe it wrongly.
        """
        view: Any = self.view
        action: Any = getattr(type(view), getattr(view, "action", None) or "", None)
        if not hasattr(action, "mapping") or "serializer_class" in action.kwargs:
            return False
        return _serializer_class(view, view.action) is _serializer_class(view, "")

    def _get_format_parameters(self) -> list[Any]:
        return []

    def _get_filter_parameters(self) -> list[Any]:
        with _with_queryset(self.view):
            parameters = self._attempt("filters", super()._get_filter_parameters) or []
        for backend in self.get_filter_backends():
            if inspect.isclass(backend) and issubclass(backend, OrderingFilter):
                parameters = [_ordered(parameter, backend, self.view) for parameter in parameters]
        return parameters

    def _get_pagination_parameters(self) -> list[Any]:
        described: Any = super()._get_pagination_parameters
        return self._attempt("pagination", lambda: self._with_last_page(described())) or []

    def _with_last_page(self, parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Add to the description of a paginator's page that a word means the last one, where it knows such a word."""
        paginator = self._get_paginator()  # type: ignore[no-untyped-call]
        words = " or ".join(map(repr, getattr(paginator, "last_page_strings", ())))
        if not words:
            return parameters
        page = getattr(paginator, "page_query_param", None)
        described = []
        for parameter in parameters:
            description = f"{parameter.get('description', '')} The last page is {words}.".strip()
            lenient = {**parameter.get("schema", {}), LENIENT: True}
            with_words = {**parameter, "description": description, "schema": lenient}
            described.append(with_words if parameter.get("name") == page else parameter)
        return described

    def _get_request_body(self, *direction: Any) -> Any:
        # Passed on as it came: a host's override need not know the argument.
        described: Any = super()._get_request_body
        if self.method != "DELETE":
            return described(*direction)
        # drf-spectacular describes no body of a deletion. Its view's serializer mostly is that of the row, so only one
        # that was declared for this very operation counts.
        serializer = self.get_request_serializer()
        if self.inherited or serializer is None:
            return described(*direction)
        if isinstance(serializer, dict) and serializer and all("/" in str(media_type) for media_type in serializer):
            serializer = next(iter(serializer.values()))
        serializer = serializer.request if isinstance(serializer, OpenApiRequest) else serializer
        schema, required = self._get_request_for_media_type(serializer, *direction)  # type: ignore[no-untyped-call]
        return schema and {"content": {"application/json": {"schema": schema}}, "required": required}

    def _attempt(self, part: str, inspect_part: Callable[[], Any]) -> Any:
        try:
            return inspect_part()
        except Exception as error:  # noqa: BLE001 - this runs the host's serializers, filters and paginators
            self.failures.append(part)
            self.messages.append(f"{part}: {type(error).__name__}")
            if part == "body":
                self.free_form = True
            return None


def _serializer_class(view: Any, action: str) -> Any:
    """Return the serializer class that a view chooses for an action; the action "" stands for any other."""
    view = copy.copy(view)
    view.action = action
    try:
        own = type(view).get_serializer is not GenericAPIView.get_serializer
        return type(view.get_serializer()) if own else view.get_serializer_class()
    except Exception:  # noqa: BLE001 - the host's code; a choice that fails is one of its own
        return object()


def _ordered(parameter: dict[str, Any], backend: type[OrderingFilter], view: Any) -> dict[str, Any]:
    """Add the fields that a list can be ordered by to the description, where the host names them."""
    fields = getattr(view, "ordering_fields", backend.ordering_fields)
    if parameter.get("name") != backend.ordering_param or not isinstance(fields, list | tuple) or not fields:
        return parameter
    names = [str(field if isinstance(field, str) else field[0]) for field in fields]
    signed = ", ".join(f"{name}, -{name}" for name in names)
    description = f"{parameter.get('description', '')} One or more of {signed}, separated by commas; - is descending."
    return {**parameter, "description": description.strip()}


def inspector_for(view: APIView, callback: Any, handler: Any, method: str) -> OperationInspector:
    """Make a fresh inspector of this very view; nothing of it is shared with another.

    Its class looks up a method in four groups of classes, in this order:

    1. the schema classes that the view, its URL and its handler declare, for they have the last word,
    2. ours, with the project's default schema class among them,
    3. what else the declared ones derive from: mixins of the host's, or a default class of an earlier time,
    4. what the second and the third group both derive from.
    """
    ours = _inspector_class(default_schema_class()).__mro__
    declared = [cls for cls in schema_classes(type(view), callback, handler) if cls not in ours]
    foreign = [base for cls in declared for base in cls.__mro__ if base not in declared and base not in ours]
    shared = {base for cls in foreign for base in cls.__mro__}
    # One by one: with a class for the whole second group, Python would put the third before the bases of that class.
    bases = (*declared, *(cls for cls in ours if cls not in shared), *dict.fromkeys(foreign))
    # `view` in the namespace: DRF writes an attribute of that name onto schema classes while it serves requests.
    inspector = cast("OperationInspector", type("OperationSchema", bases, {"view": None})())
    inspector.view = view
    inspector.method = method.upper()
    return inspector


@lru_cache(maxsize=16)
def _inspector_class(default: type) -> type:
    # With the host's DEFAULT_SCHEMA_CLASS among its bases it can stand in for it under every extend_schema class. What
    # that class makes of a whole operation is honoured: it stands before the one that puts an operation together.
    if issubclass(default, AutoSchema) and default is not AutoSchema:
        return type("Inspector", (OperationInspector, default, _Parts), {})
    return type("Inspector", (OperationInspector, _Parts, default), {})


class _Parts(AutoSchema):
    """Stands before AutoSchema and after the host's own subclasses of it, which may go on from what it returns."""

    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any) -> dict[str, Any]:
        return self.inspect_parts(path, path_regex, path_prefix, method, registry)  # type: ignore[attr-defined,no-any-return]


def described_by(inspector: OperationInspector, route: str, path_regex: str) -> Mapping[str, Any]:
    """Return the inspected operation as OpenAPI has it, with what the host's schema classes make of it.

    A `get_operation` of the host that fails, or leaves the operation out, is passed over with a message.
    """
    arguments = (route, path_regex, "", inspector.method, ComponentRegistry())
    try:
        operation: Any = inspector.get_operation(*arguments)
        reason = "it leaves the operation out"
    except Exception as error:  # noqa: BLE001 - the host's code
        operation, reason = None, type(error).__name__
    own = inspector.own if inspector.own is not None else inspector.inspect_parts(*arguments)
    if isinstance(operation, Mapping):
        return operation
    inspector.messages.append(f"{PASSED_OVER}{reason}")
    return own
