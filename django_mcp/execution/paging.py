"""How many rows a read returns where the agent does not say, and at most."""

from collections.abc import Mapping
from typing import Any

from rest_framework.mixins import ListModelMixin

from django_mcp.conf import conf
from django_mcp.vocabulary import Safety, ToolCall


def limited(call: ToolCall, query: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the query with the paginator's own argument for the page size set and capped, and a note if it was cut.

    Only reads are limited, and only where the paginator takes a size from the request.
    """
    name = _size_argument(call)
    if not name:
        return dict(query), ()
    sent = query.get(name, "")
    try:
        size = int(sent[-1] if isinstance(sent, list) else sent)
    except (ValueError, IndexError):
        size = 0
    if size > conf.MAX_LIMIT:
        return {**query, name: str(conf.MAX_LIMIT)}, (f"{name} was lowered to {conf.MAX_LIMIT}, the most per call.",)
    # A size that the paginator would ignore must not turn pagination off.
    return {**query, name: str(size if size > 0 else conf.DEFAULT_LIMIT)}, ()


def _size_argument(call: ToolCall) -> str | None:
    operation: Any = call.operation
    if operation.method != "GET" or call.safety is not Safety.READ_ONLY:
        return None
    initkwargs = getattr(operation.callback, "initkwargs", {})
    paginator = initkwargs.get("pagination_class", getattr(operation.view_class, "pagination_class", None))
    name: str | None = getattr(paginator, "limit_query_param", None) or getattr(
        paginator, "page_size_query_param", None
    )
    described = any(item.location == "query" and item.wire == name for item in call.placement.values())
    lists = operation.handler in {"list", "get"} and issubclass(operation.view_class, ListModelMixin)
    return name if name and (described or lists) else None
