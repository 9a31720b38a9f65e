"""What is wrong with the host's API as far as agents are concerned: for system checks and for staff, never for a model."""

from dataclasses import dataclass

from django_mcp import incidents


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
    incidents.report(f"The endpoint {subject} cannot be inspected.", error)
    text = f"This endpoint cannot be inspected ({type(error).__name__}), so agents do not see it."
    cure = "Correct the view: it must be importable, and made without a request. The traceback is in the log."
    return Problem(subject, text, cure, hides=True)
