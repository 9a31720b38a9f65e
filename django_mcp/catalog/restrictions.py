"""What restricts and matches nothing: declarations of the host's views that would be ignored in silence."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django_mcp.catalog.endpoints import Endpoint
from django_mcp.catalog.problems import Problem
from django_mcp.decorators import ACTIONS, METHODS, OPERATION_ATTRIBUTE
from django_mcp.host.handlers import action_name, handler_function, handler_name
from django_mcp.host.views import declared
from django_mcp.options import cure
from django_mcp.types import Operation


def ignored(endpoints: Sequence[Endpoint], operations: Iterable[Operation]) -> list[Problem]:
    """Return a problem for each action, handler and field that `mcp_operation` names or decorates and nothing has."""
    handlers: dict[Any, set[str]] = {}
    for endpoint in endpoints:
        for method in endpoint.methods:
            handler = handler_name(endpoint.callback, method)
            names = {handler, action_name(endpoint.callback, endpoint.view_class, method) or handler}
            function = handler_function(endpoint.view_class, handler)
            for owner in (*endpoint.view_class.__mro__, endpoint.callback, function):
                handlers.setdefault(owner, set()).update(names)
    problems = [*_ignored_actions(handlers), *_ignored_methods(handlers), *_ignored_columns(operations)]
    return list(dict.fromkeys(problems))


def _ignored_actions(handlers: Mapping[Any, set[str]]) -> Iterator[Problem]:
    for owner, names in handlers.items():
        for action in getattr(owner, "__dict__", {}).get(OPERATION_ATTRIBUTE, ()):
            # The action of a class may well have no route: then it is not offered either.
            unrouted = isinstance(owner, type) and action in METHODS | ACTIONS
            if action is not None and action not in names and not unrouted:
                text = f"mcp_operation(actions=[{action!r}]) is about no action of it that a route leads to, and is ignored."
                yield _problem(owner, text, cure(action, names))


def _ignored_methods(handlers: Mapping[Any, set[str]]) -> Iterator[Problem]:
    for owner, names in handlers.items():
        for name, member in vars(owner).items() if isinstance(owner, type) else ():
            decorated = inspect.isfunction(member) and OPERATION_ATTRIBUTE in vars(member)
            # A method with a mapping is an extra action, that a router may leave out.
            if decorated and not hasattr(member, "mapping") and name not in names | METHODS | ACTIONS:
                text = f"mcp_operation() on {name}() is ignored: no route leads to this method."
                yield _problem(owner, text, f"Decorate what answers the request. {cure(name, names)}")


def _ignored_columns(operations: Iterable[Operation]) -> Iterator[Problem]:
    for operation in operations:
        known = _fields(operation) if operation.hints.volatile_fields else set()
        for name in operation.hints.volatile_fields:
            if known and name not in known:
                text = f"mcp_operation(volatile_fields=[{name!r}]) names no field of its model or serializer, and is ignored."
                yield Problem(operation.name, text, cure(name, known), restricts=True)


def _fields(operation: Operation) -> set[str]:
    """Return the names of the fields of an operation's model and serializer, none where they are not known."""
    serializer = declared(operation, "serializer_class")
    meta = getattr(serializer, "Meta", None)
    model = getattr(declared(operation, "queryset"), "model", None) or getattr(meta, "model", None)
    if model is None:
        return set()
    options = model._meta  # noqa: SLF001 - Django documents it
    columns = {name for field in options.get_fields() for name in (field.name, getattr(field, "attname", field.name))}
    listed = getattr(meta, "fields", ())
    return columns | {
        *getattr(serializer, "_declared_fields", ()),
        *(listed if isinstance(listed, list | tuple) else ()),
    }


def _problem(owner: Any, text: str, remedy: str) -> Problem:
    return Problem(f"{owner.__module__}.{getattr(owner, '__qualname__', '')}", text, remedy, restricts=True)
