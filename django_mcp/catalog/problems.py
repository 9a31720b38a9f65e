"""What is wrong with the host's API as far as agents are concerned: for system checks and for staff, never for a model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django_mcp import error_reports
from django_mcp.text import nearest
from django_mcp.types import Operation


@dataclass(frozen=True)
class Problem:
    """One finding: `subject` is what it is about (a route, a name), `cure` what to do about it.

    `hides` is True where agents do not see what it is about.
    """

    subject: str
    text: str
    cure: str
    hides: bool = False


def uninspectable(subject: str, error: Exception) -> Problem:
    """Log what the host's view raised, and return that agents do not see its endpoint."""
    error_reports.report(f"The endpoint {subject} cannot be inspected.", error)
    text = f"This endpoint cannot be inspected ({type(error).__name__}), so agents do not see it."
    cure = "Correct the view: it must be importable, and made without a request. The traceback is in the log."
    return Problem(subject, text, cure, hides=True)


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
