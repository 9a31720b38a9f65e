"""Text for people and models: quoted from data on one line, bounded, and the names that somebody may have meant."""

import difflib
import unicodedata
from collections.abc import Iterable

MAX_QUOTED = 200
MAX_READ = 10
LEFT_OUT = "…"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the one of `known` that looks most like a name that is not among them, in any case; "" where none does."""
    folded = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else ""


def one_line(text: object, limit: int = MAX_QUOTED) -> str:
    """Return text from data as one line: no control or bidirectional characters, at most `limit` characters."""
    # Characters that are removed may come by the million.
    kept = str(text)[: MAX_READ * limit]
    # What is printable, as nearly all text is, has no such characters, and no spaces but the plain one.
    if not kept.isprintable():
        kept = "".join(
            " " if char.isspace() else char for char in kept if char.isspace() or unicodedata.category(char)[0] != "C"
        )
    kept = " ".join(kept.split())
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def quoted(text: object) -> str:
    """Return a value from data as a quoted, one-line string that cannot end its own quotation."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def clean_text(text: str) -> str:
    """Return text without what PostgreSQL cannot store."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
