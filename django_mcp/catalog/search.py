"""Finding operations by words: a dictionary of words with their rarity, kept in memory.

There is no list of stop words: a word that stands everywhere weighs next to nothing, in any language.
"""

import difflib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import translation

from django_mcp.catalog import words
from django_mcp.catalog.schema import schema_for
from django_mcp.vocabulary import Operation, Safety

# The least of these is more than half of the greatest, so that two words found outrank one found in a better place.
NAME, ALIASES, KEYWORDS, TAGS, WHEN_TO_USE, DESCRIPTION, ROUTE, VALUES, VERB = (
    4.0,
    3.7,
    3.4,
    3.1,
    2.6,
    2.3,
    2.1,
    1.8,
    1.2,
)
REPEATED = 0.2
SHORT_WORD = 0.05
QUALIFIER = 0.75
MISSPELT = {1: 0.6, 2: 0.4}
WEAK_WORD = 0.35
WEAK_SCORE = 0.3
NEAR_NAME = 0.6
MAX_QUERY = 500
MAX_NAME = 100
MAX_COMPARED = 50
MAX_WORDS = 32
MAX_GUESSED = 8
FREQUENT = 1000
# A schema takes milliseconds to describe; beyond this many the first search would wait for seconds.
MAX_DESCRIBED = 1000

_PREPOSITIONS = frozenset({"for", "of", "in", "by", "from", "with"})
_CLASSES = {
    "create": ("create", "add", "new", "make", "place", "post", "insert"),
    "read": ("list", "show", "get", "find", "view", "read", "fetch", "retrieve", "lookup"),
    "update": ("update", "change", "edit", "modify", "patch", "put"),
    "delete": ("delete", "remove", "cancel", "destroy", "erase"),
}
_VERBS = {words.stem(verb): f"\0{name}" for name, verbs in _CLASSES.items() for verb in verbs}
_HANDLERS = {
    "create": "\0create", "post": "\0create", "update": "\0update", "partial_update": "\0update", "put": "\0update",
    "patch": "\0update", "destroy": "\0delete", "delete": "\0delete",
}  # fmt: skip

Enumerations = Callable[[Operation], Iterable[str]]


class Hit(NamedTuple):
    """An operation that matches. `weak` is True where only a common or a misspelt word did, or little of the query."""

    operation: Operation
    score: float
    weak: bool


class _Postings(NamedTuple):
    weights: Mapping[int, float]
    most: float


class _Term(NamedTuple):
    """A word of a query: `sure` is False where it is not this very word that the operations have."""

    postings: _Postings
    factor: float
    sure: bool

    @property
    def most(self) -> float:
        return self.postings.most * self.factor


class SearchIndex:
    """A dictionary from the stem of a word to the operations that have it.

    `enumerations` gives the values of an operation's enumerated arguments. The index does not change once built.
    """

    def __init__(self, operations: Sequence[Operation], enumerations: Enumerations | None = None) -> None:
        self._operations = sorted(operations, key=lambda operation: operation.name)
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._whole: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, operation in enumerate(self._operations):
            for word, weight in _weights(operation, enumerations).items():
                found[word].append((place, weight))
            for name in {operation.name, *operation.hints.aliases}:
                self._whole[tuple(map(words.stem, _asked(name)))].append(place)
        self._postings = {word: self._weighed(postings) for word, postings in found.items()}
        self._spelling = words.Spelling(word for word in self._postings if not word.startswith("\0"))

    def _weighed(self, postings: list[tuple[int, float]]) -> _Postings:
        # Even a word that all have counts for something: in a small catalog it may be the very subject.
        rarity = math.log(1 + len(self._operations) / len(postings))
        weights = {place: weight * rarity for place, weight in postings}
        return _Postings(weights, max(weights.values()))

    def search(self, query: str) -> list[Hit]:
        """Return the operations that have a word of `query`, the best first, the same order each time.

        A query without a word finds nothing. Weak hits are marked, for the caller to show or not. Beside a rarer
        word, one that more than a thousand operations have only adds to what that finds. Only the first 32 words
        within the first 500 characters of a query count, and only the first 8 unknown ones may be misspelt.
        """
        parts = _asked(query)
        terms = sorted(self._terms(parts), key=lambda term: len(term.postings.weights))
        scores: dict[int, float] = {}
        strong: set[int] = set()
        most = max((term.most for term in terms if term.sure), default=0.0)
        for term in terms:
            _add(scores, term)
            if term.sure and term.most >= WEAK_WORD * most:
                strong.update(term.postings.weights)
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
        factor = 1.0
        guessed = 0
        for word in parts:
            stem = words.stem(word)
            if stem not in seen:
                seen.add(stem)
                known = list(self._known(stem, factor))
                yield from known
                if not known and guessed < MAX_GUESSED:
                    guessed += 1
                    yield from self._guesses(word, stem, factor)
            if word in _PREPOSITIONS:
                factor = QUALIFIER
        for left, right in pairwise(parts):
            joined = self._postings.get(words.stem(left + right))
            if joined and words.stem(left + right) not in seen:
                yield _Term(joined, 1.0, sure=True)

    def _known(self, stem: str, factor: float) -> Iterator[_Term]:
        known = self._postings.get(stem)
        verb = self._postings.get(_VERBS.get(stem, ""))
        if known:
            yield _Term(known, factor, sure=True)
        if verb:
            yield _Term(verb, factor, sure=False)

    def _guesses(self, word: str, stem: str, factor: float) -> Iterator[_Term]:
        for near, distance in self._spelling.near(stem, word):
            yield _Term(self._postings[near], factor * MISSPELT[distance], sure=False)

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


def _add(scores: dict[int, float], term: _Term) -> None:
    weights, factor = term.postings.weights, term.factor
    if scores and len(weights) > FREQUENT:
        for place in scores.keys() & weights.keys():
            scores[place] += weights[place] * factor
        return
    for place, weight in weights.items():
        scores[place] = scores.get(place, 0.0) + weight * factor


def _weights(operation: Operation, enumerations: Enumerations | None) -> dict[str, float]:
    """Return the weight of every stem of an operation: its best place, and a little for each further one."""
    hints = operation.hints
    values = enumerations(operation) if enumerations else ()
    fields: list[tuple[float, Iterable[str]]] = [
        (NAME, (operation.name,)),
        (ALIASES, hints.aliases),
        (KEYWORDS, hints.keywords),
        (TAGS, (operation.group, *operation.tags)),
        (WHEN_TO_USE, (hints.when_to_use or "",)),
        (DESCRIPTION, (operation.summary, operation.description, hints.description or "")),
        (ROUTE, (operation.route,)),
        (VALUES, values),
    ]
    weights: dict[str, float] = {_class_of(operation): VERB}
    for weight, texts in fields:
        for word, strength in _field(weight, texts).items():
            known = weights.get(word)
            weights[word] = strength if known is None else known + REPEATED * strength
    return weights


def _field(weight: float, texts: Iterable[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        parts = words.split(str(text))
        named = weight >= ALIASES
        # Of two names that have the word, the shorter one is about it.
        strength = weight * (0.7 + 0.6 / len(parts)) if named and parts else weight
        for part in parts:
            prose = weight in (WHEN_TO_USE, DESCRIPTION) and len(part) <= 3
            found[words.stem(part)] = strength * SHORT_WORD if prose else strength
        if named:
            for left, right in pairwise(parts):
                found.setdefault(words.stem(left + right), strength)
    return found


def _class_of(operation: Operation) -> str:
    if operation.safety is Safety.READ_ONLY:
        return "\0read"
    if operation.safety is Safety.DESTRUCTIVE:
        return "\0delete"
    # What any other action does is not known from its method.
    return _HANDLERS.get(operation.handler, "\0other")


def enumerated(schema: Any) -> Iterator[str]:
    """Yield the texts among the enumerated values of a JSON Schema, at any depth."""
    if isinstance(schema, Mapping):
        yield from (value for value in schema.get("enum", ()) if isinstance(value, str))
        for part in schema.values():
            yield from enumerated(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from enumerated(part)


@lru_cache(maxsize=32)
def index_for(operations: tuple[Operation, ...]) -> SearchIndex:
    """Return the index of these operations, built on first use, in `LANGUAGE_CODE`.

    It is an index of what a caller may reach, not of the catalog: the rarity of a word, and whether it is known at
    all, would else tell of operations that the caller must not know of.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return SearchIndex(operations, _values if len(operations) <= MAX_DESCRIBED else None)


def _values(operation: Operation) -> Iterator[str]:
    return enumerated(schema_for(operation).input)
