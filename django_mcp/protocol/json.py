"""JSON: read strictly, written so that any reader takes it, and cut to what can be stored.

JSON has many readings of the same text where it is sloppy, and what is shown to a human must be what runs. So `parse`
refuses duplicate keys, NaN, Infinity, numbers that overflow, lone surrogates, deep nesting and enormous integers.
Many readers hold every number as a double, and few take NaN: `parse_portable` and `plain` give what all of them keep.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from django_mcp.text import LEFT_OUT, clean_text

MAX_DEPTH = 64
# CPython's default limit; one of our own, because a host may have lifted the interpreter's.
MAX_DIGITS = 4300
# The digits that the exponents of one text may spell out together: 1e308 has five characters and 309 digits.
MAX_SPELLED_DIGITS = 100_000
# The integers that every JSON reader keeps exact (RFC 8259, section 6).
MAX_EXACT = 2**53 - 1
# MariaDB's JSON_VALID, which guards its JSON columns, gives up at 32 levels; what holds an excerpt takes some of them.
MAX_STORED_DEPTH = 24
MAX_BYTES = 8 * 1024
NOT_FINITE = "NaN and infinite numbers in the response are shown as null."

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
# Integers have no leading zeros.
_LONG_NUMBER = re.compile(rb"[1-9][0-9]{15}")


class NotStrict(ValueError):
    """The text is not strict JSON. The message says why, in words that can follow a colon.

    `well_formed`: it may be JSON all the same, as other readers take it.
    """

    def __init__(self, reason: str, *, well_formed: bool = True) -> None:
        super().__init__(reason)
        self.well_formed = well_formed


def parse(text: str, *, levels: int = MAX_DEPTH) -> Any:
    """Return the value of a JSON text whose objects and arrays nest at most `levels` deep. Raises NotStrict.

    A number without a fraction is an integer however it is spelled, so that what is hashed is what runs.
    """
    too_deep = f"it nests deeper than {MAX_DEPTH} levels"
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_Floats(), parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise NotStrict(f"{error.msg} at line {error.lineno} column {error.colno}", well_formed=False) from None
    except RecursionError:
        raise NotStrict(too_deep) from None
    # No value nests deeper than it has opening brackets, and counting bytes is far cheaper than walking.
    if text.count("[") + text.count("{") > levels and _nests_deeper(value, levels):
        raise NotStrict(too_deep)
    if _SURROGATE.search(text):
        try:
            compact(value).encode()
        except UnicodeEncodeError:
            raise NotStrict("a string holds half of a surrogate pair") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrict("an object has the same key twice")
    return members


def _constant(text: str) -> Any:
    raise NotStrict(f"{text} is no JSON number")


class _Floats:
    """The reading of the numbers with a point or an exponent in one text."""

    def __init__(self) -> None:
        self.digits = 0

    def __call__(self, text: str) -> int | float:
        number = float(text)
        if math.isinf(number):
            raise NotStrict("a number is too large")
        if not number.is_integer():
            return number
        # log10(2) is just below 0.302.
        self.digits += int(int(number).bit_length() * 0.302)
        if self.digits > MAX_SPELLED_DIGITS:
            raise NotStrict(f"its exponents spell out more than {MAX_SPELLED_DIGITS} digits")
        return int(number)


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NotStrict(f"an integer has more than {MAX_DIGITS} digits")
    return int(text)


def _nests_deeper(value: Any, levels: int) -> bool:
    containers = [value] if isinstance(value, dict | list) else []
    for _level in range(levels):
        if not containers:
            return False
        items = chain.from_iterable(item.values() if isinstance(item, dict) else item for item in containers)
        containers = [item for item in items if isinstance(item, dict | list)]
    return bool(containers)


def parse_portable(content: bytes | str) -> tuple[Any, tuple[str, ...]]:
    """Return the value of a JSON text, large integers as text, NaN and infinity as None, and notes on that.

    Raises ValueError or RecursionError where it is not JSON.
    """
    content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    not_finite: list[str] = []

    def number(text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            return value
        not_finite.append(text)
        return None

    def integer(text: str) -> int | str:
        return int(text) if len(text) < 16 or (len(text) < 18 and abs(int(text)) <= MAX_EXACT) else text

    # The hook is called for every integer, and hardly any text has one that is long enough to need it.
    parse_int = integer if _LONG_NUMBER.search(content) else None
    value = json.loads(content, parse_int=parse_int, parse_float=number, parse_constant=number)
    return value, (NOT_FINITE,) if not_finite else ()


def plain(value: Any) -> Any:
    """Return a value as DRF writes it, read by `parse_portable`: serializers' data, dates, decimals, UUIDs, lazy texts.

    Raises TypeError, ValueError or RecursionError for a value that JSON cannot hold.
    """
    return parse_portable(json.dumps(value, cls=JSONEncoder))[0]


def compact(value: Any, *, default: Callable[[Any], Any] | None = None, allow_nan: bool = True) -> str:
    """Return a JSON value as text without white space. `default` turns what is no JSON value into one.

    Raises TypeError for another value, ValueError for NaN and infinity unless `allow_nan`.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default, allow_nan=allow_nan)


def size(value: Any) -> int:
    """Return the length of a JSON value in bytes, as compact text in UTF-8."""
    return len(compact(value).encode("utf-8", "surrogatepass"))


def storable(value: Any, depth: int = MAX_STORED_DEPTH) -> Any:
    """Return a JSON value as any database's JSON column can hold it.

    NUL and lone surrogates, which PostgreSQL refuses, are replaced, numbers that are not finite become null, and what
    lies deeper than `depth` levels is left out.
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


def bounded(value: Any, limit: int = MAX_BYTES) -> Any:
    """Return a storable value of at most about `limit` bytes of compact JSON: what comes first stays, whole.

    A list that lost rows ends in "…", an object that lost members has `"truncated": true`.
    """
    if size(value) <= limit:
        return value
    if isinstance(value, str):
        return value.encode()[: limit - 8].decode("utf-8", "ignore") + LEFT_OUT
    if isinstance(value, Mapping):
        members = _fitting(value.items(), limit - size({"truncated": True}), skip=True)
        return {**dict(members), "truncated": True}
    if isinstance(value, list):
        return [*_fitting(value, limit - size([LEFT_OUT]), skip=False), LEFT_OUT]
    return None


def _fitting(items: Iterable[Any], room: int, *, skip: bool) -> list[Any]:
    """Return the items that fit into `room` bytes; without `skip`, those before the first that does not."""
    fitting = []
    for item in items:
        # The comma, and the brackets that a pair has here and a member has not, make it an upper bound.
        cost = size(item) + 1
        if cost <= room:
            fitting.append(item)
            room -= cost
        elif not skip:
            break
    return fitting
