"""What is kept of arguments and answers: JSON that every database takes, and no more of it than is useful."""

import json
import math
from collections.abc import Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

MAX_BYTES = 8 * 1024
# MariaDB's JSON_VALID, which guards its JSON columns, gives up at 32 levels; what holds an excerpt takes some of them.
MAX_DEPTH = 24
LEFT_OUT = "…"


def storable(value: Any, depth: int = MAX_DEPTH) -> Any:
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


def clean_text(text: str) -> str:
    """Return text without what PostgreSQL cannot store."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


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


def size(value: Any) -> int:
    """Return the bytes of a value as compact JSON."""
    return len(json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":")).encode())


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
