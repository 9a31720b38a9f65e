"""`api_describe`: how an agent understands operations."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.approval.policy import Run, decide
from django_mcp.errors import NotFound, ValidationFailed
from django_mcp.protocol.json import NotStrict, parse
from django_mcp.tools.base import API_CALL, API_READ
from django_mcp.tools.calls import bare_call, reachable_names, reads_at_once, schema_of

MAX_DESCRIBED = 10


def describe(arguments: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
    """Answer `api_describe` with the schemas, safety and approval of each named operation.

    Raises ValidationFailed for no names, or more than `MAX_DESCRIBED`.
    """
    names = arguments.get("names")
    if isinstance(names, str):
        # One name, or a list of them as JSON text.
        text, names = names, [names]
        if text.lstrip().startswith("["):
            with suppress(NotStrict):
                names = parse(text)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValidationFailed("names must be a list of operation names, as api_search returns them.")
    if len(names) > MAX_DESCRIBED:
        raise ValidationFailed(f"At most {MAX_DESCRIBED} operations are described at once. Ask for fewer names.")
    described = [_described(name, reach) for name in names]
    return {
        "status": "success",
        "count": len(described),
        "apis": described,
        "next": "Call an operation with the tool it names, its arguments inside args.",
    }


def _described(name: str, reach: Reach) -> dict[str, Any]:
    operation = reach.get(name)
    if operation is None:
        return {"name": name, "error": NotFound().text.rstrip(".")}
    schema = schema_of(operation, reach)
    hints = operation.hints
    call = bare_call(operation, reach, tool=API_CALL)
    decision = decide(call, reach.server, reach.context.caller)
    tool: dict[str, Any] = {
        "name": API_READ if reads_at_once(operation, reach) else API_CALL,
        "safety": operation.safety.value,
        "requiresApproval": not isinstance(decision, Run),
        "approval": None if isinstance(decision, Run) and not call.mutates else decision.mode.value,
        "whenToUse": hints.when_to_use or "",
        "examples": list(hints.examples),
    }
    described: dict[str, Any] = {
        "name": operation.name,
        "description": hints.description or operation.description or operation.summary,
        "inputSchema": schema.input,
        "outputSchema": schema.output,
        "tool": tool,
        "prerequisites": reachable_names(hints.prerequisites, reach),
        "preview": next(iter(reachable_names([hints.preview] if hints.preview else [], reach)), None),
        "followUps": reachable_names(hints.follow_ups, reach),
        "method": operation.method,
        "route": schema.route or operation.route,
    }
    if schema.notes:
        described["notes"] = list(schema.notes)
    return described
