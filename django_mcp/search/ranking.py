"""How much a word counts: in the texts of an operation, by the field it stands in, and in a query.

The measure is BM25F (Zaragoza et al., Microsoft Cambridge at TREC-13): the words of all fields are counted together, each
by the weight of its field and the less the longer the field is, and the count saturates.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from referencing.jsonschema import DRAFT202012

from django_mcp.choices import Safety
from django_mcp.host.handlers import STANDARD_ACTIONS, WRITE_ACTIONS
from django_mcp.search import words
from django_mcp.types import Operation

SATURATION = 5.0
LENGTH = 0.6
FIELDS = {
    "name": 4.0,
    "aliases": 3.7,
    "keywords": 3.4,
    "tags": 3.0,
    "when_to_use": 2.7,
    "summary": 2.5,
    "description": 1.5,
    "action": 0.8,
    "route": 0.7,
    "values": 0.5,
    "arguments": 0.3,
}

# Weights of what a query has beside plain words: words of the same meaning, two words that are written as one, words
# behind a preposition, words that only hold a sentence together, and near spellings, by their slips.
RELATED_WORD = 0.8
JOINED = 0.3
QUALIFIER = 0.8
FUNCTION_WORD = 0.2
MISSPELT = {1: 0.6, 2: 0.4}
# A word below this part of the heaviest word of a query, and a hit below this part of the best one, are weak.
WEAK_WORD = 0.35
WEAK_HIT = 0.3
# The least likeness of a name that is suggested for another, from 0 to 1.
SIMILAR_NAME = 0.6
# A word that more operations have is frequent.
FREQUENT = 500

_NAMES = frozenset({"name", "aliases"})


class ArgumentTexts(NamedTuple):
    """The texts of a schema's arguments: `labels` are names and descriptions, `values` the enumerated texts."""

    labels: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


ArgumentTextsOf = Callable[[Operation], ArgumentTexts]


def rarity(operations: int, total: int) -> float:
    """Return how much a word counts that so many of all operations have."""
    # Even a word that all have counts for something: in a small catalog it may be the very subject.
    return math.log(1 + total / operations)


def strengths(operations: Sequence[Operation], arguments: ArgumentTextsOf | None = None) -> list[dict[str, float]]:
    """Return for each operation the strengths of the stems in its texts, from 0 to 1."""
    described = [
        _stems_by_field(operation, arguments(operation) if arguments else ArgumentTexts()) for operation in operations
    ]
    usual = {}
    for field in FIELDS:
        # Of the fields that are not empty: what few have, like aliases, is not long because most have none.
        lengths = [len(stems[field]) for stems in described if stems[field]]
        usual[field] = statistics.fmean(lengths) if lengths else 1.0
    return [_strengths(stems, usual) for stems in described]


def _stems_by_field(operation: Operation, arguments: ArgumentTexts) -> dict[str, list[str]]:
    hints = operation.hints
    texts: dict[str, Iterable[str]] = {
        "name": (operation.name,),
        "aliases": hints.aliases,
        "keywords": hints.keywords,
        "tags": {operation.group, *operation.tags},
        "when_to_use": (hints.when_to_use or "",),
        "summary": (operation.summary,),
        "description": (operation.description, hints.description or ""),
        "action": (_action(operation),),
        "route": (operation.route,),
        "values": arguments.values,
        "arguments": arguments.labels,
    }
    return {field: [stem for text in texts[field] for stem in words.stems(str(text))] for field in texts}


def _action(operation: Operation) -> str:
    if operation.safety is Safety.READ_ONLY:
        return "read"
    if operation.safety is Safety.DESTRUCTIVE:
        return "delete"
    # What any other action does is not known from its method.
    action = STANDARD_ACTIONS.get(WRITE_ACTIONS.get(operation.handler, operation.handler))
    return action.verb if action else ""


def _strengths(described: Mapping[str, Sequence[str]], usual: Mapping[str, float]) -> dict[str, float]:
    """Return the strengths of the stems of one operation; `usual` are the usual lengths of the fields."""
    counts: dict[str, float] = defaultdict(float)
    for field, stems in described.items():
        weight = FIELDS[field] / (1 - LENGTH + LENGTH * len(stems) / usual[field])
        for stem in stems:
            counts[stem] += weight
        if field in _NAMES:
            for left, right in pairwise(stems):
                counts.setdefault(left + right, weight)
    return {stem: count / (SATURATION + count) for stem, count in counts.items()}


def argument_texts(schema: Mapping[str, Any]) -> ArgumentTexts:
    """Return the texts of a JSON Schema's properties, at any depth."""
    labels: list[str] = []
    values: list[str] = []
    for part in _parts(schema):
        labels += [*part.get("properties", ()), part.get("description", "")]
        values += [value for value in part.get("enum", ()) if isinstance(value, str)]
    return ArgumentTexts(tuple(labels), tuple(values))


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        yield schema
        for part in DRAFT202012.subresources_of(schema):
            yield from _parts(part)
