"""JSON: read strictly, written so that any reader takes it, and cut to what can be stored.

JSON has many readings of the same text where it is sloppy, and what is shown to a human must be what runs. So `parse`
refuses duplicate keys, NaN, Infinity, numbers that overflow, lone surrogates, deep nesting and enormous integers.
Many readers hold every number as a double, and few take NaN: `parse_portable` and `plain` give what all of them keep.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from django_mcp.text import LEFT_OUT, clean_text

MAX_DEPTH = 64
# CPython's default limit; one of our own, because a host may have lifted the interpreter's.
MAX_DIGITS = 4300


class NotStrict(ValueError):
    """The text is not strict JSON. The message says why, in words that can follow a colon."""


def parse(text: str, *, levels: int = MAX_DEPTH) -> Any:
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


# The integers that every JSON reader keeps exact (RFC 8259, section 6).
MAX_EXACT = 2**53 - 1
NOT_FINITE = "NaN and infinite numbers in the response are shown as null."

# Integers have no leading zeros.
_LONG_NUMBER = re.compile(rb"[1-9][0-9]{15}")


def plain(value: Any) -> Any:
    """Return a value as DRF writes it: serializers' data, dates, decimals, UUIDs, lazy texts. As `parse_portable` would read it.

    Raises TypeError, ValueError or RecursionError for what JSON cannot say.
    """
    return parse_portable(json.dumps(value, cls=JSONEncoder))[0]


def compact(value: Any) -> str:
    """Return a JSON value as text without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: Any) -> int:
    """Return the length of a JSON value in bytes, as compact text in UTF-8."""
    return len(compact(value).encode("utf-8", "surrogatepass"))


def parse_portable(content: bytes | str) -> tuple[Any, tuple[str, ...]]:
    """Return the value of a JSON text, large integers as text, NaN and infinity as None, and notes on that.

    Raises ValueError or RecursionError where it is not JSON.
    """
    content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    odd: list[str] = []

    def number(text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            return value
        odd.append(text)
        return None

    # The hook is called for every integer, and hardly any text has one that is long enough to need it.
    integers = _exact_integer if _LONG_NUMBER.search(content) else None
    value = json.loads(content, parse_int=integers, parse_float=number, parse_constant=number)
    return value, (NOT_FINITE,) if odd else ()


def _exact_integer(text: str) -> int | str:
    return int(text) if len(text) < 16 or (len(text) < 18 and abs(int(text)) <= MAX_EXACT) else text


# MariaDB's JSON_VALID, which guards its JSON columns, gives up at 32 levels; what holds an excerpt takes some of them.
MAX_STORED_DEPTH = 24


def storable(value: Any, depth: int = MAX_STORED_DEPTH) -> Any:
    """Return a JSON value as any database's JSON column can hold it.

    NUL and lone surrogates, which PostgreSQL refuses, are replaced, numbers that are not finite become null, and what
    lies too deep is left out.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping | list | tuple):
        if depth == 0:
            return LEFT_OUT
        if isinstance(value, Mapping):
            return {clean_text(str(key)): storable(item, depth - 1) for key, item in value.items()}
        return [storable(item, depth - 1) for item in value]
    return value


MAX_BYTES = 8 * 1024


def bounded(value: Any, limit: int = MAX_BYTES) -> Any:
    """Return a storable value of at most about `limit` bytes of compact JSON: what comes first stays, whole.

    A list that lost rows ends in "…", an object that lost members has `"truncated": true`.
    """
    if size(value) <= limit:
        return value
    if isinstance(value, str):
        return value.encode()[: limit - 8].decode("utf-8", "ignore") + LEFT_OUT
    if isinstance(value, Mapping):
        room = limit - size({"truncated": True})
        return {**dict(_fitting(value.items(), room)), "truncated": True}
    if isinstance(value, list):
        return [*_fitting(value, limit - size([LEFT_OUT])), LEFT_OUT]
    return None


def _fitting(items: Any, room: int) -> list[Any]:
    kept = []
    for item in items:
        # The comma, and the brackets that a pair has here and a member has not, make it an upper bound.
        cost = size(item) + 1
        if cost <= room:
            kept.append(item)
            room -= cost
        elif not isinstance(item, tuple):
            break
    return kept
