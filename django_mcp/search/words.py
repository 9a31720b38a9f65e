"""Words of names and prose in any language: how text is split, stemmed and compared, blind to case and accents."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

import inflection

MAX_TEXT = 20_000
MAX_STEMMED = 40
MAX_WORDS = 5_000
LEAST_MISSPELT = 5
LEAST_TWICE_MISSPELT = 8
MOST_MISSPELT = 24
MAX_COMPARED = 24

_WORD = re.compile(r"[^\W_]+")
# Where inflection.underscore() puts an underscore. Its own expressions take quadratic time for a row of capitals.
_HUMP = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z\d])(?=[A-Z])")
# Letters whose marks are apart are put in order in quadratic time, so a text is decomposed in parts of this length.
_PART = 256


def split(text: str, *, longest: int = MAX_TEXT, most: int = MAX_WORDS) -> list[str]:
    """Return the words of a text or a snake- or camel-cased name, in order, folded to plain lower case.

    At most `most` words of the first `longest` characters, as sent and as folded, which can be many times as long.
    """
    plain = "".join(_letters(text[:longest], longest))
    return [word[0].casefold() for word in islice(_WORD.finditer(_HUMP.sub("_", plain)), most)]


def _letters(text: str, longest: int) -> Iterator[str]:
    letters = (
        char
        for start in range(0, len(text), _PART)
        for char in unicodedata.normalize("NFKD", text[start : start + _PART])
        if not unicodedata.combining(char)
    )
    return islice(letters, longest)


def stems(text: str) -> list[str]:
    """Return the stems of a text's words, in order."""
    return [stem(word) for word in split(text)]


def stem(word: str) -> str:
    """Return the stem that a word shares with its plural and its plain English inflections.

    The index and the queries follow the same rule, so a stem need not be a word; it must only not bring together words
    that mean different things. Short words are left alone for that reason.
    """
    if not 4 <= len(word) <= MAX_STEMMED or not word.isascii() or not word.isalpha():
        return word
    return _stem(word)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    base = inflection.singularize(word)
    for suffix in ("ing", "ed", "ion"):
        rest = base.removesuffix(suffix)
        if rest != base and len(rest) >= (5 if suffix == "ion" else 4) and (suffix != "ion" or rest.endswith("t")):
            base = rest
            break
    if len(base) >= 6:
        base = base.removesuffix("e")
    return base[:-1] if len(base) > 4 and base[-1] == base[-2] else base


class Spelling:
    """Near spellings among known stems, found by the pairs of letters that they share."""

    def __init__(self, known: Iterable[str]) -> None:
        self._by_length: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for word in known:
            if LEAST_MISSPELT - 1 <= len(word) <= MOST_MISSPELT:
                for pair in _pairs(word):
                    self._by_length[len(word)][pair].append(word)

    def near(self, stem: str, word: str) -> list[tuple[str, int]]:
        """Return the known stems nearest to the stem of an unknown `word`, with the number of slips, one or two.

        Words of up to four letters have too many neighbours to guess, and those of more than two dozen are no words.
        Two slips are allowed from eight letters on.
        """
        if not LEAST_MISSPELT <= len(word) <= MOST_MISSPELT:
            return []
        allowed = 2 if len(word) >= LEAST_TWICE_MISSPELT else 1
        pairs = _pairs(stem)
        shared: Counter[str] = Counter()
        for length in range(len(stem) - allowed, len(stem) + allowed + 1):
            known = self._by_length.get(length, {})
            for pair in pairs:
                shared.update(known.get(pair, ()))
        # A slip spoils at most three pairs: those around two letters that changed places.
        enough = max(2, len(pairs) - 3 * allowed)
        likely = sorted((-count, candidate) for candidate, count in shared.items() if count >= enough)[:MAX_COMPARED]
        measured = [(candidate, slips(stem, candidate, allowed)) for _, candidate in likely]
        least = min((distance for _, distance in measured if distance <= allowed), default=0)
        return [(candidate, distance) for candidate, distance in measured if 0 < distance == least]


def _pairs(word: str) -> set[str]:
    framed = f"\0{word}\0"
    return {framed[at : at + 2] for at in range(len(framed) - 1)}


def slips(left: str, right: str, most: int) -> int:
    """Count the letters to insert, drop, replace or swap with a neighbour that turn one word into the other.

    For words that are more than `most` apart it returns `most + 1`.
    """
    # A cell farther from the diagonal than that cannot be part of so few slips.
    many = most + 1
    if abs(len(left) - len(right)) > most:
        return many
    before: list[int] = []
    above = [min(column, many) for column in range(len(right) + 1)]
    for row, letter in enumerate(left, 1):
        here = [many] * (len(right) + 1)
        here[0] = min(row, many)
        for column in range(max(1, row - most), min(len(right), row + most) + 1):
            other = right[column - 1]
            cost = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            here[column] = min(cost, many)
        before, above = above, here
    return above[-1]
