"""What is wrong with the host's API as far as agents are concerned: for system checks and for staff, never for a model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One finding: `subject` is what it is about (a route, a name), `cure` what to do about it.

    `hides` is True where agents do not see what it is about.
    """

    subject: str
    text: str
    cure: str
    hides: bool = False
