"""Views as they stand before they handle anything, to be asked for their permissions and schemas and not to be run."""

from functools import lru_cache
from types import FunctionType
from typing import Any

from django.http import HttpRequest
from rest_framework.views import APIView

from django_mcp.vocabulary import Operation

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
