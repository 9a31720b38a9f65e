"""What an operation says of itself: its words by the field that they stand in, and how much each of them counts.

The measure is BM25F (Zaragoza et al., Microsoft Cambridge at TREC-13): the words of all fields are counted together, each
by the weight of its field and the less the longer the field is, and what is counted saturates.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from referencing.jsonschema import DRAFT202012

from django_mcp.host.handlers import STANDARD_ACTIONS, WRITE_ACTIONS
from django_mcp.search import words
from django_mcp.types import Operation, Safety

SATURATION = 5.0
LENGTH = 0.6

_WEIGHTS = {
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
_NAMES = frozenset({"name", "aliases"})


class ArgumentTexts(NamedTuple):
    """What a schema says of its arguments: their names and descriptions, and the texts among enumerated values."""

    said: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


Arguments = Callable[[Operation], ArgumentTexts]


def strengths(operations: Sequence[Operation], arguments: Arguments | None = None) -> list[dict[str, float]]:
    """Return for each operation how much each stem of its texts counts, from 0 to 1."""
    said = [_stems(operation, arguments(operation) if arguments else ArgumentTexts()) for operation in operations]
    usual = {field: _usual_length([fields[field] for fields in said]) for field in _WEIGHTS}
    return [_saturated(fields, usual) for fields in said]


def _stems(operation: Operation, arguments: ArgumentTexts) -> dict[str, list[str]]:
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
        "arguments": arguments.said,
    }
    return {field: [stem for text in found for stem in words.stems(str(text))] for field, found in texts.items()}


def _action(operation: Operation) -> str:
    if operation.safety is Safety.READ_ONLY:
        return "read"
    if operation.safety is Safety.DESTRUCTIVE:
        return "delete"
    # What any other action does is not known from its method.
    action = STANDARD_ACTIONS.get(WRITE_ACTIONS.get(operation.handler, operation.handler))
    return action.verb if action else ""


def _usual_length(fields: Sequence[Sequence[str]]) -> float:
    # Of those that say something: what few have, like aliases, is not long because most have none.
    lengths = [len(stems) for stems in fields if stems]
    return statistics.fmean(lengths) if lengths else 1.0


def _saturated(fields: Mapping[str, Sequence[str]], usual: Mapping[str, float]) -> dict[str, float]:
    counted: dict[str, float] = defaultdict(float)
    for field, stems in fields.items():
        weight = _WEIGHTS[field] / (1 - LENGTH + LENGTH * len(stems) / usual[field]) if stems else 0.0
        for stem in stems:
            counted[stem] += weight
        if field in _NAMES:
            for left, right in pairwise(stems):
                counted.setdefault(left + right, weight)
    return {stem: count / (SATURATION + count) for stem, count in counted.items()}


def argument_texts(schema: Mapping[str, Any]) -> ArgumentTexts:
    """Return the texts of a JSON Schema's properties, at any depth."""
    said: list[str] = []
    values: list[str] = []
    for part in _parts(schema):
        said += [*part.get("properties", ()), part.get("description", "")]
        values += [value for value in part.get("enum", ()) if isinstance(value, str)]
    return ArgumentTexts(tuple(said), tuple(values))


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        yield schema
        for part in DRAFT202012.subresources_of(schema):
            yield from _parts(part)
