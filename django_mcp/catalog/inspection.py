"""drf-spectacular's inspection of one view at a time, next to the host's own use of it and without touching that."""

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import spectacular_settings
from rest_framework.filters import OrderingFilter
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.test import APIRequestFactory
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.catalog.fields import FieldInspector
from django_mcp.vocabulary import Operation

_messages: ContextVar[list[str] | None] = ContextVar("django_mcp_inspection", default=None)


@contextmanager
def quietly() -> Iterator[list[str]]:
    """Collect what drf-spectacular has to say in this context instead of printing it."""
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
    # what was never generated. Hence one hook, which passes on whatever is said outside of quietly().
    GENERATOR_STATS.emit = emit_or_collect  # type: ignore[method-assign]


_listen()


@contextmanager
def _model_known(view: Any) -> Iterator[None]:
    """Tell whoever asks a view for its model what the serializer's is: its `get_queryset` may need URL arguments."""
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
    """Inspects one operation. What fails is left out and noted in `failures`, the rest stands.

    `free_form` is set where the view has no serializer that could describe its body.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.failures: list[str] = []
        self.free_form = False

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        self.registry = registry
        self.path, self.path_regex, self.path_prefix, self.method = path, path_regex, path_prefix, method.upper()
        return {
            "parameters": self._attempt("parameters", self._get_parameters) or [],
            "requestBody": self._attempt("body", self._get_request_body),
            "responses": self._attempt("response", self._get_response_bodies) or {},
        }

    def get_operation_id(self) -> str:
        return ""

    def get_tags(self) -> list[str]:
        return []

    def get_auth(self) -> list[Any]:
        return []

    def get_request_serializer(self) -> Any:
        serializer = super().get_request_serializer()
        if serializer is None or self._is_guess():
            self.free_form = True
            return None
        return serializer

    def get_response_serializers(self) -> Any:
        guessed = self.method != "GET" and self._is_guess()
        return None if guessed else super().get_response_serializers()

    def _is_guess(self) -> bool:
        """Tell whether an extra action has no serializer of its own, but its viewset's by inheritance.

        Such an action often reads its body in its own way, so what the viewset's serializer says would be wrong.
        """
        view: Any = self.view
        action: Any = getattr(type(view), getattr(view, "action", None) or "", None)
        if not hasattr(action, "mapping") or "serializer_class" in action.kwargs:
            return False
        if type(view).get_serializer is not GenericAPIView.get_serializer:
            return False
        return view.get_serializer_class() is getattr(type(view), "serializer_class", None)

    def _get_format_parameters(self) -> list[Any]:
        return []

    def _get_filter_parameters(self) -> list[Any]:
        with _model_known(self.view):
            parameters = self._attempt("filters", super()._get_filter_parameters) or []
        for backend in self.get_filter_backends():
            if inspect.isclass(backend) and issubclass(backend, OrderingFilter):
                parameters = [_ordered(parameter, backend, self.view) for parameter in parameters]
        return parameters

    def _get_pagination_parameters(self) -> list[Any]:
        return self._attempt("pagination", super()._get_pagination_parameters) or []

    def _attempt(self, part: str, inspect_part: Callable[[], Any]) -> Any:
        try:
            return inspect_part()
        except Exception as error:  # noqa: BLE001 - this runs the host's serializers, filters and paginators
            self.failures.append(part)
            self.messages.append(f"{part}: {type(error).__name__}")
            if part == "body":
                self.free_form = True
            return None


def _ordered(parameter: dict[str, Any], backend: type[OrderingFilter], view: Any) -> dict[str, Any]:
    """Name the fields that a list can be ordered by, where the host says which."""
    fields = getattr(view, "ordering_fields", backend.ordering_fields)
    if parameter.get("name") != backend.ordering_param or not isinstance(fields, list | tuple) or not fields:
        return parameter
    names = [str(field if isinstance(field, str) else field[0]) for field in fields]
    signed = ", ".join(f"{name}, -{name}" for name in names)
    said = f"{parameter.get('description', '')} One or more of {signed}, separated by commas; - is descending."
    return {**parameter, "description": said.strip()}


@lru_cache(maxsize=16)
def _catalog_schema(default: type) -> type:
    # With the host's DEFAULT_SCHEMA_CLASS among its bases it can stand in for it under every extend_schema class.
    return type("CatalogSchema", (OperationInspector, default), {})


def _declared(view_class: type, callback: Any, handler: Any) -> list[type]:
    """Find the schema classes that the view and its handler were given, the handler's first."""
    found: list[type] = []
    on_callback = getattr(callback, "initkwargs", {}).get("schema")
    on_handler = getattr(handler, "kwargs", {}).get("schema")
    on_view = inspect.getattr_static(view_class, "schema", None)
    for schema in (on_handler, on_callback, on_view):
        if schema is not None:
            schema_class = schema if inspect.isclass(schema) else type(schema)
            found += [cls for cls in schema_class.__mro__ if _is_spectacular(cls) and cls not in found]
    return found


def _is_spectacular(cls: type) -> bool:
    # A class that extend_schema makes derives from whatever DEFAULT_SCHEMA_CLASS is, so its module has to tell.
    return cls.__module__ == "drf_spectacular.utils" or (issubclass(cls, AutoSchema) and cls is not AutoSchema)


_TELLING = ("is_excluded", "get_summary", "get_description")


def _default() -> type:
    return cast("type", api_settings.DEFAULT_SCHEMA_CLASS)


def is_customised(view_class: type, callback: Any, handler: Any) -> bool:
    """Tell whether a view says more about itself than its code does: extend_schema or a schema class of the host."""
    default = _default()
    hosts_own = issubclass(default, AutoSchema) and any(
        getattr(default, name) is not getattr(AutoSchema, name) for name in _TELLING
    )
    return hosts_own or bool(_declared(view_class, callback, handler))


def inspector_for(view: APIView, callback: Any, handler: Any, method: str) -> OperationInspector:
    """Make a fresh inspector of this very view; nothing of it is shared with another."""
    base = _catalog_schema(_default())
    declared = [cls for cls in _declared(type(view), callback, handler) if cls not in base.__mro__]
    rest = [
        ancestor
        for cls in declared
        for ancestor in cls.__mro__
        if ancestor not in declared and ancestor not in base.__mro__ and ancestor is not object
    ]
    # Whatever a declared class derives from comes after all of ours, hence ours one by one.
    shared = {ancestor for cls in rest for ancestor in cls.__mro__}
    ours = [cls for cls in base.__mro__ if cls not in shared] if rest else [base]
    bases = (*declared, *ours, *dict.fromkeys(rest))
    # `view` in the namespace: DRF writes an attribute of that name onto schema classes while it serves requests.
    schema = cast("OperationInspector", type("OperationSchema", bases, {"view": None})())
    schema.view = view
    schema.method = method.upper()
    return schema


def view_for(operation: Operation) -> APIView:
    """Make the operation's view with a request that nobody sent, for use where no caller is known."""
    return view_of(operation.callback, operation.view_class, operation.method, operation.route)


def is_replaced(callback: Any) -> bool:
    """Tell whether an extension of drf-spectacular describes the view by another class."""
    return OpenApiViewExtension.get_match(callback) is not None


def view_of(callback: Any, view_class: type, method: str, route: str) -> APIView:
    """As `view_for`, before there is an operation."""
    replacement = OpenApiViewExtension.get_match(callback)
    if replacement:
        view_class = replacement.view_replacement()
    initkwargs = {key: value for key, value in callback.initkwargs.items() if key != "schema"}
    view = cast("APIView", view_class(**initkwargs))
    view.args, view.kwargs, view.format_kwarg = (), {}, None
    actions = getattr(callback, "actions", None)
    view.action_map = actions  # type: ignore[attr-defined]
    if actions:
        view.action = actions.get(method.lower())  # type: ignore[attr-defined]
    view.swagger_fake_view = True  # type: ignore[attr-defined]
    view.request = _request(view, method, route)
    return view


def _request(view: APIView, method: str, route: str) -> Request:
    try:
        request = spectacular_settings.GET_MOCK_REQUEST(method, route, view, None)
    except AttributeError:  # its request factory knows the usual methods only
        request = view.initialize_request(APIRequestFactory().generic(method, route))
    anonymous: Any = api_settings.UNAUTHENTICATED_USER
    # An assigned user keeps the host's authenticators from running.
    request.user = anonymous() if anonymous else None
    return cast("Request", request)


def versioned(view: APIView, namespace: str) -> APIView:
    """Return a copy of the view that knows its version, as far as that can be known without a URL."""
    view = copy.copy(view)
    view.kwargs = dict(getattr(view, "kwargs", {}))
    versioning = view.versioning_class
    if versioning is None:
        return view
    request: Any = view.request
    if issubclass(versioning, URLPathVersioning) and versioning.default_version is not None:
        view.kwargs.setdefault(versioning.version_param, versioning.default_version)
    if getattr(request, "accepted_renderer", None) is None:
        request.accepted_renderer, request.accepted_media_type = view.perform_content_negotiation(request, force=True)
    if getattr(request, "resolver_match", None) is None:
        request.resolver_match = SimpleNamespace(namespace=namespace)
    if getattr(request, "version", None) is None:
        request.version, request.versioning_scheme = view.determine_version(request, *view.args, **view.kwargs)
    return view
