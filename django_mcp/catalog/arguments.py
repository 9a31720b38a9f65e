"""Arguments as they were meant: converted by an operation's input schema, losslessly or not at all.

Models and clients spell the same value in many ways. Whatever is hashed, shown and dispatched is the one spelling
that comes out of here, so that a harmless respelling of a confirmed call is still the same call.
"""

import copy
import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.catalog.values import (
    ABSENT,
    NOUNS,
    branches_of,
    converters_for,
    expected,
    from_text,
    is_blank,
    is_unset,
    json_type,
    mapping,
    types_of,
)
from django_mcp.errors import ValidationFailed
from django_mcp.redaction import one_line

MAX_ERRORS = 20
MAX_NOTED = 500
MAX_NAME = 60


def normalise(
    schema: Mapping[str, Any],
    sent: Any,
    *,
    read_only: frozenset[str] = frozenset(),
    partial: bool = False,
    needed: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the effective arguments and warnings for the model.

    `schema` is a plain JSON Schema object, `sent` a decoded JSON object, or its text. `read_only` names fields that
    are dropped with a warning, as dotted paths in which lists do not count. `needed` names the arguments that fill
    the route: each must be there, and one that does not convert goes on as text, for the route and the view to
    judge. A `partial` update is not filled with defaults, and a null that could not be meant is warned of.

    Enumerations, ranges, lengths and required fields of the body are left to the view. The result is stable:
    normalising it again changes nothing.

    Raises ValidationFailed; its details carry `errors`, a list of texts by path.
    """
    # A body may have a read-only field of the name that fills the route.
    walk = _Walk(read_only=read_only - needed, partial=partial, needed=needed)
    root = _Place()
    if isinstance(sent, str):
        parsed = from_text(sent, depth=0)
        sent = sent if parsed is ABSENT else parsed
    effective: dict[str, Any] = {}
    if isinstance(sent, Mapping):
        effective = walk.object({"properties": {}, **schema}, sent, root)
        for name in sorted(needed - sent.keys()):
            walk.refuse(root.at(name), "Missing. It is part of the route and must be sent.")
    else:
        walk.refuse(root, expected({"type": "object"}, sent))
    if walk.errors:
        raise _failure(walk.errors)
    return effective, tuple(sorted(walk.warnings))


def _failure(errors: Mapping[str, list[str]]) -> ValidationFailed:
    paths = sorted(errors)
    said = [f"{path}: {errors[path][0]}" for path in paths[:3]]
    if len(paths) > len(said):
        said.append("There is more in errors.")
    text = f"The arguments do not fit. {' '.join(said)}"
    return ValidationFailed(text, errors={path: errors[path] for path in paths[:MAX_ERRORS]})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the arguments a value is. Paths are spelled only when something is said about it."""

    parent: "_Place | None" = None
    step: str | int = ""

    def at(self, step: str | int) -> "_Place":
        return _Place(self, step)

    @property
    def is_argument(self) -> bool:
        return self.parent is not None and self.parent.parent is None

    def steps(self) -> list[str | int]:
        return [] if self.parent is None else [*self.parent.steps(), self.step]

    def path(self) -> str:
        spelled = ""
        for step in self.steps():
            spelled += f"[{step}]" if isinstance(step, int) else f".{one_line(step, MAX_NAME)}"
        return spelled.removeprefix(".") or "args"

    def dotted(self) -> str:
        return ".".join(step for step in self.steps() if isinstance(step, str))


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One pass over the arguments; it collects what is wrong, what to warn of and how much was changed."""

    read_only: frozenset[str]
    partial: bool
    needed: frozenset[str] = frozenset()
    errors: dict[str, list[str]] = field(default_factory=dict)
    warnings: set[str] = field(default_factory=set)
    changes: int = 0
    misfits: int = 0

    def fork(self) -> "_Walk":
        return _Walk(read_only=self.read_only, partial=self.partial)

    def absorb(self, other: "_Walk") -> None:
        for path, texts in other.errors.items():
            self.errors.setdefault(path, []).extend(texts)
        self.warnings |= other.warnings
        self.changes += other.changes
        self.misfits += other.misfits

    def refuse(self, place: _Place, text: str) -> None:
        if len(self.errors) < MAX_NOTED:
            self.errors.setdefault(place.path(), []).append(text)

    def warn(self, place: _Place, text: str) -> None:
        self.changes += 1
        self.warnings.add(f'"{one_line(place.dotted())}" {text}')

    def convert(self, schema: Any, value: Any, place: _Place) -> Any:
        schema = schema if isinstance(schema, Mapping) else {}
        branches = branches_of(schema)
        types = types_of(schema)
        if branches:
            return self.either(branches, value, place)
        if not types or (value is None and "null" in types):
            return value
        if isinstance(value, Mapping) and "object" in types:
            return self.object(schema, value, place)
        if isinstance(value, list) and "array" in types:
            items = schema.get("items")
            return [self.convert(items, item, place.at(index)) for index, item in enumerate(value)]
        return self.scalar(schema, value, place)

    def scalar(self, schema: Mapping[str, Any], value: Any, place: _Place) -> Any:
        types = types_of(schema)
        for converter in converters_for(schema, value):
            try:
                result = converter(value)
            except (ValueError, ArithmeticError):
                continue
            self.changes += type(result) is not type(value) or result != value
            self.misfits += result not in schema.get("enum", [result])
            return result
        if isinstance(value, str) and types & {"object", "array"}:
            parsed = from_text(value, depth=len(place.steps()))
            if json_type(parsed) in types & {"object", "array"}:
                self.changes += 1
                return self.convert(schema, parsed, place)
        self.refuse(place, expected(schema, value))
        return value

    def either(self, branches: list[Any], value: Any, place: _Place) -> Any:
        """Take the first branch that needs no change, else the first that converts, else report the nearest miss."""
        trials = [self.fork() for _ in branches]
        results = [trial.convert(branch, value, place) for trial, branch in zip(trials, branches, strict=True)]
        # What needs no change comes before what fits an enumeration, or a second pass might choose otherwise.
        ranks = [(len(trial.errors), trial.changes > 0, trial.misfits > 0) for trial in trials]
        best = ranks.index(min(ranks))
        self.absorb(trials[best])
        return results[best]

    def object(self, schema: Mapping[str, Any], value: Mapping[str, Any], place: _Place) -> dict[str, Any]:
        properties = mapping(schema.get("properties"))
        rest = schema.get("additionalProperties", "properties" not in schema)
        required = frozenset(schema.get("required", ()))
        result: dict[str, Any] = {}
        for name, item in value.items():
            here = place.at(name)
            if name in properties:
                kept = self.property(properties[name], item, here, required=name in required)
                if kept is not ABSENT:
                    result[name] = kept
            elif self.read_only and here.dotted() in self.read_only:
                self.warn(here, "is read-only and was ignored.")
            elif rest is False:
                self.unknown(here, properties)
            else:
                result[name] = self.convert(rest, item, here)
        if not self.partial:
            self.fill(properties, result, place)
        return result

    def property(self, schema: Any, value: Any, here: _Place, *, required: bool) -> Any:
        if here.is_argument and here.step in self.needed:
            return self.route_argument(schema, value, here)
        if required or not is_unset(schema, value):
            return self.convert(schema, value, here)
        if self.partial:
            # In a partial update "empty" may have been meant as "clear it", which must not pass silently.
            self.warn(here, "cannot be empty and was left out.")
        self.changes += 1
        return ABSENT

    def route_argument(self, schema: Any, value: Any, here: _Place) -> Any:
        if value is None or is_blank(value):
            self.refuse(here, "Missing. It is part of the route and cannot be empty.")
            return value
        if isinstance(value, Mapping | list):
            self.refuse(here, f"Expected text or a number, got {NOUNS[json_type(value)]}.")
            return value
        trial = self.fork()
        result = trial.convert(schema, value, here)
        if not trial.errors:
            self.absorb(trial)
            return result
        return value if isinstance(value, str) else json.dumps(value)

    def unknown(self, here: _Place, properties: Mapping[str, Any]) -> None:
        hint = "" if len(self.errors) >= MAX_ERRORS else _nearest(str(here.step), properties)
        self.refuse(here, f"Unknown argument. {hint}".strip())

    def fill(self, properties: Mapping[str, Any], result: dict[str, Any], place: _Place) -> None:
        for name, schema in properties.items():
            if name in result or "default" not in mapping(schema):
                continue
            trial = self.fork()
            value = trial.convert(schema, copy.deepcopy(schema["default"]), place.at(name))
            if not trial.errors and not is_unset(schema, value):
                result[name] = value
                self.changes += 1


def _nearest(name: str, properties: Mapping[str, Any]) -> str:
    if not properties:
        return "There are none here."
    spelled = {known.casefold(): known for known in properties}
    near = difflib.get_close_matches(name[:MAX_NAME].casefold(), spelled, n=1)
    if near:
        return f'Did you mean "{spelled[near[0]]}"?'
    known = sorted(properties)
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    return f"Known are {', '.join(known[:12])}{more}."
