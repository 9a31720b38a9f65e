"""The two ways to make a view that handles nothing: its permissions and schemas are asked, its handler is not run.

A bare view has the request of a caller. A mock view, in drf-spectacular's word, has a request that nobody sent.
"""

import copy
from contextlib import suppress
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

# The methods of REST framework's views that making a bare view runs, directly or by one of the others. REST framework
# has no list of them, so they are written down here; a test compares them with what runs.
PREPARING = (
    "__init__", "setup", "initialize_request", "get_parser_context", "get_parsers", "get_authenticators",
    "get_content_negotiator", "get_format_suffix", "perform_content_negotiation", "get_renderers",
)  # fmt: skip
# Every search asks every view whether it is plain. What is kept are the libraries' functions of those that are, and not
# the classes: a class may be changed, as tests do, and need not live for ever.
_plain: set[tuple[Any, ...]] = set()


def bare_view(operation: Operation, request: HttpRequest) -> APIView:
    """Return the operation's view as it stands before `initial()`, without the arguments that its URL would give it.

    Raises what the host's own `setup()` raises.
    """
    callback: Any = operation.callback
    view: Any = getattr(callback, "cls", operation.view_class)(**getattr(callback, "initkwargs", {}))
    actions = getattr(callback, "actions", None)
    if actions:
        view.action_map = actions
        for method, action in actions.items():
            setattr(view, method, getattr(view, action))
        view.request, view.args, view.kwargs = request, (), {}
    else:
        view.setup(request)
    view.headers = {}
    view.request = view.initialize_request(request)
    view.format_kwarg = view.get_format_suffix()
    # DRF does so before it asks permissions, and the host's code may rely on it.
    _negotiate(view)
    scheme = view.versioning_class() if view.versioning_class else None
    view.request.version, view.request.versioning_scheme = getattr(scheme, "default_version", None), scheme
    return view  # type: ignore[no-any-return]


def mock_view(operation: Operation) -> APIView:
    """Return the operation's view with a request that nobody sent, for use where no caller is known.

    It is of the class by which an extension of drf-spectacular describes the view, where there is one.
    """
    callback: Any = operation.callback
    replacement = OpenApiViewExtension.get_match(callback)
    view_class = replacement.view_replacement() if replacement else operation.view_class
    initkwargs = {key: value for key, value in callback.initkwargs.items() if key != "schema"}
    view: Any = view_class(**initkwargs)
    view.args, view.kwargs, view.format_kwarg = (), {}, None
    view.action_map = getattr(callback, "actions", None)
    if view.action_map:
        view.action = view.action_map.get(operation.method.lower())
    view.swagger_fake_view = True
    view.request = _mock_request(view, operation)
    # As a view has it when it asks its permissions.
    with suppress(Exception):
        _negotiate(view)
    return cast("APIView", view)


def _mock_request(view: APIView, operation: Operation) -> Request:
    try:
        request = spectacular_settings.GET_MOCK_REQUEST(operation.method, operation.route, view, None)
    except AttributeError:  # its request factory knows the usual methods only
        request = view.initialize_request(APIRequestFactory().generic(operation.method, operation.route))
    anonymous: Any = api_settings.UNAUTHENTICATED_USER
    # An assigned user keeps the host's authenticators from running.
    request.user = anonymous() if anonymous else None
    return cast("Request", request)


def is_replaced(operation: Operation) -> bool:
    """Tell whether an extension of drf-spectacular describes the view by another class."""
    return OpenApiViewExtension.get_match(operation.callback) is not None


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
        _negotiate(view)
    if getattr(request, "resolver_match", None) is None:
        request.resolver_match = SimpleNamespace(namespace=namespace)
    if getattr(request, "version", None) is None:
        request.version, request.versioning_scheme = view.determine_version(request, *view.args, **view.kwargs)
    return view


def _negotiate(view: Any) -> None:
    request = view.request
    request.accepted_renderer, request.accepted_media_type = view.perform_content_negotiation(request, force=True)


def declared(operation: Operation, name: str, default: Any = None) -> Any:
    """Return the attribute that a view's URL declares in `as_view()`, or else its class, as it is written there.

    A property or another descriptor is returned as such: what it gives depends on the view.
    """
    initkwargs = getattr(operation.callback, "initkwargs", {})
    if name in initkwargs:
        return initkwargs[name]
    return next((vars(base)[name] for base in operation.view_class.__mro__ if name in vars(base)), default)


def has_own_authentication(operation: Operation) -> bool:
    """Tell whether a view relies on authentication other than the project's default, or on none at all."""
    if getattr(operation.view_class, "get_authenticators", None) is not APIView.get_authenticators:
        return True
    classes = declared(operation, "authentication_classes", ())
    if not isinstance(classes, list | tuple | set):
        # A property: only the view itself, on a request, knows.
        return True
    default = set(api_settings.DEFAULT_AUTHENTICATION_CLASSES)
    return bool(set(classes) - default) or (not classes and bool(default))


def is_plain(view_class: Any, *methods: str) -> bool:
    """Tell whether a bare view of this class runs no code of the host's, and these methods of it are none either.

    Then what the class declares is what the view would say, so that it need not be made.
    """
    if (
        type(view_class).__call__ is not type.__call__
        or view_class.__new__ is not object.__new__
        or view_class.__getattribute__ is not object.__getattribute__
    ):
        return False
    functions: tuple[Any, ...] = tuple([getattr(view_class, name, None) for name in (*PREPARING, *methods)])
    if set(map(type, functions)) != {FunctionType}:
        return False
    if functions not in _plain:
        # Where its code is, not where it says it is: a decorator's wrapper calls itself by the name of what it wraps.
        modules = [str(function.__globals__.get("__name__")) for function in functions]
        if not all(module.startswith(("rest_framework.", "django.views.")) for module in modules):
            return False
        _plain.add(functions)
    return True
