"""Results that fit: rows are cut, never strings, and what remains is valid JSON."""

from collections.abc import Mapping
from functools import reduce
from itertools import accumulate, takewhile
from operator import getitem
from typing import Any

from django_mcp.protocol.json import size

Path = tuple[str | int, ...]

MAX_DEPTH = 16


def fit(data: Any, limit: int) -> tuple[Any, bool, str]:
    """Return the data in at most `limit` bytes, whether anything was cut, and a sentence on the cut.

    The biggest list loses rows from its end. An object that is too big without any list keeps its smallest fields.
    """
    total = size(data)
    if total <= limit:
        return data, False, ""
    path = _longest_list(data)
    if path is not None:
        rows: Any = reduce(getitem, path, data)
        # The last row that stays has no comma.
        room = limit - (total - size(rows)) - len("[]") + len(",")
        ends = accumulate(size(row) + len(",") for row in rows)
        count = sum(1 for _end in takewhile(lambda end: end <= room, ends))
        if count:
            name = ".".join(str(key) for key in path) or "the list"
            hint = f"Only the first {count} of {len(rows)} rows of {name} are shown."
            return _replaced(data, path, rows[:count]), True, hint
    return _smallest_fields(data, limit)


def _longest_list(data: Any) -> Path | None:
    """Return the path of the list with the most bytes, searched for in objects only, and at most `MAX_DEPTH` deep."""
    longest: tuple[int, Path] = (0, ())
    level: list[tuple[Path, Any]] = [((), data)]
    for _depth in range(MAX_DEPTH):
        deeper: list[tuple[Path, Any]] = []
        for path, value in level:
            if isinstance(value, list) and len(value) > 1:
                longest = max(longest, (size(value), path), key=lambda candidate: candidate[0])
            elif isinstance(value, Mapping):
                deeper += [((*path, key), item) for key, item in value.items()]
        level = deeper
    return longest[1] if longest[0] else None


def _replaced(data: Any, path: Path, value: Any) -> Any:
    """Return a copy of the data with another value at the path."""
    if not path:
        return value
    return {**data, path[0]: _replaced(data[path[0]], path[1:], value)}


def _smallest_fields(data: Any, limit: int) -> tuple[Any, bool, str]:
    if not isinstance(data, Mapping):
        return None, True, f"The response has {size(data)} bytes, more than the {limit} that fit."
    fitting: set[str] = set()
    room = limit - len("{}")
    for key, item in sorted(data.items(), key=lambda pair: size(pair[1])):
        room -= size({key: item})
        if room < 0:
            break
        fitting.add(key)
    left_out = ", ".join(str(key) for key in data if key not in fitting)
    fields = {key: item for key, item in data.items() if key in fitting}
    return fields, True, f"These fields were too big to show: {left_out}."
