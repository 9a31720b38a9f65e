"""The endpoints of a URLconf: every REST framework view with its method, route and URL name."""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver
from drf_spectacular.generators import EndpointEnumerator
from drf_spectacular.settings import spectacular_settings
from rest_framework.schemas.generators import is_api_view
from rest_framework.settings import api_settings

from django_mcp import error_reports
from django_mcp.catalog.problems import Problem, uninspectable

HOLE = re.compile(r"\{([^{}]*)\}")
_LEFTOVER = re.compile(r"[\[\](){}*+?|\\^$<>]")
_UNLISTED = frozenset({"HEAD", "OPTIONS", "TRACE", "CONNECT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A view as one pattern of the URLconf holds it, and the methods it is asked for there.

    `path` is a URI template whose holes are the names of the URL pattern; a name that occurs twice is numbered.
    """

    path: str
    path_regex: str
    callback: Callable[..., Any]
    url_name: str
    namespace: str
    methods: tuple[str, ...]


@dataclass
class Enumeration:
    """The endpoints found, in the order in which the URLconf tries them, and what could not be read."""

    endpoints: list[Endpoint] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class _Enumerator(EndpointEnumerator):
    """Walk a URLconf; whatever is broken is noted and stepped over."""

    def __init__(self, urlconf: Any) -> None:
        super().__init__(urlconf=urlconf)
        self.problems: list[Problem] = []

    def walk(self, patterns: Sequence[Any], prefix: str = "", namespaces: tuple[str, ...] = ()) -> Iterator[Endpoint]:
        for pattern in patterns:
            try:
                found = list(self._visit(pattern, prefix, namespaces))
            except Exception as error:  # noqa: BLE001 - views are the host's code; one must not hide the rest
                subject = prefix + str(getattr(pattern, "pattern", pattern))
                self.problems.append(uninspectable(subject, error))
                continue
            yield from found

    def _visit(self, pattern: Any, prefix: str, namespaces: tuple[str, ...]) -> Iterator[Endpoint]:
        regex = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            below = (*namespaces, pattern.namespace) if pattern.namespace else namespaces
            yield from self.walk(pattern.url_patterns, regex, below)
        elif isinstance(pattern, URLPattern) and is_api_view(pattern.callback) and "drf_format_suffix" not in regex:
            path = _numbered(self.get_path_from_regex(_without_suffix(regex)))  # type: ignore[no-untyped-call]
            if self.should_include_endpoint(path, pattern.callback):
                methods = [method.upper() for method in self._allowed(pattern.callback)]
                yield Endpoint(
                    path=path,
                    path_regex=regex,
                    callback=pattern.callback,
                    url_name=pattern.name or "",
                    namespace=":".join(namespaces),
                    methods=tuple(sorted(set(methods) - _UNLISTED, key=_order)),
                )

    def _allowed(self, callback: Any) -> list[str]:
        return list(self.get_allowed_methods(callback))  # type: ignore[no-untyped-call]

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        # Reading `callback.cls.schema` would write into the schema object that all requests share.
        schema = callback.initkwargs.get("schema", inspect.getattr_static(callback.cls, "schema", None))
        suffix = f".{{{_suffix_name()}}}"
        left_out = _is_ours(callback.cls) or _shows_schema(callback.cls)
        return schema is not None and not left_out and not path.rstrip("/").endswith(suffix)


def _suffix_name() -> str:
    return api_settings.FORMAT_SUFFIX_KWARG or "format"


def _without_suffix(regex: str) -> str:
    """Take the format suffix out of an expression in which it is optional."""
    return re.sub(rf"\((\?:)?\\\.\(\?P<{re.escape(_suffix_name())}>(\([^()]*\)|[^()])*\)\)\?", "", regex)


def _is_ours(view_class: type) -> bool:
    return view_class.__module__.startswith("django_mcp.")


def _shows_schema(view_class: type) -> bool:
    """Tell whether a view serves the API's description: the document itself, or a page that shows it."""
    # By name: the module reads the host's settings when it is imported, which not every host does.
    return any(base.__module__ == "drf_spectacular.views" for base in view_class.__mro__)


def enumerate_endpoints(urlconf: Any) -> Enumeration:
    """List the endpoints of a URLconf, in the active language.

    The host's `PREPROCESSING_HOOKS` for its OpenAPI document hide endpoints here too; where one of them raises,
    everything is hidden.
    """
    result = Enumeration()
    try:
        enumerator = _Enumerator(urlconf)
    except Exception as error:  # noqa: BLE001 - it imports the host's code
        error_reports.report("The URLconf cannot be imported.", error)
        text = f"This URLconf cannot be imported ({type(error).__name__}), so agents see nothing."
        result.problems.append(Problem(str(urlconf), text, "The traceback is in the log.", hides=True))
        return result
    found = list(enumerator.walk(enumerator.patterns or ()))
    result.problems += enumerator.problems
    result.endpoints = [endpoint for endpoint in _hooked(_reachable(found), result) if _fillable(endpoint, result)]
    return result


def _reachable(endpoints: Sequence[Endpoint]) -> list[Endpoint]:
    """Drop what an earlier pattern for the same paths hides: Django takes the first that matches."""
    first: dict[str, Endpoint] = {}
    for endpoint in endpoints:
        first.setdefault(endpoint.path_regex if HOLE.search(endpoint.path) else endpoint.path, endpoint)
    return list(first.values())


def _hooked(endpoints: list[Endpoint], result: Enumeration) -> list[Endpoint]:
    hooks = spectacular_settings.PREPROCESSING_HOOKS
    if not hooks:
        return endpoints
    kept = [
        (endpoint.path, endpoint.path_regex, method, endpoint.callback)
        for endpoint in endpoints
        for method in endpoint.methods
    ]
    try:
        for hook in hooks:
            kept = list(hook(endpoints=kept))
        left = {(regex, method, id(callback)) for _path, regex, method, callback in kept}
    except Exception as error:  # noqa: BLE001 - it runs the host's code
        error_reports.report("A preprocessing hook failed.", error)
        text = f"A hook raised {type(error).__name__}. Hooks hide endpoints, so nothing is shown."
        cure = "Correct the hook; the traceback is in the log."
        result.problems.append(Problem("PREPROCESSING_HOOKS", text, cure, hides=True))
        return []
    return [
        Endpoint(
            path=endpoint.path,
            path_regex=endpoint.path_regex,
            callback=endpoint.callback,
            url_name=endpoint.url_name,
            namespace=endpoint.namespace,
            methods=tuple(m for m in endpoint.methods if (endpoint.path_regex, m, id(endpoint.callback)) in left),
        )
        for endpoint in endpoints
    ]


def _fillable(endpoint: Endpoint, result: Enumeration) -> bool:
    if not _LEFTOVER.search(HOLE.sub("", endpoint.path)):
        return True
    text = "Its path cannot be written as a template, so agents do not see it."
    cure = "Use path(), or named groups in re_path()."
    result.problems.append(Problem(endpoint.path_regex, text, cure, hides=True))
    return False


def _numbered(path: str) -> str:
    """Number the holes that have the same name; unnamed groups are all called `var`."""
    seen: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        name = match[1]
        seen[name] = seen.get(name, 0) + 1
        return match[0] if seen[name] == 1 else f"{{{name}_{seen[name]}}}"

    return HOLE.sub(number, path)


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def _order(method: str) -> tuple[int, str]:
    return (_METHODS.index(method) if method in _METHODS else len(_METHODS), method)
