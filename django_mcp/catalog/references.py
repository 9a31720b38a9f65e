"""What operations say of each other: names that must be there, and may be mistyped."""

from collections.abc import Iterable, Iterator, Mapping

from django_mcp.catalog.problems import Problem
from django_mcp.suggestions import nearest
from django_mcp.vocabulary import Operation


def dangling(operations: Iterable[Operation], known: Mapping[str, Operation]) -> list[Problem]:
    """Report what `mcp_operation` says of operations that do not exist, once for each such name.

    `known` are the operations by name and alias, casefolded.
    """
    found: dict[tuple[str, str], list[Operation]] = {}
    for operation in operations:
        for option, name in _named(operation):
            if name.casefold() not in known:
                found.setdefault((option, name), []).append(operation)
    return [_problem(option, name, places, known) for (option, name), places in found.items()]


def _named(operation: Operation) -> Iterator[tuple[str, str]]:
    hints = operation.hints
    preview = (hints.preview,) if hints.preview else ()
    for option, names in (
        ("prerequisites", hints.prerequisites),
        ("preview", preview),
        ("follow_ups", hints.follow_ups),
    ):
        yield from ((option, str(name)) for name in names)


def _problem(option: str, name: str, places: list[Operation], known: Mapping[str, Operation]) -> Problem:
    more = f" So it is with {len(places) - 1} more." if len(places) > 1 else ""
    text = f"mcp_operation({option}=…) names {name!r}, which is no operation; agents are not told of it.{more}"
    near = nearest(name, known)
    cure = f"Did you mean {known[near].name!r}?" if near else "`manage.py mcp operations` lists what there is."
    return Problem(places[0].name, text, cure)
