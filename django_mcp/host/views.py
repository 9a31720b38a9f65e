"""Views as they stand before they handle anything, to be asked for their permissions and schemas and not to be run."""

import copy
from contextlib import suppress
from functools import lru_cache
from types import FunctionType, SimpleNamespace
from typing import Any, cast

from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.settings import spectacular_settings
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.test import APIRequestFactory
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.types import Operation

# What `bare_view` runs of a view.
_PREPARING = (
    "__init__", "setup", "initialize_request", "get_parser_context", "get_parsers", "get_authenticators",
    "get_content_negotiator", "get_format_suffix", "perform_content_negotiation", "get_renderers",
)  # fmt: skip


def bare_view(operation: Operation, request: HttpRequest) -> APIView:
    """Return the operation's view as it stands before `initial()`, without the arguments that its URL would give it.

    Raises what the host's own `setup()` raises.
    """
    callback: Any = operation.callback
    view: Any = getattr(callback, "cls", operation.view_class)(**getattr(callback, "initkwargs", {}))
    actions = getattr(callback, "actions", None)
    if actions:
        view.action_map = actions
        for verb, action in actions.items():
            setattr(view, verb, getattr(view, action))
        view.request, view.args, view.kwargs = request, (), {}
    else:
        view.setup(request)
    view.headers = {}
    view.request = view.initialize_request(request)
    view.format_kwarg = view.get_format_suffix()
    # DRF does so before it asks permissions, and the host's code may rely on it.
    chosen = view.perform_content_negotiation(view.request, force=True)
    view.request.accepted_renderer, view.request.accepted_media_type = chosen
    scheme = view.versioning_class() if view.versioning_class else None
    view.request.version, view.request.versioning_scheme = getattr(scheme, "default_version", None), scheme
    return view  # type: ignore[no-any-return]


def is_plain(view_class: Any, *methods: str) -> bool:
    """Tell whether `bare_view` runs no code of the host's on a view of this class, and these methods are none either.

    Then what the class declares is what the view would say, so that it need not be made.
    """
    return (
        type(view_class).__call__ is type.__call__
        and view_class.__new__ is object.__new__
        and view_class.__getattribute__ is object.__getattribute__
        and all(
            isinstance(function, FunctionType) and _is_librarys(function)
            for function in (getattr(view_class, name, None) for name in (*_PREPARING, *methods))
        )
    )


@lru_cache(maxsize=1024)
def _is_librarys(function: FunctionType) -> bool:
    # Where its code is, not where it says it is: a decorator's wrapper calls itself by the name of what it wraps.
    return str(function.__globals__.get("__name__")).startswith(("rest_framework.", "django.views."))


def declared(operation: Operation, name: str) -> Any:
    """Return what a view's URL, or else its class, declares under a name: as it is written there, never worked out."""
    said = getattr(operation.callback, "initkwargs", {})
    if name in said:
        return said[name]
    return next((vars(base)[name] for base in operation.view_class.__mro__ if name in vars(base)), None)


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
    view.request = request = _request(view, method, route)
    # As a view has it when it asks its permissions.
    with suppress(Exception):
        request.accepted_renderer, request.accepted_media_type = view.perform_content_negotiation(request, force=True)
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
