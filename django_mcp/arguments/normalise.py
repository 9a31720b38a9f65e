"""Arguments as they were meant: converted by an operation's input schema, losslessly or not at all.

Models and clients spell the same value in many ways. Whatever is hashed, shown and dispatched is the one spelling
that comes out of here, so that a harmless respelling of a confirmed call is still the same call.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.arguments.converters import (
    ABSENT,
    NOUNS,
    Plan,
    Shared,
    TooMuch,
    converters_for,
    expected,
    is_blank,
    is_unset,
    json_type,
    mapping,
    size,
)
from django_mcp.arguments.paths import MAX_WARNED, Place, Refusal, by_last_name, failure, spelled
from django_mcp.errors import ValidationFailed

# After so many errors nothing more is looked at.
MAX_NOTED = 500
_TOO_MUCH = "There is too much in the arguments to be checked at once. Send it in several smaller calls."


def normalise(
    schema: Mapping[str, Any],
    sent: Any,
    *,
    read_only: frozenset[str] = frozenset(),
    partial: bool = False,
    needed: frozenset[str] = frozenset(),
    lenient: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the effective arguments and warnings for the model.

    `schema` is a plain JSON Schema object, `sent` a decoded JSON object, or its text. `read_only` names fields that
    are dropped with a warning, as dotted paths in which lists do not count. `needed` names the arguments that fill
    the route: each must be there, and one that does not convert goes on as text, for the route and the view to
    judge. `lenient` are dotted paths too: what is there goes on as it is where its type is another one, or,
    with a warning, where nothing describes it. A `partial` update is not filled with defaults, and nothing is left out
    of it: an empty value may be meant to clear.

    Enumerations, ranges, lengths and required fields of the body are left to the view. The result is stable:
    normalising it again changes nothing.

    Raises ValidationFailed; its details carry `errors`, a list of texts by path.
    """
    # A body may have a read-only field of the name that fills the route.
    shared = Shared(by_last_name(read_only - needed), by_last_name(lenient))
    walk = _Walk(shared, partial=partial, needed=needed, most=MAX_NOTED - 1)
    try:
        effective = walk.whole({"properties": {}, "additionalProperties": False, **schema}, sent)
    except TooMuch:
        raise ValidationFailed(_TOO_MUCH, errors={"args": [_TOO_MUCH]}) from None
    except _Hopeless:
        effective = {}
    if walk.errors:
        raise failure(walk.errors)
    return effective, spelled(walk.warnings)


class _Hopeless(Exception):
    """More is wrong than is worth knowing."""


@dataclass(slots=True)
class _Walk:
    """One pass over the arguments; it collects what is wrong, what to warn of and how much was changed.

    `strict` is a place at which nothing is lenient: one of several alternatives is tried there. Raises _Hopeless where
    more than `most` is wrong.
    """

    shared: Shared
    partial: bool
    most: int
    needed: frozenset[str] = frozenset()
    strict: Place | None = None
    errors: list[Refusal] = field(default_factory=list)
    warnings: dict[tuple[tuple[str, ...], str], None] = field(default_factory=dict)
    changes: int = 0
    misfits: int = 0

    def whole(self, schema: Mapping[str, Any], sent: Any) -> dict[str, Any]:
        root = Place()
        if isinstance(sent, str):
            parsed = self.shared.from_text(sent, 0)
            sent = sent if parsed is ABSENT else parsed
        if not isinstance(sent, Mapping):
            self.refuse(root, expected({"type": "object"}, sent))
            return {}
        effective = self.object(Plan.of(schema), sent, root)
        for name in sorted(self.needed - sent.keys()):
            self.refuse(root.at(name), "Missing. It is part of the route and must be sent.")
        return effective

    def attempt(self, schema: Any, value: Any, place: Place, most: int = MAX_NOTED) -> "tuple[_Walk, Any]":
        trial = _Walk(self.shared, self.partial, most, strict=place)
        try:
            return trial, trial.convert(schema, value, place)
        except _Hopeless:
            return trial, value

    def absorb(self, other: "_Walk") -> None:
        self.warnings |= other.warnings
        self.changes += other.changes
        self.misfits += other.misfits
        self.errors += other.errors
        self.judge()

    def refuse(self, place: Place, text: str, known: Mapping[str, Any] | None = None) -> None:
        self.errors.append(Refusal(place, text, known))
        self.judge()

    def judge(self) -> None:
        if len(self.errors) > self.most:
            raise _Hopeless

    def warn(self, place: Place, text: str) -> None:
        self.changes += 1
        if len(self.warnings) < MAX_WARNED:
            self.warnings[place.names(), text] = None

    def rank(self) -> tuple[int, bool, bool]:
        # What needs no change comes before what fits an enumeration, or a second pass might choose otherwise.
        return len(self.errors), self.changes > 0, self.misfits > 0

    def convert(self, schema: Any, value: Any, place: Place) -> Any:
        plan = self.shared.plan(schema)
        if type(value) in plan.exact:
            return value
        self.shared.spend(1)
        if plan.branches:
            return self.either(plan, value, place)
        if not plan.types or (value is None and "null" in plan.types):
            return value
        if isinstance(value, Mapping) and "object" in plan.types:
            return self.object(plan, value, place)
        if isinstance(value, list) and "array" in plan.types:
            return self.array(plan, value, place)
        return self.scalar(plan, value, place)

    def array(self, plan: Plan, value: list[Any], place: Place) -> list[Any]:
        self.shared.spend(len(value) // 16)
        items = plan.schema.get("items")
        exact = self.shared.plan(items).exact
        return [
            item if type(item) in exact else self.convert(items, item, place.at(index))
            for index, item in enumerate(value)
        ]

    def scalar(self, plan: Plan, value: Any, place: Place) -> Any:
        if isinstance(value, str):
            self.shared.spend(len(value) // 128)
        for converter in converters_for(plan.schema, value):
            try:
                result = converter(value)
            except (ValueError, ArithmeticError):
                continue
            self.shared.spend(size(result))
            self.changes += type(result) is not type(value) or result != value
            self.misfits += plan.enum is not None and result not in plan.enum
            return result
        if isinstance(value, str) and plan.types & {"object", "array"}:
            parsed = self.shared.from_text(value, place.depth)
            if json_type(parsed) in plan.types & {"object", "array"}:
                self.changes += 1
                return self.convert(plan.schema, parsed, place)
        if not self.leaves(place):
            self.refuse(place, expected(plan.schema, value))
        return value

    def leaves(self, place: Place) -> bool:
        """Tell whether a value that does not fit is for the host to judge."""
        if place is self.strict or not self.shared.lenient:
            return False
        named = place.named()
        # It is compared with each path that ends alike.
        self.shared.spend(1 + len(self.shared.lenient.get(str(named.step), ())) // 4)
        return named.is_one_of(self.shared.lenient)

    def either(self, plan: Plan, value: Any, place: Place) -> Any:
        """Take the first branch that needs no change, else the first that converts, else report the nearest miss."""
        best, result = self.attempt(plan.branches[0], value, place)
        for branch in plan.branches[1:]:
            if not any(best.rank()):
                break
            trial, other = self.attempt(branch, value, place, most=len(best.errors))
            if trial.rank() < best.rank():
                best, result = trial, other
        if best.errors and all(error.place is place for error in best.errors) and self.leaves(place):
            return value
        self.absorb(best)
        return result

    def object(self, plan: Plan, value: Mapping[str, Any], place: Place) -> dict[str, Any]:
        self.shared.spend(len(value) // 4)
        result: dict[str, Any] = {}
        for name, item in value.items():
            named = self.property if name in plan.properties else self.extra
            kept = named(plan, name, item, place)
            if kept is not ABSENT:
                result[name] = kept
        if not self.partial:
            self.fill(plan, result, place)
        return result

    def property(self, plan: Plan, name: str, value: Any, place: Place) -> Any:
        schema = plan.properties[name]
        here = place.at(name)
        if place.is_root and name in self.needed:
            return self.route_argument(schema, value, here)
        expected = self.shared.plan(schema)
        if type(value) in expected.exact:
            return value
        if is_blank(value) and "null" in expected.types and "string" not in expected.types:
            # As in a form: an empty text clears what has no text.
            self.changes += 1
            return None
        unset = is_unset(schema, value)
        if unset and self.partial:
            # It may be meant to clear the field. Left out, it would change another thing than was said.
            return value
        if name in plan.required or not unset:
            return self.convert(schema, value, here)
        self.warn(here, "was empty and was left out.")
        return ABSENT

    def extra(self, plan: Plan, name: str, value: Any, place: Place) -> Any:
        here = place.at(name)
        if here.is_one_of(self.shared.read_only):
            self.warn(here, "is read-only and was ignored.")
        elif place.is_root and here.is_one_of(self.shared.lenient):
            self.warn(here, "is described as read-only. It was passed on: the operation's own code may read it.")
            return value
        elif plan.rest is not False:
            return self.convert(plan.rest, value, here)
        else:
            self.refuse(here, "Unknown argument.", plan.properties)
        return ABSENT

    def route_argument(self, schema: Any, value: Any, here: Place) -> Any:
        if value is None or is_blank(value):
            self.refuse(here, "Missing. It is part of the route and cannot be empty.")
            return value
        if isinstance(value, Mapping | list):
            self.refuse(here, f"Expected text or a number, got {NOUNS[json_type(value)]}.")
            return value
        trial, result = self.attempt(schema, value, here)
        if not trial.errors:
            self.absorb(trial)
            return result
        return value if isinstance(value, str) else json.dumps(value)

    def fill(self, plan: Plan, result: dict[str, Any], place: Place) -> None:
        if plan.defaults is None:
            plan.defaults = self.defaults(plan, place)
        for name, value in plan.defaults.items():
            if name not in result:
                self.shared.spend(1)
                self.changes += 1
                result[name] = copy.deepcopy(value)

    def defaults(self, plan: Plan, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, schema in plan.properties.items():
            if "default" not in mapping(schema):
                continue
            trial, value = self.attempt(schema, schema["default"], place.at(name))
            if not trial.errors and not is_unset(schema, value):
                found[name] = value
        return found
