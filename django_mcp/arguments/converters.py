"""How a scalar is spelled in each JSON type. A converter returns the one spelling, or raises ValueError or ArithmeticError."""

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django_mcp.protocol.json import MAX_DEPTH, MAX_DIGITS, NotStrict, parse

_INTEGER = re.compile(r"([+-]?\d+)(\.0*)?")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_JSON_TYPES = {list: "array", str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def json_type(value: Any) -> str:
    """Return the name of a decoded value's JSON type."""
    return "object" if isinstance(value, Mapping) else _JSON_TYPES.get(type(value), "string")


def is_blank(value: Any) -> bool:
    """Tell whether a value is text without a visible character."""
    return isinstance(value, str) and not value.strip()


def _numeral(text: str) -> str:
    """Return text without the blanks around it. Raises ValueError for one that is too long for any number."""
    numeral = text.strip()
    if len(numeral) > MAX_DIGITS:
        raise ValueError
    return numeral


def _integer(value: Any) -> int:
    if isinstance(value, str):
        match = _INTEGER.fullmatch(_numeral(value))
        value = int(match[1]) if match else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise ValueError
    return value


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        text = _numeral(value)
        if not _NUMBER.fullmatch(text):
            raise ValueError
        if match := _INTEGER.fullmatch(text):
            return int(match[1])
        value = float(text)
        # Digits that a double cannot hold would be lost silently.
        if not math.isfinite(value) or Decimal(repr(value)) != Decimal(text):
            raise ValueError
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = _numeral(value).casefold() if isinstance(value, str) else _text(value)
    if text not in _TRUE | _FALSE:
        raise ValueError
    return text in _TRUE


def _text(value: Any) -> str:
    if type(value) is int:
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        raise ValueError
    # Other languages write an integral double without its point.
    return str(int(value)) if value.is_integer() else repr(value)


def decimal(value: Any) -> str:
    """Spell an exact decimal without exponent and without zeros at its end."""
    text = _numeral(value) if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise ValueError
    number = Decimal(text)
    if not number:
        return "0"
    # Beyond the range of a double an exponent of a few characters would be spelled out in megabytes.
    if not math.isfinite(float(number)) or number.adjusted() < -400:
        raise ValueError
    digits = format(number, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


# In the order in which they are tried where a schema takes several types.
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _text,
}


def container_in(text: str, *, depth: int) -> Any:
    """Return the object or list written in `text`, read as strictly as a whole message; None where there is none.

    `depth` is the number of levels above it, which count against the levels that a message may have.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse(text, levels=MAX_DEPTH - depth)
    except NotStrict:
        return None
