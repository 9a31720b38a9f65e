"""Text for people and models: quotations from data on one bounded line, and the nearest of known names."""

import difflib
import unicodedata
from collections.abc import Iterable

MAX_QUOTED = 200
# How many times the limit is read: characters that are removed may come by the million.
MAX_READ = 10
LEFT_OUT = "…"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name whose spelling is nearest to `name`, whatever their case; "" where none is near."""
    known_by_folded = {other.casefold(): other for other in known}
    matches = difflib.get_close_matches(name.casefold(), known_by_folded, n=1)
    return known_by_folded[matches[0]] if matches else ""


def one_line(text: object, limit: int = MAX_QUOTED) -> str:
    """Return text from data as one line: no control or bidirectional characters, at most `limit` characters."""
    line = str(text)[: MAX_READ * limit]
    # Printable text, as nearly all text is, has no such characters, and no spaces but the plain one.
    if not line.isprintable():
        line = "".join(
            " " if char.isspace() else char for char in line if char.isspace() or unicodedata.category(char)[0] != "C"
        )
    line = " ".join(line.split())
    return line if len(line) <= limit else line[: limit - 1] + LEFT_OUT


def quoted(text: object) -> str:
    """Return a value from data as a quoted, one-line string that cannot end its own quotation."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def clean_text(text: str) -> str:
    """Return text with NUL and lone surrogates, which PostgreSQL cannot store, replaced."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
