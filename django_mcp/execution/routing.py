"""From a call to a request that has arrived at its view: composed, resolved, and checked to be at its own route."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.conf.urls.i18n import is_language_prefix_patterns_used
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, URLResolver, get_resolver, get_urlconf, set_urlconf
from django.utils import timezone, translation
from rest_framework.views import APIView

from django_mcp.errors import NotFound
from django_mcp.execution.request_parts import Parts, compose
from django_mcp.host.requests import Context, inner_request
from django_mcp.host.views import bare_view, declared
from django_mcp.types import Operation, OperationCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request and the match of the host's URLconf for it."""

    request: HttpRequest
    match: ResolverMatch
    notes: tuple[str, ...]


@contextmanager
def arrived(call: OperationCall, context: Context) -> Iterator[Arrival]:
    """Build the call's request and resolve it. Language, time zone and URLconf are as before when it is left.

    Raises NotFound where the filled route is not the operation's own, ValidationFailed where it cannot be filled.
    """
    operation = call.operation
    parts = compose(call, _media_types(operation, context, "parser"))
    urlconf = get_urlconf()
    with translation.override(translation.get_language()), timezone.override(timezone.get_current_timezone()):
        try:
            request, match = _resolved(operation, context, parts)
            request.META["HTTP_ACCEPT"] = _accept(_media_types(operation, context, "renderer"))
            try:
                yield Arrival(request=request, match=match, notes=parts.notes)
            finally:
                request.close()
        finally:
            set_urlconf(urlconf)


def _resolved(operation: Operation, context: Context, parts: Parts) -> tuple[HttpRequest, ResolverMatch]:
    urlconf = getattr(context.outer, "urlconf", None) or settings.ROOT_URLCONF
    for language, path in _spellings(parts.path, urlconf):
        request = inner_request(
            context,
            method=operation.method,
            path=path,
            query=parts.query,
            body=parts.body,
            content_type=parts.content_type,
        )
        try:
            with translation.override(language):
                match = BaseHandler().resolve_request(request)
        except Resolver404:
            continue
        if match.func is operation.callback and _landed(match, parts.holes, urlconf):
            return request, match
    raise NotFound


def _spellings(path: str, urlconf: str) -> Iterator[tuple[str | None, str]]:
    """Yield the path as it may read in the caller's language: routes are known in the project's own."""
    active = translation.get_language()
    own = settings.LANGUAGE_CODE
    yield active, path
    if active is None or active == own:
        return
    prefixed, own_prefixed = is_language_prefix_patterns_used(urlconf)
    if prefixed:
        rest = path.removeprefix(f"/{own}/") if own_prefixed else path
        yield active, f"/{active}/{rest.removeprefix('/')}"
    yield own, path


def _landed(match: ResolverMatch, holes: Mapping[str, str], urlconf: str) -> bool:
    """Tell whether the URLconf reads every text from the hole that it was put into, and reads nothing else."""
    # Django's `captured_kwargs` are those of the last pattern alone, without those of the prefixes of include().
    fixed = vars(match)["extra_kwargs"] or {}
    captured = {name: value for name, value in match.kwargs.items() if name not in fixed}
    captured |= vars(match)["captured_kwargs"] or {}
    unnamed = [text for name, text in holes.items() if name not in captured]
    if unnamed != [str(value) for value in match.args]:
        return False
    converted: dict[str, Any] = {}
    for name, value in captured.items():
        if name in holes:
            if str(value) != holes[name]:
                converted[name] = value
        elif value is not None:
            # An optional group that no argument is meant for.
            return False
    return not converted or any(
        _is_conversion(converters, holes, converted)
        for converters in _converters(get_resolver(urlconf), match.func, {})
    )


def _is_conversion(converters: Mapping[str, Any], texts: Mapping[str, str], values: Mapping[str, Any]) -> bool:
    """Tell whether the converters make the values of the texts of the same names."""
    try:
        return all(
            name in converters and converters[name].to_python(texts[name]) == value for name, value in values.items()
        )
    except ValueError:
        return False


def _converters(resolver: URLResolver, callback: Any, inherited: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the converters of each path to a view, those of the prefixes of include() too, by name."""
    for entry in resolver.url_patterns:
        converters = {**inherited, **getattr(entry.pattern, "converters", {})}
        if isinstance(entry, URLResolver):
            yield from _converters(entry, callback, converters)
        elif entry.callback is callback:
            yield converters


def _media_types(operation: Operation, context: Context, kind: str) -> list[str]:
    """Return the media types of the view's parsers or renderers; a view that decides by request is asked."""
    view_class: Any = operation.view_class
    getter = f"get_{kind}s"
    classes = declared(operation, f"{kind}_classes")
    if getattr(view_class, getter) is not getattr(APIView, getter) or not isinstance(classes, list | tuple):
        # A view that needs its URL's arguments for that has to do with the declaration of its class.
        with suppress(Exception):
            view = bare_view(operation, inner_request(context, method=operation.method, path="/"))
            return [item.media_type or "" for item in getattr(view, getter)()]
    return [item.media_type or "" for item in classes]


def _accept(media_types: Sequence[str]) -> str:
    """Return the Accept header for JSON where the view renders it, else for anything but a page.

    DRF goes by the view's own order within media types of equal precedence.
    """
    accepted = [item for item in media_types if item == "application/json" or item.endswith("+json")]
    accepted = accepted or [item for item in media_types if item and item != "text/html"]
    return ", ".join([*dict.fromkeys(accepted), "*/*"])
