"""The audit of calls that were not executed. Nothing ran, so an event that cannot be written changes no answer."""

from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError

from django_mcp import audit, error_reports
from django_mcp.access.exposure import Reach
from django_mcp.access.server_config import API_TOOLS
from django_mcp.approval import cache_lock, tokens
from django_mcp.choices import EventKind, Safety
from django_mcp.errors import ApprovalError, NotFound, ProtocolError, ToolError
from django_mcp.protocol.json import bounded
from django_mcp.redaction import redact
from django_mcp.tools.base import TOKEN, CallingTool
from django_mcp.types import Call, Caller


def note(kind: EventKind, call: Call, caller: Caller, **detail: Any) -> None:
    """Record an event of a call, with its details."""
    _record(kind, caller, tool=call.tool, target=call.target, **detail)


def refused(call: Call, caller: Caller, error: ToolError | ProtocolError) -> None:
    """Record that a write was refused, or a token that came with it."""
    detail: dict[str, Any] = {"code": error.code, "arguments": bounded(redact(call.sent, call.sensitive))}
    if isinstance(error, ApprovalError):
        # Other texts are the host's, and may quote a value that nobody should read here.
        detail["text"] = error.text
    _record_refusal(call.token, caller, tool=call.tool, target=call.target, **detail)


def unresolved(tool: CallingTool, arguments: Mapping[str, Any], reach: Reach, error: ToolError) -> None:
    """Record a refusal that came before there was a call: of a token, or of the arguments of a write."""
    args = arguments.get("args")
    token = tokens.clean(arguments.get(TOKEN) or (args.get(TOKEN) if isinstance(args, Mapping) else None))
    # First, so that what is out of reach costs the same whether it exists or not.
    if token is None and isinstance(error, NotFound):
        return
    operation = reach.catalog.get(str(arguments.get("name"))) if tool.group == API_TOOLS else None
    is_read = not operation.mutates if operation is not None else tool.safety(reach) is Safety.READ_ONLY
    if token is None and is_read:
        return
    target = operation.name if operation is not None else tool.name
    _record_refusal(token, reach.context.caller, tool=tool.name, target=target, code=error.code)


def _record_refusal(token: str | None, caller: Caller, **detail: Any) -> None:
    """Record the 1st, 10th, 100th, … refusal in a minute, with the number so far: anyone can cause them without end.

    Refusals are alike that have the caller and the code in common and what was refused: the confirmation, of which
    there are only as many as were issued, or the target; nothing where the token was never signed here.
    """
    kind = EventKind.CALL_REFUSED if token is None else EventKind.TOKEN_REFUSED
    confirmation = None if token is None else tokens.confirmation_of(token)
    alike = (kind, caller.subject, detail["code"], detail["target"] if token is None else confirmation or "")
    count = cache_lock.counted(*map(str, alike))
    if count is not None and not is_power_of_ten(count):
        return
    if count is not None and count > 1:
        detail["count"] = count
    if token is not None:
        detail["confirmation"] = confirmation
    _record(kind, caller, **detail)


def is_power_of_ten(count: int) -> bool:
    """Tell whether a count is 1, 10, 100, …"""
    return str(count).rstrip("0") == "1"


def _record(kind: EventKind, caller: Caller, **detail: Any) -> None:
    try:
        audit.record(kind, caller=caller, **detail)
    except DatabaseError as error:
        error_reports.report(f"An event of kind {kind.value} could not be recorded.", error)
