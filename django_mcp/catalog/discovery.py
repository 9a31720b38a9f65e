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
from django_mcp.catalog.endpoints import Endpoint, enumerate_endpoints
from django_mcp.catalog.naming import Candidate, assign, derive, tidy, untidy
from django_mcp.catalog.problems import Problem, dangling, uninspectable
from django_mcp.catalog.restrictions import ignored
from django_mcp.catalog.summaries import present, shared_docstrings
from django_mcp.choices import Safety
from django_mcp.conf import conf
from django_mcp.decorators import hints_for
from django_mcp.host.handlers import HOLE, action_name, handler_function, handler_name, infer, is_ambiguous
from django_mcp.host.views import has_own_authentication
from django_mcp.schema import operations
from django_mcp.types import Operation


@dataclass(frozen=True, eq=False)
class Catalog:
    """All operations, by name, and what is wrong with the host's API for agents."""

    operations: tuple[Operation, ...]
    problems: tuple[Problem, ...]
    excludable: frozenset[str] = frozenset()
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
    if catalog is not None:
        return catalog
    with _lock, translation.override(settings.LANGUAGE_CODE):
        if key not in _catalogs:
            _catalogs[key] = _index(key)
        return _catalogs[key]


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
    shared = shared_docstrings(enumeration.endpoints)
    drafts: dict[Candidate, Operation] = {}
    for endpoint in enumeration.endpoints:
        try:
            drafts.update(_drafts(endpoint, generator, shared))
        except Exception as error:  # noqa: BLE001 - views are the host's code; one must not hide the rest
            problems.append(uninspectable(endpoint.path, error))
    names, collisions = assign({candidate: draft for candidate, draft in drafts.items() if not draft.hints.exclude})
    problems += collisions
    excluded = {str(entry).casefold() for entry in conf.EXCLUDE_OPERATIONS}
    excludable: set[str] = set()
    included: list[Operation] = []
    for candidate, draft in drafts.items():
        operation = replace(draft, name=names.get(candidate) or candidate.explicit or candidate.derived)
        entries = _exclusions(operation)
        excludable.update(entries)
        if not operation.hints.exclude and excluded.isdisjoint(map(str.casefold, entries)):
            included.append(operation)
    operations = tuple(sorted(included, key=lambda operation: operation.name.casefold()))
    by_name = _by_name(operations, problems)
    problems += [*dangling(operations, by_name), *ignored(enumeration.routed, operations)]
    return Catalog(operations, tuple(problems), frozenset(excludable), by_name)


def _drafts(endpoint: Endpoint, generator: Any, shared: frozenset[str]) -> Iterator[tuple[Candidate, Operation]]:
    """Yield the operations of an endpoint without their names, each beside the names that it may get."""
    callback, view_class = endpoint.callback, endpoint.view_class
    route, arguments = _template(endpoint, generator)
    answered = _methods_by_code(endpoint)
    actions = {method: action_name(callback, view_class, method) for method in endpoint.methods}
    sharing = Counter(actions.values())
    for method, action in actions.items():
        draft = _draft(endpoint, method, ambiguous=is_ambiguous(answered[method]))
        draft = replace(draft, route=route, path_arguments=arguments)
        texts = present(draft, action, shared)
        hints = replace(draft.hints, exclude=draft.hints.exclude or texts.excluded)
        name = derive(
            url_name=endpoint.url_name,
            namespace=endpoint.namespace,
            route=route,
            action=action,
            suffix=method if sharing[action] > 1 and method != "GET" else "",
        )
        explicit = str(draft.hints.name or texts.operation_id)
        yield (
            Candidate(explicit=explicit, derived=name, method=method, route=route),
            replace(
                draft,
                hints=hints,
                group=texts.group,
                tags=texts.tags,
                summary=texts.summary,
                description=texts.description,
                own_authentication=has_own_authentication(draft),
            ),
        )


def _draft(endpoint: Endpoint, method: str, *, ambiguous: bool) -> Operation:
    """Return an operation with what is known of it before its view is made."""
    handler = handler_name(endpoint.callback, method)
    function = handler_function(endpoint.view_class, handler)
    action = action_name(endpoint.callback, endpoint.view_class, method)
    hints = hints_for(endpoint.view_class, endpoint.callback, function, handler=handler, action=action)
    promises_to_read = infer(method) is Safety.READ_ONLY
    return Operation(
        name="",
        method=method,
        route=endpoint.path,
        safety=infer(method, ambiguous=ambiguous, hints=hints),
        requires_approval=hints.requires_approval is True,
        group="",
        callback=endpoint.callback,
        view_class=endpoint.view_class,
        handler=handler,
        path_regex=endpoint.path_regex,
        namespace=endpoint.namespace,
        hints=hints,
        notes=(_AMBIGUOUS,) if ambiguous and promises_to_read and hints.safety is None else (),
    )


def _methods_by_code(endpoint: Endpoint) -> dict[str, frozenset[str]]:
    """Return, by method, all the methods that its handler's code answers, also those that are not listed."""
    callback, view_class = endpoint.callback, endpoint.view_class
    answered = getattr(callback, "actions", None) or [
        method for method in view_class.http_method_names if hasattr(view_class, method)
    ]
    groups: dict[int, set[str]] = {}
    for method in answered:
        function = handler_function(view_class, handler_name(callback, method))
        # What decorators put around the same code does not make it other code.
        code = inspect.unwrap(function) if callable(function) else function
        groups.setdefault(id(code), set()).add(method.upper())
    return {method: frozenset(methods) for methods in groups.values() for method in methods}


def _template(endpoint: Endpoint, generator: Any) -> tuple[str, dict[str, str]]:
    """Return the route and, per hole, the name in the URL pattern; `pk` is called what the model calls it."""
    holes = HOLE.findall(endpoint.path)
    coerced = generator.coerce_path(endpoint.path, "", endpoint.view_class)
    arguments = HOLE.findall(coerced)
    if len(set(arguments)) != len(holes):
        return endpoint.path, {hole: hole for hole in holes}
    return coerced, dict(zip(arguments, holes, strict=True))


def _exclusions(operation: Operation) -> tuple[str, ...]:
    """Return what `EXCLUDE_OPERATIONS` can name an operation by."""
    route = operation.route
    return (operation.name, *operation.hints.aliases, operation.group, route, f"{operation.method} {route}")


def _by_name(operations: Sequence[Operation], problems: list[Problem]) -> dict[str, Operation]:
    """Return the operations by name and alias, casefolded, and report the aliases that cannot be used."""
    by_name = {operation.name.casefold(): operation for operation in operations}
    for operation in operations:
        for declared in map(str, operation.hints.aliases):
            alias = tidy(declared)
            if alias != declared:
                problems.append(untidy(operation.name, "alias", declared, alias))
            if not alias:
                continue
            owner = by_name.setdefault(alias.casefold(), operation)
            if owner is not operation:
                text = f"Its alias {alias!r} already means {owner.name}."
                problems.append(Problem(operation.name, text, "Choose another alias."))
    return by_name
