"""The catalog: all operations of a URLconf, indexed once, without their schemas."""

import inspect
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator

from django_mcp.catalog import summaries
from django_mcp.catalog.endpoints import HOLE, Endpoint, enumerate_endpoints
from django_mcp.catalog.naming import Candidate, assign, derive, tidy, untidy
from django_mcp.catalog.problems import Problem, dangling, uninspectable
from django_mcp.catalog.summaries import app_label, has_own_authentication, present
from django_mcp.conf import conf
from django_mcp.decorators import hints_for
from django_mcp.host.handlers import action_name, handler_function, handler_name, infer, is_ambiguous
from django_mcp.schema import operations
from django_mcp.types import Operation, Safety


@dataclass(frozen=True, eq=False)
class Catalog:
    """All operations, by name, and what was found wrong on the way."""

    operations: tuple[Operation, ...]
    problems: tuple[Problem, ...]
    _by_name: dict[str, Operation] = field(default_factory=dict, repr=False)

    def get(self, name: str) -> Operation | None:
        """Return the operation of that name or alias, in whatever case, or None."""
        return self._by_name.get(name.casefold()) if isinstance(name, str) else None


_AMBIGUOUS = (
    "Counts as a write: the same code answers an unsafe method too. Declare its safety with mcp_operation(safety=…, "
    "actions=[…]), or give each method a function of its own."
)
_catalogs: dict[Any, Catalog] = {}
_lock = threading.RLock()


def get_catalog(urlconf: str | None = None) -> Catalog:
    """Return the catalog of a URLconf, by default of `ROOT_URLCONF`; it is indexed on first use.

    Texts and translated routes are in `LANGUAGE_CODE`. Never raises for what the host's code does: see `problems`.
    """
    key = urlconf or settings.ROOT_URLCONF
    catalog = _catalogs.get(key)
    if catalog is None:
        with _lock:
            catalog = _catalogs.get(key)
            if catalog is None:
                with translation.override(settings.LANGUAGE_CODE):
                    catalog = _catalogs[key] = _index(key)
    return catalog


def forget() -> None:
    """Drop all catalogs and their schemas, for changed settings."""
    with _lock:
        _catalogs.clear()
        summaries.forget()
        operations.forget()


def _index(urlconf: Any) -> Catalog:
    enumeration = enumerate_endpoints(urlconf)
    problems = list(enumeration.problems)
    generator: Any = SchemaGenerator(patterns=[])  # type: ignore[no-untyped-call]
    drafts: list[tuple[Candidate, Operation]] = []
    for endpoint in enumeration.endpoints:
        try:
            drafts += _drafts(endpoint, generator)
        except Exception as error:  # noqa: BLE001 - views are the host's code; one must not hide the rest
            problems.append(uninspectable(endpoint.path, error))
    names, collisions = assign([candidate for candidate, _draft in drafts])
    problems += collisions
    named = [replace(draft, name=name) for name, (_candidate, draft) in zip(names, drafts, strict=True)]
    operations = tuple(sorted((one for one in named if not _is_excluded(one)), key=lambda one: one.name.casefold()))
    by_name = _names(operations, problems)
    problems += dangling(operations, by_name)
    return Catalog(operations, tuple(problems), by_name)


def _drafts(endpoint: Endpoint, generator: Any) -> Iterator[tuple[Candidate, Operation]]:
    callback: Any = endpoint.callback
    view_class: type = callback.cls
    route, arguments = _template(endpoint, generator)
    functions = {method: _function(callback, view_class, method) for method in endpoint.methods}
    shared_code = _shared_code(callback, view_class)
    actions = {method: action_name(callback, view_class, method) for method in endpoint.methods}
    shared = Counter(actions.values())
    for method, function in functions.items():
        handler = handler_name(callback, method)
        hints = hints_for(view_class, callback, function, handler=handler)
        shown = present(endpoint, method, route, handler)
        if hints.exclude or shown.excluded:
            continue
        ambiguous = is_ambiguous(shared_code[method])
        candidate = Candidate(
            explicit=str(hints.name or shown.operation_id),
            derived=derive(
                url_name=endpoint.url_name,
                namespace=endpoint.namespace,
                route=route,
                action=actions[method],
                suffix=method if shared[actions[method]] > 1 and method != "GET" else "",
            ),
            method=method,
            route=route,
        )
        yield (
            candidate,
            Operation(
                name="",
                method=method,
                route=route,
                safety=infer(method, ambiguous=ambiguous, hints=hints),
                requires_approval=hints.requires_approval is True,
                group=hints.group or next(iter(shown.tags), "") or app_label(view_class),
                tags=shown.tags,
                summary=shown.summary_with(hints, actions[method]),
                description=hints.description or shown.description,
                callback=callback,
                view_class=view_class,
                handler=handler,
                path_arguments=arguments,
                hints=hints,
                own_authentication=has_own_authentication(view_class, callback),
                notes=_notes(method) if ambiguous and hints.safety is None else (),
                path_regex=endpoint.path_regex,
                namespace=endpoint.namespace,
            ),
        )


def _shared_code(callback: Any, view_class: Any) -> dict[str, frozenset[str]]:
    """Return, by method, all the methods that its handler's code answers, also those that are not listed."""
    answered = getattr(callback, "actions", None) or [
        method for method in view_class.http_method_names if hasattr(view_class, method)
    ]
    together: dict[int, set[str]] = {}
    for method in answered:
        function = _function(callback, view_class, method)
        # What decorators put around the same code does not make it other code.
        code = inspect.unwrap(function) if callable(function) else function
        together.setdefault(id(code), set()).add(method.upper())
    return {method: frozenset(methods) for methods in together.values() for method in methods}


def _function(callback: Any, view_class: type, method: str) -> Any:
    return handler_function(view_class, handler_name(callback, method))


def _template(endpoint: Endpoint, generator: Any) -> tuple[str, dict[str, str]]:
    """Return the route and, per hole, the name in the URL pattern; `pk` is called what the model calls it."""
    holes = HOLE.findall(endpoint.path)
    view_class = endpoint.callback.cls  # type: ignore[attr-defined]
    coerced = generator.coerce_path(endpoint.path, "", view_class)
    arguments = HOLE.findall(coerced)
    if len(set(arguments)) != len(holes):
        return endpoint.path, {hole: hole for hole in holes}
    return coerced, dict(zip(arguments, holes, strict=True))


def _notes(method: str) -> tuple[str, ...]:
    if infer(method) is not Safety.READ_ONLY:
        return ()
    return (_AMBIGUOUS,)


def _is_excluded(operation: Operation) -> bool:
    excluded = {str(entry).casefold() for entry in conf.EXCLUDE_OPERATIONS}
    asked = (operation.name, operation.group, operation.route, f"{operation.method} {operation.route}")
    return bool(excluded) and any(entry.casefold() in excluded for entry in asked)


def _names(operations: Sequence[Operation], problems: list[Problem]) -> dict[str, Operation]:
    by_name = {operation.name.casefold(): operation for operation in operations}
    for operation in operations:
        for said in map(str, operation.hints.aliases):
            alias = tidy(said)
            if alias != said:
                problems.append(untidy(operation.name, "alias", said, alias))
            if not alias:
                continue
            owner = by_name.setdefault(alias.casefold(), operation)
            if owner is not operation:
                text = f"Its alias {alias!r} already means {owner.name}."
                problems.append(Problem(operation.name, text, "Choose another alias."))
    return by_name
