"""Results that fit: rows are cut, never strings, and what remains is valid JSON."""

from collections.abc import Mapping
from typing import Any

from django_mcp.protocol.json import size

Path = tuple[str | int, ...]

MAX_DEPTH = 16


def fit(data: Any, limit: int) -> tuple[Any, bool, str]:
    """Return the data in at most `limit` bytes, whether anything was cut, and a sentence on what.

    The biggest list loses rows from its end. What is too big without any list keeps its smallest fields.
    """
    if size(data) <= limit:
        return data, False, ""
    path = _longest_list(data)
    if path is not None:
        rows = _at(data, path)
        room = limit - (size(data) - size(rows))
        kept = _rows_within(rows, room)
        if kept:
            name = ".".join(str(part) for part in path) or "the list"
            hint = f"Only the first {kept} of {len(rows)} rows of {name} are shown."
            return _with(data, path, rows[:kept]), True, hint
    return _smallest_fields(data, limit)


def _longest_list(data: Any) -> Path | None:
    """Return the path of the list that takes the most room, looking only into objects, and not absurdly deep."""
    best: tuple[int, Path] = (0, ())
    level: list[tuple[Path, Any]] = [((), data)]
    for _depth in range(MAX_DEPTH):
        deeper: list[tuple[Path, Any]] = []
        for path, value in level:
            if isinstance(value, list) and len(value) > 1:
                best = max(best, (size(value), path), key=lambda found: found[0])
            elif isinstance(value, Mapping):
                deeper += [((*path, key), item) for key, item in value.items()]
        level = deeper
    return best[1] if best[0] else None


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def _with(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    return {**data, path[0]: _with(data[path[0]], path[1:], value)}


def _rows_within(rows: list[Any], room: int) -> int:
    used = len("[]")
    for index, row in enumerate(rows):
        used += size(row) + len(",")
        if used > room + len(","):
            return index
    return len(rows)


def _smallest_fields(data: Any, limit: int) -> tuple[Any, bool, str]:
    if not isinstance(data, Mapping):
        return None, True, f"The response has {size(data)} bytes, more than the {limit} that fit."
    kept: dict[str, Any] = {}
    room = limit - len("{}")
    for key, item in sorted(data.items(), key=lambda pair: size(pair[1])):
        room -= size({key: item})
        if room < 0:
            break
        kept[key] = item
    left_out = ", ".join(str(key) for key in data if key not in kept)
    ordered = {key: kept[key] for key in data if key in kept}
    return ordered, True, f"These fields were too big to show: {left_out}."
