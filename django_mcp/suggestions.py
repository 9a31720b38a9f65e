"""Names that somebody may have meant."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the one of `known` that looks most like a name that is not among them, in any case; "" where none does."""
    folded = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else ""
