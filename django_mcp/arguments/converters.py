"""Single values as a JSON Schema expects them: what a schema takes, and how a value is spelled in each type."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django_mcp.protocol.json import MAX_DEPTH, NotStrict, parse

ABSENT = object()
_INTEGER = re.compile(r"([+-]?\d+)(\.0*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_YES = frozenset({"true", "t", "yes", "y", "on", "1"})
_NO = frozenset({"false", "f", "no", "n", "off", "0"})
NOUNS = {
    "object": "an object",
    "array": "a list",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "string": "text",
    "null": "null",
}


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a schema's part where it is an object; anything else says nothing."""
    return value if isinstance(value, Mapping) else {}


def branches_of(schema: Mapping[str, Any]) -> list[Any]:
    """Return the alternatives of anyOf and oneOf, in order."""
    # Beside properties or items a combinator only narrows, which is for the view to check.
    if "properties" in schema or "items" in schema:
        return []
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the JSON types that a schema takes; an empty set for any."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if isinstance(declared, list | tuple):
        return frozenset(declared)
    if "enum" in schema:
        return frozenset(json_type(value) for value in schema["enum"])
    if "properties" in schema or "additionalProperties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else frozenset()


def json_type(value: Any) -> str:
    """Name the JSON type of a decoded value."""
    if isinstance(value, Mapping):
        return "object"
    names = {list: "array", str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    return names.get(type(value), "string")


def is_decimal(schema: Mapping[str, Any]) -> bool:
    """Tell whether the schema means an exact decimal, which text and numbers can both spell."""
    return schema.get("format") == "decimal" or types_of(schema) >= {"string", "number"}


def is_blank(value: Any) -> bool:
    """Tell whether a value is text without a visible character."""
    return isinstance(value, str) and not value.strip()


def is_unset(schema: Any, value: Any) -> bool:
    """Tell whether null or blank text stands for "not given", because the schema could not take it."""
    if value is not None and not is_blank(value):
        return False
    wanted = "null" if value is None else "string"
    return not _takes(mapping(schema), wanted)


def _takes(schema: Mapping[str, Any], kind: str) -> bool:
    branches = branches_of(schema)
    if branches:
        return any(_takes(mapping(branch), kind) for branch in branches)
    types = types_of(schema)
    return not types or (kind in types and not (kind == "string" and is_decimal(schema)))


def converters_for(schema: Mapping[str, Any], value: Any) -> list[Callable[[Any], Any]]:
    """Return the conversions to try on a scalar, in order. Each raises ValueError or ArithmeticError.

    Text where text is accepted has one conversion, which leaves it alone.
    """
    types = types_of(schema)
    if is_decimal(schema):
        return [_decimal]
    if isinstance(value, str) and "string" in types:
        return [str]
    return [convert for name, convert in _BY_TYPE.items() if name in types]


def _integer(value: Any) -> int:
    if isinstance(value, str):
        match = _INTEGER.fullmatch(value.strip())
        value = int(match[1]) if match else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise ValueError
    return value


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            raise ValueError
        if _INTEGER.fullmatch(text):
            return _integer(text)
        value = float(text)
        # Digits that a double cannot hold would be lost without a word.
        if not math.isfinite(value) or Decimal(repr(value)) != Decimal(text):
            raise ValueError
    if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else _text(value)
    if word not in _YES | _NO:
        raise ValueError
    return word in _YES


def _text(value: Any) -> str:
    """Spell a number as text; a float that is integral without its point, as other languages write it."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        raise ValueError
    return str(int(value)) if value.is_integer() else repr(value)


def _decimal(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise ValueError
    number = Decimal(text)
    if not number:
        return "0"
    # Beyond the range of a double an exponent of a few characters would be spelled out in megabytes.
    if not math.isfinite(float(number)) or number.adjusted() < -400:
        raise ValueError
    spelled = format(number, "f")
    return spelled.rstrip("0").rstrip(".") if "." in spelled else spelled


_BY_TYPE: dict[str, Callable[[Any], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _text,
}


def from_text(text: str, *, depth: int) -> Any:
    """Return the object or list that is written in `text`, as strictly as a whole message is read; else `ABSENT`."""
    if text.lstrip()[:1] not in ("{", "["):
        return ABSENT
    try:
        return parse(text, levels=MAX_DEPTH - depth)
    except NotStrict:
        return ABSENT


def expected(schema: Mapping[str, Any], value: Any) -> str:
    """Say what would have been accepted. The value itself is not quoted: it may be a secret."""
    types = types_of(schema)
    if is_decimal(schema):
        return "Expected a decimal number such as 12.50."
    nouns = " or ".join(noun for name, noun in NOUNS.items() if name in types and name != "null")
    if value is None:
        return f"Expected {nouns}; null is not accepted."
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and types & {"object", "array"}:
        return f"Expected {nouns}. Send it as JSON itself, without quotes around it."
    return f"Expected {nouns}, got {NOUNS[json_type(value)]}."


_EXACT: dict[str, type] = {"integer": int, "number": int, "boolean": bool, "string": str, "null": type(None)}


@dataclass(slots=True)
class Plan:
    """A part of a schema, read.

    `exact` are the Python types of values that are right as they are. `rest` is what names that `properties` does not
    have are like; False where there must be none.
    """

    schema: Mapping[str, Any]
    branches: list[Any]
    types: frozenset[str]
    exact: frozenset[type]
    enum: frozenset[Any] | None
    properties: Mapping[str, Any]
    rest: Any
    required: frozenset[str]
    defaults: dict[str, Any] | None = None

    @classmethod
    def of(cls, schema: Any) -> "Plan":
        schema = mapping(schema)
        branches, types = branches_of(schema), types_of(schema)
        return cls(
            schema=schema,
            branches=branches,
            types=types,
            exact=frozenset() if branches or "enum" in schema else _exact(schema, types),
            enum=_enumerated(schema),
            properties=mapping(schema.get("properties")),
            rest=schema.get("additionalProperties", True),
            required=frozenset(schema.get("required", ())),
        )


def _exact(schema: Mapping[str, Any], types: frozenset[str]) -> frozenset[type]:
    if not types or is_decimal(schema):
        return frozenset()
    # Floats are left out: one may be no number at all, or be whole where an integer is meant.
    return frozenset(_EXACT[name] for name in types if name in _EXACT)


def _enumerated(schema: Mapping[str, Any]) -> frozenset[Any] | None:
    if "enum" not in schema:
        return None
    return frozenset(value for value in schema["enum"] if not isinstance(value, Mapping | list))


# About a second of work; a value takes a step, or as many as there are alternatives for it.
MAX_STEPS = 200_000


class TooMuch(Exception):
    """The arguments take more work than a call may cost."""


@dataclass(slots=True)
class Shared:
    """What all attempts within one call have in common: what was read before, and what work is left."""

    read_only: Mapping[str, tuple[tuple[str, ...], ...]]
    lenient: Mapping[str, tuple[tuple[str, ...], ...]]
    steps: int = MAX_STEPS
    plans: dict[int, Plan] = field(default_factory=dict)
    parsed: dict[tuple[str, int], Any] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise TooMuch

    def plan(self, schema: Any) -> Plan:
        # Schemas outlive the call, so that their ids do not come again.
        plan = self.plans.get(id(schema))
        if plan is None:
            plan = self.plans[id(schema)] = Plan.of(schema)
        return plan

    def from_text(self, text: str, depth: int) -> Any:
        # Each alternative would read the same text again.
        key = (text, depth)
        if key not in self.parsed:
            self.spend(len(text) // 128)
            self.parsed[key] = from_text(text, depth=depth)
        return self.parsed[key]


def size(value: Any) -> int:
    """Return the steps that a scalar is worth: an exponent of a few characters may be spelled in hundreds."""
    return value.bit_length() // 64 if isinstance(value, int) else len(value) // 16 if isinstance(value, str) else 0
