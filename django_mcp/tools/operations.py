"""Operations as one caller meets them: their schema, whether they ask, and their calls."""

from collections.abc import Iterable
from typing import Any

from django_mcp.catalog.schema import OperationSchema, schema_for
from django_mcp.exposure import Reach
from django_mcp.server import approval_required
from django_mcp.vocabulary import Operation, Safety, ToolCall


def schema_of(operation: Operation, reach: Reach) -> OperationSchema:
    """Return the operation's schema as this caller's user sees it."""
    return schema_for(operation, lambda: reach.view(operation))


def requires_approval(operation: Operation, reach: Reach) -> bool:
    """Tell whether the operation asks before it runs, by its own word or by a rule's."""
    rules = reach.server.rules_for(operation.name, operation.method, operation.route)
    return approval_required(rules, said=operation.requires_approval)


def reads_at_once(operation: Operation, reach: Reach) -> bool:
    """Tell whether `api_read` may call it."""
    return operation.safety is Safety.READ_ONLY and not requires_approval(operation, reach)


def call_of(operation: Operation, reach: Reach, *, tool: str, **asked: Any) -> ToolCall:
    """Return the call of an operation through a tool. Without what was `asked` it is enough to decide on."""
    return ToolCall(
        tool=tool,
        target=operation.name,
        title=operation.summary,
        safety=operation.safety,
        requires_approval=requires_approval(operation, reach),
        group=operation.group,
        operation=operation,
        summary=operation.hints.summary,
        **asked,
    )


def reachable_names(names: Iterable[str], reach: Reach) -> list[str]:
    """Return the canonical names of those operations that the caller reaches, in whatever way they are published."""
    found = (reach.catalog.get(name) for name in names)
    return [operation.name for operation in found if operation is not None and reach.reaches(operation)]
