"""What is kept of arguments and answers: no more than is useful."""

from collections.abc import Mapping
from typing import Any

from django_mcp.protocol.portable_json import size
from django_mcp.redaction import LEFT_OUT

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
