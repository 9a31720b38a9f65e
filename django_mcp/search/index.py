"""An index of operations by the stems of their words, kept in memory.

There is no list of stop words: a word that stands everywhere weighs next to nothing, in any language, and those that
hold an English sentence together weigh little.
"""

import difflib
import math
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from django.conf import settings
from django.utils import translation

from django_mcp.schema.operations import schema_for
from django_mcp.search import ranking, words
from django_mcp.search.ranking import ArgumentTexts, ArgumentTextsOf, argument_texts, rarity
from django_mcp.search.synonyms import FUNCTION_WORDS, PREPOSITIONS, RELATED
from django_mcp.types import Operation

MAX_QUERY = 500
MAX_NAME = 100
MAX_COMPARED = 50
MAX_WORDS = 32
MAX_GUESSED = 8
# A schema takes milliseconds to describe, in large applications tens of them; the first search waits for all.
MAX_DESCRIBED = 500


class Hit(NamedTuple):
    """An operation that matches.

    `weak` is True where only a common, a related or a misspelt word of the query did, or little of it.
    """

    operation: Operation
    score: float
    weak: bool


class _Postings(NamedTuple):
    """The operations that have a stem: its strength in each of them by number, its rarity and its greatest strength."""

    strengths: Mapping[int, float]
    rarity: float
    strongest: float


class _Meaning(NamedTuple):
    postings: _Postings
    weight: float


class _Term(NamedTuple):
    """A word of a query with its meanings. The first meaning of a known word is the word itself."""

    meanings: Sequence[_Meaning]
    weight: float
    is_known: bool
    is_function_word: bool = False

    @property
    def frequency(self) -> float:
        if self.is_function_word:
            return math.inf
        return sum(len(postings.strengths) for postings, _weight in self.meanings)

    @property
    def highest(self) -> float:
        """The highest score that the first meaning gives an operation."""
        postings, weight = self.meanings[0]
        return self.weight * weight * postings.strongest

    def scores(self, earlier: Mapping[int, float]) -> dict[int, float]:
        """Return the scores of the operations that have the word, of several meanings the best, by number.

        A frequent word, and one that only holds a sentence together, counts for nothing but operations that have an
        `earlier` score, unless none has.
        """
        is_limited = earlier and self.frequency > ranking.FREQUENT
        scores: dict[int, float] = {}
        for (strengths, _rarity, _strongest), meaning in self.meanings:
            weight = self.weight * meaning
            numbers = earlier.keys() & strengths.keys() if is_limited else strengths
            better = {number: weight * strengths[number] for number in numbers}
            for number in scores.keys() & better.keys():
                better[number] = max(better[number], scores[number])
            scores |= better
        return scores


class SearchIndex:
    """An index of operations by stems. It does not change once built.

    `arguments` gives the texts of an operation's arguments.
    """

    def __init__(self, operations: Sequence[Operation], arguments: ArgumentTextsOf | None = None) -> None:
        self._operations = sorted(operations, key=lambda operation: operation.name)
        strengths: dict[str, dict[int, float]] = defaultdict(dict)
        for number, by_stem in enumerate(ranking.strengths(self._operations, arguments)):
            for stem, strength in by_stem.items():
                strengths[stem][number] = strength
        self._postings = {
            stem: _Postings(numbers, self._rarity(numbers), max(numbers.values()))
            for stem, numbers in strengths.items()
        }
        self._names: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, operation in enumerate(self._operations):
            for name in {operation.name, *operation.hints.aliases}:
                self._names[tuple(map(words.stem, _query_words(name)))].append(number)
        self._thesaurus = {stem: meanings for stem in RELATED if (meanings := self._related_meanings(stem))}
        self._spelling = words.Spelling(self._postings.keys() | self._thesaurus.keys())

    def _rarity(self, numbers: Mapping[int, float] | set[int]) -> float:
        return rarity(len(numbers), len(self._operations))

    def _related_meanings(self, stem: str) -> list[_Meaning]:
        """Return the meanings that a stem of the thesaurus has here: itself, and the related stems.

        Stems of one meaning are as rare as all of them together: a catalog that has many words for it is about it.
        A frequent word is nothing that somebody who asks for another could mean.
        """
        related = [self._postings[other] for other in RELATED[stem] if other in self._postings]
        related = [postings for postings in related if len(postings.strengths) <= ranking.FREQUENT]
        known = self._own_meaning(stem)
        together = {number for postings in (*related, *(own for own, _ in known)) for number in postings.strengths}
        least = self._rarity(together) if together else 0.0
        return known + [_Meaning(other, ranking.RELATED_WORD * min(least, other.rarity)) for other in related]

    def _meanings(self, stem: str) -> list[_Meaning]:
        return self._thesaurus.get(stem) or self._own_meaning(stem)

    def _own_meaning(self, stem: str) -> list[_Meaning]:
        postings = self._postings.get(stem)
        return [_Meaning(postings, postings.rarity)] if postings else []

    def search(self, query: str) -> list[Hit]:
        """Return the operations that have a word of `query`, the best first, the same order each time.

        A query without a word finds nothing. Weak hits are marked, for the caller to show or not. Beside a rarer
        word, one that more than five hundred operations have only adds to what that finds. Only the first 32 words
        within the first 500 characters of a query count, and only the first 8 unknown ones may be misspelt.
        """
        query_words = _query_words(query)
        stems = tuple(map(words.stem, query_words))
        terms = sorted(self._terms(query_words) + self._compounds(stems), key=lambda term: term.frequency)
        highest = max((term.highest for term in terms if term.is_known), default=0.0)
        scores: dict[int, float] = {}
        strong: set[int] = set()
        for term in terms:
            added = term.scores(scores)
            for number, score in added.items():
                scores[number] = scores.get(number, 0.0) + score
            if term.is_known and term.highest >= ranking.WEAK_WORD * highest:
                strong |= added.keys() & term.meanings[0].postings.strengths.keys()
        best = max(scores.values(), default=0.0)
        for number in self._names.get(stems, ()):
            # The query is the very name.
            scores[number] = scores.get(number, 0.0) + best
            strong.add(number)
        enough = ranking.WEAK_HIT * max(scores.values(), default=0.0)
        # Sorts are stable and the operations stand by name, so equal scores come out by name.
        numbers = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
        return [
            Hit(self._operations[number], scores[number], number not in strong or scores[number] < enough)
            for number in numbers
        ]

    def _terms(self, query_words: Sequence[str]) -> list[_Term]:
        """Return the terms of a query, one for each of its words or, of an unknown word, for each near spelling."""
        terms: list[_Term] = []
        seen: set[str] = set()
        unknown = 0
        position = 1.0
        for word in query_words:
            stem = words.stem(word)
            meanings = self._meanings(stem)
            if stem not in seen and meanings:
                is_function_word = word in FUNCTION_WORDS
                weight = position * (ranking.FUNCTION_WORD if is_function_word else 1)
                terms.append(_Term(meanings, weight, stem in self._postings, is_function_word))
            elif stem not in seen and unknown < MAX_GUESSED:
                unknown += 1
                for near, slips in self._spelling.near(stem, word):
                    weight = position * ranking.MISSPELT[slips]
                    terms.append(_Term(self._meanings(near), weight, is_known=False))
            seen.add(stem)
            if word in PREPOSITIONS:
                position = ranking.QUALIFIER
        return terms

    def _compounds(self, stems: Sequence[str]) -> list[_Term]:
        """Return the terms of two neighbours in a query that the index has as one word."""
        compounds = [left + right for left, right in pairwise(stems) if left + right not in stems]
        meanings = [self._own_meaning(compound) for compound in compounds]
        return [_Term(meaning, ranking.JOINED, is_known=True) for meaning in meanings if meaning]

    def nearest(self, name: str) -> list[Operation]:
        """Return operations whose name or alias looks like `name`, the nearest first, for suggestions."""
        folded = name[:MAX_NAME].casefold()
        near: list[tuple[float, Operation]] = []
        for hit in self.search(name)[:MAX_COMPARED]:
            names = (hit.operation.name, *hit.operation.hints.aliases)
            likeness = max(difflib.SequenceMatcher(None, other.casefold(), folded).ratio() for other in names)
            if likeness >= ranking.SIMILAR_NAME or not hit.weak:
                near.append((likeness, hit.operation))
        return [operation for _, operation in sorted(near, key=lambda pair: (-pair[0], pair[1].name))]


def _query_words(query: str) -> list[str]:
    return words.split(query, longest=MAX_QUERY, most=MAX_WORDS)


@lru_cache(maxsize=16)
def index_for(operations: tuple[Operation, ...]) -> SearchIndex:
    """Return the index of these operations, built on first use, in `LANGUAGE_CODE`.

    It is an index of the operations that a caller may reach, not of the catalog: the rarity of a word, and whether it
    is known at all, would else tell of operations that the caller must not know of.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return SearchIndex(operations, _described if len(operations) <= MAX_DESCRIBED else None)


_describing = threading.Lock()


def _described(operation: Operation) -> ArgumentTexts:
    # Those who search first and at once would else all describe the whole API, each the slower for the others.
    with _describing:
        return _argument_texts(operation)


# An index is built for every reach; the texts of an operation's arguments are the same in all of them.
@lru_cache(maxsize=2 * MAX_DESCRIBED)
def _argument_texts(operation: Operation) -> ArgumentTexts:
    return argument_texts(schema_for(operation).input)
