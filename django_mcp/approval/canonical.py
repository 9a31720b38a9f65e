"""The canonical form of arguments: one text for every spelling of the same JSON value, another for every other value.

RFC 8785, except that integers of any size, and floats that are integral, are written as all their digits: as doubles,
which RFC 8785 writes, two different large integers would look the same.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django_mcp.errors import ValidationFailed

# Far above the depth of a request; JSON text inside it that the normaliser parses may nest again.
MAX_DEPTH = 160


def canonical(value: Any) -> str:
    """Return the canonical text of a JSON value.

    Raises ValidationFailed for a value that JSON cannot say (NaN, infinities, lone surrogates) or that nests deeper
    than `MAX_DEPTH`, TypeError for one that is of no JSON type at all.
    """
    text = _canonical(value, MAX_DEPTH)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValidationFailed("A text in the arguments is not valid Unicode: it has a lone surrogate.") from None
    return text


def args_hash(arguments: Mapping[str, Any], forwarded: Mapping[str, str] | None = None) -> str:
    """Return the SHA-256 hex digest of effective arguments and forwarded headers, "" where both are empty."""
    if not arguments and not forwarded:
        return ""
    text = canonical(arguments)
    if forwarded:
        # No canonical text has a line break in it, so this can be no other arguments' text.
        text += "\n" + canonical({name.lower(): value for name, value in forwarded.items()})
    return hashlib.sha256(text.encode()).hexdigest()


def changed_paths(before: Any, after: Any) -> list[str]:
    """Return the paths at which two JSON values differ, such as `items[0].quantity`.

    Of two lists of different length the path is that of the list.
    """
    return list(_changes(before, after, ""))


def _changes(before: Any, after: Any, path: str) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}, key=_utf16):
            here = f"{path}.{key}" if path else key
            if key in before and key in after:
                yield from _changes(before[key], after[key], here)
            else:
                yield here
    elif _is_list(before) and _is_list(after) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes(old, new, f"{path}[{index}]")
    elif canonical(before) != canonical(after):
        yield path


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _canonical(value: Any, depth: int) -> str:
    if depth < 0:
        raise ValidationFailed("The arguments are nested too deeply.")
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        # Without ASCII escapes, json.dumps writes strings as RFC 8785 section 3.2.2.2 asks.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        members = (
            f"{json.dumps(key, ensure_ascii=False)}:{_canonical(value[key], depth - 1)}"
            for key in sorted(value, key=_utf16)
        )
        return "{" + ",".join(members) + "}"
    if _is_list(value):
        return "[" + ",".join(_canonical(item, depth - 1) for item in value) + "]"
    msg = f"{type(value).__name__} is no JSON value."
    raise TypeError(msg)


def _utf16(key: str) -> bytes:
    # RFC 8785 section 3.2.3: by UTF-16 code units. Surrogates are refused later, with a text of their own.
    return key.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValidationFailed("A number in the arguments is not finite.")
    if value == int(value):
        try:
            return str(int(value))
        except ValueError:
            raise ValidationFailed("A number in the arguments has too many digits.") from None
    return _fraction(value)


def _fraction(value: float) -> str:
    """Return a number that is not integral as ECMAScript's Number::toString does; repr has the same digits."""
    text = repr(value)
    mantissa, has_exponent, exponent = text.partition("e")
    if not has_exponent:
        return text
    power = int(exponent)
    if power < -6:
        return f"{mantissa}e{power}"
    sign = "-" if value < 0 else ""
    return f"{sign}0.{'0' * (-power - 1)}{mantissa.lstrip('-').replace('.', '')}"
