"""Strict JSON: one reading of each text.

JSON has many readings of the same text where it is sloppy, and what is shown to a human must be what runs. So this
refuses duplicate keys, NaN, Infinity, numbers that overflow, lone surrogates, deep nesting and enormous integers.
"""

import json
import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

MAX_DEPTH = 64
# CPython's default limit; one of our own, because a host may have lifted the interpreter's.
MAX_DIGITS = 4300


class NotStrict(ValueError):
    """The text is not strict JSON. The message says why, in words that can follow a colon."""


def loads(text: str, *, levels: int = MAX_DEPTH) -> Any:
    """Return the value of a JSON text whose objects and arrays nest at most `levels` deep. Raises NotStrict."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise NotStrict(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise NotStrict(f"it nests deeper than {MAX_DEPTH} levels") from None
    _check_depth(text, value, levels)
    _check_surrogates(text, value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotStrict("an object has the same key twice")
    return found


def _constant(text: str) -> Any:
    raise NotStrict(f"{text} is no JSON number")


def _float(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise NotStrict("a number is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NotStrict(f"an integer has more than {MAX_DIGITS} digits")
    return int(text)


def _check_depth(text: str, value: Any, levels: int) -> None:
    # No value nests deeper than it has opening brackets, and counting bytes is far cheaper than walking.
    if text.count("[") + text.count("{") <= levels:
        return
    level = _containers([value])
    for _level in range(levels):
        level = _containers(chain.from_iterable(_children(item) for item in level))
        if not level:
            return
    raise NotStrict(f"it nests deeper than {MAX_DEPTH} levels")


def _containers(values: Iterable[Any]) -> list[Any]:
    return [item for item in values if isinstance(item, dict | list)]


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def _check_surrogates(text: str, value: Any) -> None:
    if _SURROGATE.search(text) is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise NotStrict("a string holds half of a surrogate pair") from None
