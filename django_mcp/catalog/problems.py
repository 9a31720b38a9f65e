"""What is wrong with the host's API for agents. System checks and staff read it, never a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django_mcp import error_reports
from django_mcp.text import nearest
from django_mcp.types import Operation


@dataclass(frozen=True)
class Problem:
    """One problem of a route or an operation, which `subject` names, and its cure.

    `hides` is True where agents do not see the subject, `restricts` where a restriction of it is ignored.
    """

    subject: str
    text: str
    cure: str
    hides: bool = False
    restricts: bool = False


def uninspectable(subject: str, error: Exception) -> Problem:
    """Log the exception of a host's view, and return that agents do not see its endpoint."""
    error_reports.report(f"The endpoint {subject} cannot be inspected.", error)
    text = f"This endpoint cannot be inspected ({type(error).__name__}), so agents do not see it."
    cure = "Correct the view: it must be importable, and made without a request. The traceback is in the log."
    return Problem(subject, text, cure, hides=True)


def dangling(operations: Iterable[Operation], known: Mapping[str, Operation]) -> list[Problem]:
    """Report the names in `mcp_operation` that no operation has, each name once.

    `known` are the operations by name and alias, casefolded.
    """
    referring: dict[tuple[str, str], list[Operation]] = {}
    for operation in operations:
        hints = operation.hints
        references = {
            "prerequisites": hints.prerequisites,
            "preview": (hints.preview,) if hints.preview else (),
            "follow_ups": hints.follow_ups,
        }
        for option, name in ((option, str(name)) for option, names in references.items() for name in names):
            if name.casefold() not in known:
                referring.setdefault((option, name), []).append(operation)
    return [_dangling(option, name, operations, known) for (option, name), operations in referring.items()]


def _dangling(option: str, name: str, operations: list[Operation], known: Mapping[str, Operation]) -> Problem:
    more = f" So it is with {len(operations) - 1} more." if len(operations) > 1 else ""
    text = f"mcp_operation({option}=…) names {name!r}, which is no operation; agents are not told of it.{more}"
    near = nearest(name, known)
    cure = f"Did you mean {known[near].name!r}?" if near else "`manage.py mcp operations` lists what there is."
    return Problem(operations[0].name, text, cure)
