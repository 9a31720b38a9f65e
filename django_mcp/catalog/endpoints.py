"""The endpoints of a URLconf: every REST framework view with its method, route and URL name."""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.urls import URLPattern, URLResolver
from drf_spectacular.generators import EndpointEnumerator
from drf_spectacular.settings import spectacular_settings
from rest_framework.schemas.generators import is_api_view
from rest_framework.settings import api_settings

from django_mcp import error_reports
from django_mcp.catalog.problems import Problem, uninspectable
from django_mcp.host.handlers import HOLE, STANDARD_ACTIONS

# What a regular expression leaves in a path that is no template.
_LEFTOVER = re.compile(r"[\[\](){}*+?|\\^$<>]")
_UNLISTED = frozenset({"HEAD", "OPTIONS", "TRACE", "CONNECT"})
_METHODS = tuple(dict.fromkeys(action.method for action in STANDARD_ACTIONS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A view as one pattern of the URLconf holds it, and the methods that it answers there.

    `path` is a URI template whose holes are the names of the URL pattern; a name that occurs twice is numbered.
    """

    path: str
    path_regex: str
    callback: Callable[..., Any]
    url_name: str
    namespace: str
    methods: tuple[str, ...]

    @property
    def view_class(self) -> Any:
        return self.callback.cls  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The endpoints, in the order in which the URLconf tries them, and what could not be read.

    `routed` are they and those that hooks hide.
    """

    endpoints: list[Endpoint] = field(default_factory=list)
    routed: list[Endpoint] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def enumerate_endpoints(urlconf: Any) -> Enumeration:
    """List the endpoints of a URLconf, in the active language.

    The host's `PREPROCESSING_HOOKS` for its OpenAPI document hide endpoints here too; where one of them raises,
    everything is hidden.
    """
    try:
        enumerator = _Enumerator(urlconf)
    except Exception as error:  # noqa: BLE001 - it imports the host's code
        error_reports.report("The URLconf cannot be imported.", error)
        text = f"This URLconf cannot be imported ({type(error).__name__}), so agents see nothing."
        return Enumeration(problems=[Problem(str(urlconf), text, "The traceback is in the log.", hides=True)])
    endpoints = _reachable(enumerator.walk(enumerator.patterns or ()))
    result = Enumeration(problems=enumerator.problems, routed=endpoints)
    try:
        endpoints = _hooked(endpoints)
    except Exception as error:  # noqa: BLE001 - it runs the host's code
        error_reports.report("A preprocessing hook failed.", error)
        text = f"A hook raised {type(error).__name__}. Hooks hide endpoints, so nothing is shown."
        cure = "Correct the hook; the traceback is in the log."
        result.problems.append(Problem("PREPROCESSING_HOOKS", text, cure, hides=True))
        return result
    for endpoint in endpoints:
        if _LEFTOVER.search(HOLE.sub("", endpoint.path)):
            text = "Its path cannot be written as a template, so agents do not see it."
            cure = "Use path(), or named groups in re_path()."
            result.problems.append(Problem(endpoint.path_regex, text, cure, hides=True))
        else:
            result.endpoints.append(endpoint)
    return result


class _Enumerator(EndpointEnumerator):
    """Walk a URLconf; whatever is broken is noted and stepped over."""

    def __init__(self, urlconf: Any) -> None:
        super().__init__(urlconf=urlconf)
        self.problems: list[Problem] = []

    def walk(self, patterns: Sequence[Any], prefix: str = "", namespaces: tuple[str, ...] = ()) -> Iterator[Endpoint]:
        for pattern in patterns:
            try:
                endpoints = list(self._visit(pattern, prefix, namespaces))
            except Exception as error:  # noqa: BLE001 - views are the host's code; one must not hide the rest
                subject = prefix + str(getattr(pattern, "pattern", pattern))
                self.problems.append(uninspectable(subject, error))
                continue
            yield from endpoints

    def _visit(self, pattern: Any, prefix: str, namespaces: tuple[str, ...]) -> Iterator[Endpoint]:
        regex = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            below = (*namespaces, pattern.namespace) if pattern.namespace else namespaces
            yield from self.walk(pattern.url_patterns, regex, below)
        elif isinstance(pattern, URLPattern) and is_api_view(pattern.callback) and "drf_format_suffix" not in regex:
            path = _numbered(self.get_path_from_regex(_without_suffix(regex)))  # type: ignore[no-untyped-call]
            if self.should_include_endpoint(path, pattern.callback):
                allowed = self.get_allowed_methods(pattern.callback)  # type: ignore[no-untyped-call]
                methods = set(map(str.upper, allowed)) - _UNLISTED
                yield Endpoint(
                    path=path,
                    path_regex=regex,
                    callback=pattern.callback,
                    url_name=pattern.name or "",
                    namespace=":".join(namespaces),
                    methods=(*filter(methods.__contains__, _METHODS), *sorted(methods.difference(_METHODS))),
                )

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        # Reading `callback.cls.schema` would write into the schema object that all requests share.
        schema = callback.initkwargs.get("schema", inspect.getattr_static(callback.cls, "schema", None))
        if schema is None or callback.cls.__module__.startswith("django_mcp."):
            return False
        # The views that serve the API's description, the document itself or a page that shows it, by name: their module
        # reads the host's settings when it is imported, which not every host does.
        if any(base.__module__ == "drf_spectacular.views" for base in callback.cls.__mro__):
            return False
        return not path.rstrip("/").endswith(f".{{{_suffix_name()}}}")


def _suffix_name() -> str:
    return api_settings.FORMAT_SUFFIX_KWARG or "format"


def _without_suffix(regex: str) -> str:
    """Take the format suffix out of an expression in which it is optional."""
    return re.sub(rf"\((\?:)?\\\.\(\?P<{re.escape(_suffix_name())}>(\([^()]*\)|[^()])*\)\)\?", "", regex)


def _numbered(path: str) -> str:
    """Number the holes that have the same name; unnamed groups are all called `var`."""
    count: Counter[str] = Counter()

    def number(match: re.Match[str]) -> str:
        name = match[1]
        count[name] += 1
        return match[0] if count[name] == 1 else f"{{{name}_{count[name]}}}"

    return HOLE.sub(number, path)


def _reachable(endpoints: Iterator[Endpoint]) -> list[Endpoint]:
    """Drop what an earlier pattern for the same paths hides: Django takes the first that matches."""
    first: dict[str, Endpoint] = {}
    for endpoint in endpoints:
        first.setdefault(endpoint.path_regex if HOLE.search(endpoint.path) else endpoint.path, endpoint)
    return list(first.values())


def _hooked(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Return the endpoints with the methods that the host's preprocessing hooks leave. Raises what a hook raises."""
    hooks = spectacular_settings.PREPROCESSING_HOOKS
    if not hooks:
        return endpoints
    rows = [(item.path, item.path_regex, method, item.callback) for item in endpoints for method in item.methods]
    for hook in hooks:
        rows = list(hook(endpoints=rows))
    left = {(regex, method, id(callback)) for _path, regex, method, callback in rows}
    return [
        replace(item, methods=tuple(m for m in item.methods if (item.path_regex, m, id(item.callback)) in left))
        for item in endpoints
    ]
