"""Finding operations by words: a dictionary of words with their rarity, kept in memory.

There is no list of stop words: a word that stands everywhere weighs next to nothing, in any language, and those that
hold an English sentence together weigh little.
"""

import difflib
import math
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from django.conf import settings
from django.utils import translation

from django_mcp.schema.operations import schema_for
from django_mcp.search import words
from django_mcp.search.ranking import Arguments, ArgumentTexts, argument_texts, strengths
from django_mcp.search.synonyms import FUNCTION_WORDS, RELATED
from django_mcp.types import Operation

RELATED_WORD = 0.8
JOINED = 0.3
QUALIFIER = 0.8
FUNCTION_WORD = 0.2
MISSPELT = {1: 0.6, 2: 0.4}
WEAK_WORD = 0.35
WEAK_SCORE = 0.3
NEAR_NAME = 0.6
MAX_QUERY = 500
MAX_NAME = 100
MAX_COMPARED = 50
MAX_WORDS = 32
MAX_GUESSED = 8
FREQUENT = 500
# A schema takes milliseconds to describe, in large applications tens of them; the first search waits for all.
MAX_DESCRIBED = 500

_PREPOSITIONS = frozenset({"for", "of", "in", "by", "from", "with"})


class Hit(NamedTuple):
    """An operation that matches.

    `weak` is True where only a common, a related or a misspelt word did, or little of the query.
    """

    operation: Operation
    score: float
    weak: bool


class _Word(NamedTuple):
    """Where a stem stands, by the place of the operation, and how much it counts there."""

    strengths: Mapping[int, float]
    rarity: float
    most: float


class _Meaning(NamedTuple):
    word: _Word
    factor: float


class _Term(NamedTuple):
    """What a word of a query may mean: of a `known` one, first of all itself.

    A frequent word, and one that only holds a sentence together, finds nothing but what has a score already.
    """

    meanings: Sequence[_Meaning]
    factor: float
    known: bool
    function: bool = False

    @property
    def frequency(self) -> float:
        return math.inf if self.function else sum(len(word.strengths) for word, _ in self.meanings)

    @property
    def most(self) -> float:
        word, factor = self.meanings[0]
        return self.factor * factor * word.most

    def found(self, scores: Mapping[int, float]) -> Mapping[int, float]:
        """Return the score of each operation that has the word, of several meanings the best."""
        only = scores.keys() if scores and self.frequency > FREQUENT else None
        found: dict[int, float] = {}
        for word, factor in self.meanings:
            weight = self.factor * factor
            strengths = word.strengths
            places = strengths if only is None else only & strengths.keys()
            more = {place: weight * strengths[place] for place in places}
            for place in found.keys() & more.keys():
                more[place] = max(more[place], found[place])
            found |= more
        return found


class SearchIndex:
    """A dictionary from the stem of a word to the operations that have it.

    `arguments` gives the texts of an operation's arguments. The index does not change once built.
    """

    def __init__(self, operations: Sequence[Operation], arguments: Arguments | None = None) -> None:
        self._operations = sorted(operations, key=lambda operation: operation.name)
        found: dict[str, dict[int, float]] = defaultdict(dict)
        for place, counted in enumerate(strengths(self._operations, arguments)):
            for stem, strength in counted.items():
                found[stem][place] = strength
        self._words = {stem: self._word(places) for stem, places in found.items()}
        self._whole: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, operation in enumerate(self._operations):
            for name in {operation.name, *operation.hints.aliases}:
                self._whole[tuple(map(words.stem, _asked(name)))].append(place)
        self._related = {stem: meanings for stem in RELATED if (meanings := self._meant(stem))}
        self._spelling = words.Spelling(self._words.keys() | self._related.keys())

    def _word(self, strengths: Mapping[int, float]) -> _Word:
        return _Word(strengths, self._rarity(len(strengths)), max(strengths.values()))

    def _rarity(self, places: int) -> float:
        # Even a word that all have counts for something: in a small catalog it may be the very subject.
        return math.log(1 + len(self._operations) / places)

    def _meant(self, stem: str) -> list[_Meaning]:
        """Return what a stem of the thesaurus may mean here.

        Words of one meaning are as rare as all of them together: a catalog that has many words for it is about it.
        A frequent word is nothing that somebody who asks for another could mean.
        """
        known = self._words.get(stem)
        found = (self._words[other] for other in RELATED[stem] if other in self._words)
        others = [other for other in found if len(other.strengths) <= FREQUENT]
        together = set(known.strengths if known else ()).union(*(other.strengths for other in others))
        rarity = self._rarity(len(together)) if together else 0.0
        meanings = [_Meaning(known, known.rarity)] if known else []
        return meanings + [_Meaning(other, RELATED_WORD * min(rarity, other.rarity)) for other in others]

    def search(self, query: str) -> list[Hit]:
        """Return the operations that have a word of `query`, the best first, the same order each time.

        A query without a word finds nothing. Weak hits are marked, for the caller to show or not. Beside a rarer
        word, one that more than five hundred operations have only adds to what that finds. Only the first 32 words
        within the first 500 characters of a query count, and only the first 8 unknown ones may be misspelt.
        """
        parts = _asked(query)
        terms = sorted(self._terms(parts), key=lambda term: term.frequency)
        scores: dict[int, float] = {}
        strong: set[int] = set()
        most = max((term.most for term in terms if term.known), default=0.0)
        for term in terms:
            found = term.found(scores)
            for place, score in found.items():
                scores[place] = scores.get(place, 0.0) + score
            if term.known and term.most >= WEAK_WORD * most:
                strong |= found.keys() & term.meanings[0].word.strengths.keys()
        best = max(scores.values(), default=0.0)
        for place in self._whole.get(tuple(map(words.stem, parts)), ()):
            scores[place] = scores.get(place, 0.0) + best
            strong.add(place)
        return self._hits(scores, strong)

    def _hits(self, scores: Mapping[int, float], strong: set[int]) -> list[Hit]:
        operations = self._operations
        enough = WEAK_SCORE * max(scores.values(), default=0.0)
        # Sorts are stable and the operations stand by name, so equal scores come out by name.
        places = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
        return [Hit(operations[at], scores[at], at not in strong or scores[at] < enough) for at in places]

    def _terms(self, parts: Sequence[str]) -> Iterator[_Term]:
        seen: set[str] = set()
        position = 1.0
        guessed = 0
        for word in parts:
            stem = words.stem(word)
            if stem not in seen:
                seen.add(stem)
                meanings = self._meanings(stem)
                function = word in FUNCTION_WORDS
                factor = position * (FUNCTION_WORD if function else 1)
                if meanings:
                    yield _Term(meanings, factor, stem in self._words, function)
                elif guessed < MAX_GUESSED:
                    guessed += 1
                    yield from self._guesses(word, stem, position)
            if word in _PREPOSITIONS:
                position = QUALIFIER
        for left, right in pairwise(map(words.stem, parts)):
            joined = self._words.get(left + right)
            if joined and left + right not in seen:
                yield _Term([_Meaning(joined, joined.rarity)], JOINED, known=True)

    def _meanings(self, stem: str) -> list[_Meaning]:
        known = self._words.get(stem)
        return self._related.get(stem) or ([_Meaning(known, known.rarity)] if known else [])

    def _guesses(self, word: str, stem: str, factor: float) -> Iterator[_Term]:
        for near, distance in self._spelling.near(stem, word):
            yield _Term(self._meanings(near), factor * MISSPELT[distance], known=False)

    def nearest(self, name: str) -> list[Operation]:
        """Return operations whose name or alias looks like `name`, the nearest first, for suggestions."""
        wanted = name[:MAX_NAME].casefold()
        close: list[tuple[float, Operation]] = []
        for hit in self.search(name)[:MAX_COMPARED]:
            names = (hit.operation.name, *hit.operation.hints.aliases)
            ratio = max(difflib.SequenceMatcher(None, known.casefold(), wanted).ratio() for known in names)
            if ratio >= NEAR_NAME or not hit.weak:
                close.append((ratio, hit.operation))
        return [operation for _, operation in sorted(close, key=lambda pair: (-pair[0], pair[1].name))]


def _asked(query: str) -> list[str]:
    return words.split(query, longest=MAX_QUERY, most=MAX_WORDS)


@lru_cache(maxsize=16)
def index_for(operations: tuple[Operation, ...]) -> SearchIndex:
    """Return the index of these operations, built on first use, in `LANGUAGE_CODE`.

    It is an index of what a caller may reach, not of the catalog: the rarity of a word, and whether it is known at
    all, would else tell of operations that the caller must not know of.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return SearchIndex(operations, _described if len(operations) <= MAX_DESCRIBED else None)


_describing = threading.Lock()


def _described(operation: Operation) -> ArgumentTexts:
    # Those who search first and at once would else all describe the whole API, each the slower for the others.
    with _describing:
        return _arguments(operation)


# An index is built for every reach; what the operations say of their arguments is the same in all of them.
@lru_cache(maxsize=2 * MAX_DESCRIBED)
def _arguments(operation: Operation) -> ArgumentTexts:
    return argument_texts(schema_for(operation).input)
