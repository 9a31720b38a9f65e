"""`api_search`: how an agent finds operations."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.choices import Safety
from django_mcp.errors import ValidationFailed
from django_mcp.search.index import Hit, index_for
from django_mcp.text import one_line
from django_mcp.types import Operation

MAX_TAKE = 100
DEFAULT_TAKE = 20
MAX_SUGGESTED = 5
MAX_SUMMARY = 160
TAGS_NAMED = 10
MAX_COUNTED = 100


def search(arguments: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
    """Answer `api_search` with the operations that match, best first.

    Raises ValidationFailed for an argument of the wrong kind.
    """
    query, tag = _text(arguments, "query"), _text(arguments, "tag").casefold()
    safety, take = _safety(arguments), _take(arguments)
    reached = reach.candidates()
    hits = index_for(reached).search(query) if query.strip() else [Hit(item, 0.0, weak=False) for item in reached]
    matches = [hit for hit in hits if _fits(hit.operation, tag, safety)]
    page = list(islice((hit for hit in matches if reach.permits(hit.operation)), take))
    if not page:
        return _no_match(query, reached, reach)
    rest = (hit.operation for hit in matches[matches.index(page[-1]) + 1 :])
    return {
        "status": "success",
        "count": len(page),
        "apis": [_entry(hit) for hit in page],
        "next": f"Call api_describe with the names you need, then api_read or api_call.{_narrowing(rest, reach)}",
    }


def _entry(hit: Hit) -> dict[str, Any]:
    operation = hit.operation
    entry: dict[str, Any] = {
        "name": operation.name,
        "summary": one_line(operation.summary or operation.description, MAX_SUMMARY),
        "tags": _tags(operation),
        "safety": operation.safety.value,
        "method": operation.method,
        "route": operation.route,
    }
    if hit.weak:
        entry["match"] = "weak"
    return entry


def _tags(operation: Operation) -> list[str]:
    return list(dict.fromkeys((operation.group, *operation.tags)))


def _fits(operation: Operation, tag: str, safety: Safety | None) -> bool:
    tagged = not tag or tag in {item.casefold() for item in _tags(operation)}
    return tagged and (safety is None or operation.safety is safety)


def _narrowing(rest: Iterable[Operation], reach: Reach) -> str:
    """Return a sentence that counts the other matches by tag, empty where the caller is permitted none of them."""
    # Asking the views of thousands takes time, and the count must not tell of operations that were not asked.
    permitted = list(islice(reach.permitted(rest), MAX_COUNTED + 1))
    if not permitted:
        return ""
    tags = Counter(tag for operation in permitted for tag in _tags(operation))
    counts = ", ".join(f"{one_line(tag)} ({count})" for tag, count in tags.most_common(TAGS_NAMED))
    number = len(permitted) if len(permitted) <= MAX_COUNTED else f"More than {MAX_COUNTED}"
    return f" {number} more match; narrow by tag: {counts}; or by safety, or raise take."


def _no_match(query: str, reached: tuple[Operation, ...], reach: Reach) -> dict[str, Any]:
    suggested = list(islice(reach.permitted(index_for(reached).nearest(query)), MAX_SUGGESTED))
    tags = {tag for operation in reach.permitted(reached[:MAX_TAKE]) for tag in _tags(operation)}
    return {
        "status": "no_match",
        "count": 0,
        "apis": [],
        "availableTags": sorted(tags),
        "suggestedApis": [operation.name for operation in suggested],
        "next": "Try other words, search by one of availableTags, or leave query out to list what there is.",
    }


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValidationFailed(f"{name} must be a string.")
    return value


def _safety(arguments: Mapping[str, Any]) -> Safety | None:
    value = _text(arguments, "safety")
    if not value:
        return None
    try:
        return Safety(value)
    except ValueError:
        raise ValidationFailed(f"safety must be one of {', '.join(Safety)}.") from None


def _take(arguments: Mapping[str, Any]) -> int:
    value = arguments.get("take")
    if value is None or value == "":
        return DEFAULT_TAKE
    try:
        return min(max(int(value), 1), MAX_TAKE)
    except (TypeError, ValueError, OverflowError):
        raise ValidationFailed(f"take must be a number from 1 to {MAX_TAKE}.") from None
