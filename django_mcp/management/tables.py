"""Tables for the terminal."""

from collections.abc import Iterable, Sequence


def aligned(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as columns of equal width, two blanks apart, under a head."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )
