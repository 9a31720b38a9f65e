"""What the command prints: tables, and the doctor's complaints."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django_mcp.doctor import Complaint, Severity

WIDTH = 100
MAX_NAMES = 12


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as columns of equal width, two blanks apart, under a head."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def complaints_json(complaints: Sequence[Complaint]) -> str:
    """Return complaints as a JSON array."""
    return json.dumps([asdict(complaint) for complaint in complaints], indent=2, ensure_ascii=False)


def complaints_text(complaints: Sequence[Complaint], *, every: bool = False) -> str:
    """Return complaints for reading, a paragraph each in their order, and how many there are.

    Of a long list of names only the beginning is printed, unless `every` name is asked for.
    """
    paragraphs = []
    for complaint in complaints:
        names = complaint.about if every else complaint.about[:MAX_NAMES]
        more = len(complaint.about) - len(names)
        listed = ", ".join(names) + (f" and {more} more (--all names them)" if more else "")
        lines = (
            _wrapped(f"{complaint.severity.upper()}: {complaint.text}", indent=""),
            _wrapped(f"Cure: {complaint.cure}", indent="  "),
            _wrapped(f"About {len(complaint.about)}: {listed}", indent="  "),
        )
        paragraphs.append("\n".join(lines))
    return "\n\n".join([*paragraphs, tally(complaints)])


def _wrapped(text: str, *, indent: str) -> str:
    # Names are for copying: none is broken.
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def tally(complaints: Sequence[Complaint]) -> str:
    """Return how many complaints there are of each severity, on one line."""
    if not complaints:
        return "Nothing to complain of."
    counts = Counter(complaint.severity for complaint in complaints)
    return ", ".join(f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}" for kind in Severity) + "."
