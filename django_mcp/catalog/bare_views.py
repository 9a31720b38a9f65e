"""Views made to be looked at: with a request that nobody sent, or with the version that a URL would have told."""

import copy
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.settings import spectacular_settings
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.test import APIRequestFactory
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.vocabulary import Operation


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
