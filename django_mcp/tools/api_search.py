"""`api_search`: how an agent finds operations."""

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.errors import ValidationFailed
from django_mcp.search.index import Hit, index_for
from django_mcp.text import one_line
from django_mcp.types import Operation, Safety

MAX_TAKE = 100
DEFAULT_TAKE = 20
MAX_SUGGESTED = 5
MAX_SUMMARY = 160
TAGS_NAMED = 10
MAX_COUNTED = 100


def search(arguments: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
    """Answer `api_search`: the operations that match, best first.

    Raises ValidationFailed for an argument of the wrong kind.
    """
    query = _text(arguments, "query")
    tag = _text(arguments, "tag")
    safety = _safety(arguments)
    take = _take(arguments)
    reached = reach.candidates()
    hits = index_for(reached).search(query) if query.strip() else [Hit(item, 0.0, weak=False) for item in reached]
    tag = tag.casefold()
    wanted = [hit for hit in hits if _fits(hit.operation, tag, safety)]
    shown = list(islice((hit for hit in wanted if reach.permits(hit.operation)), take))
    if not shown:
        return _no_match(query, reached, reach)
    return {
        "status": "success",
        "count": len(shown),
        "apis": [_line(hit) for hit in shown],
        "next": _what_next(wanted, shown, reach),
    }


def _line(hit: Hit) -> dict[str, Any]:
    operation = hit.operation
    line: dict[str, Any] = {
        "name": operation.name,
        "summary": one_line(operation.summary or operation.description, MAX_SUMMARY),
        "tags": _tags(operation),
        "safety": operation.safety.value,
        "method": operation.method,
        "route": operation.route,
    }
    if hit.weak:
        line["match"] = "weak"
    return line


def _tags(operation: Operation) -> list[str]:
    return list(dict.fromkeys((operation.group, *operation.tags)))


def _fits(operation: Operation, tag: str, safety: Safety | None) -> bool:
    tagged = not tag or tag in {item.casefold() for item in _tags(operation)}
    return tagged and (safety is None or operation.safety is safety)


def _what_next(wanted: list[Hit], shown: list[Hit], reach: Reach) -> str:
    text = "Call api_describe with the names you need, then api_read or api_call."
    after = (hit.operation for hit in wanted[wanted.index(shown[-1]) + 1 :])
    # Asking the views of thousands takes time, and what has not been asked must not be told of.
    rest = list(islice(reach.permitted(after), MAX_COUNTED + 1))
    if not rest:
        return text
    tags = Counter(tag for operation in rest for tag in _tags(operation))
    named = ", ".join(f"{one_line(tag)} ({count})" for tag, count in tags.most_common(TAGS_NAMED))
    number = len(rest) if len(rest) <= MAX_COUNTED else f"More than {MAX_COUNTED}"
    return f"{text} {number} more match; narrow by tag: {named}; or by safety, or raise take."


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
