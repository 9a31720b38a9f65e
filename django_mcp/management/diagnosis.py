"""What `mcp doctor` prints."""

import json
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from django_mcp.doctor import Complaint, Severity

WIDTH = 100
MAX_NAMES = 12


def as_json(complaints: Sequence[Complaint]) -> str:
    """Return complaints as a JSON array."""
    return json.dumps([asdict(complaint) for complaint in complaints], indent=2, ensure_ascii=False)


def as_text(complaints: Sequence[Complaint], *, every: bool = False) -> str:
    """Return complaints for reading, the worst first; of long lists of names the beginning only, unless asked for all."""
    return "\n\n".join([*(_paragraph(complaint, every=every) for complaint in complaints), tally(complaints)])


def tally(complaints: Sequence[Complaint]) -> str:
    """Return how many complaints there are of each severity, on one line."""
    counted = Counter(complaint.severity for complaint in complaints)
    said = ", ".join(f"{counted[kind]} {kind}{'' if counted[kind] == 1 else 's'}" for kind in Severity)
    return f"{said}." if complaints else "Nothing to complain of."


def _paragraph(complaint: Complaint, *, every: bool) -> str:
    names = complaint.about if every else complaint.about[:MAX_NAMES]
    more = len(complaint.about) - len(names)
    listed = ", ".join(names) + (f" and {more} more (--all names them)" if more else "")
    return "\n".join(
        [
            _wrapped(f"{complaint.severity.upper()}: {complaint.text}", ""),
            _wrapped(f"Cure: {complaint.cure}", "  "),
            _wrapped(f"About {len(complaint.about)}: {listed}", "  "),
        ]
    )


def _wrapped(text: str, indent: str) -> str:
    # Names are for copying: none is broken.
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
