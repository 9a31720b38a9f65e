"""Portable JSON: what any reader takes, and takes to be the same.

Many readers hold every number as a double, and few take NaN.
"""

import json
import math
import re
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

# The integers that every JSON reader keeps exact (RFC 8259, section 6).
MAX_EXACT = 2**53 - 1
NOT_FINITE = "NaN and infinite numbers in the response are shown as null."

# Integers have no leading zeros.
_LONG_NUMBER = re.compile(rb"[1-9][0-9]{15}")


def plain(value: Any) -> Any:
    """Return a value as DRF writes it: serializers' data, dates, decimals, UUIDs, lazy texts. As `loads` would read it.

    Raises TypeError, ValueError or RecursionError for what JSON cannot say.
    """
    return loads(json.dumps(value, cls=JSONEncoder))[0]


def compact(value: Any) -> str:
    """Return a JSON value as text without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: Any) -> int:
    """Return the length of a JSON value in bytes, as compact text in UTF-8."""
    return len(compact(value).encode("utf-8", "surrogatepass"))


def loads(content: bytes | str) -> tuple[Any, tuple[str, ...]]:
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
    integers = _integer if _LONG_NUMBER.search(content) else None
    value = json.loads(content, parse_int=integers, parse_float=number, parse_constant=number)
    return value, (NOT_FINITE,) if odd else ()


def _integer(text: str) -> int | str:
    return int(text) if len(text) < 16 or (len(text) < 18 and abs(int(text)) <= MAX_EXACT) else text
