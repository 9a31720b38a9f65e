"""What the record says of calls that were not executed. Nothing ran, so a record that fails changes no answer."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import DatabaseError

from django_mcp import audit, error_reports
from django_mcp.access.exposure import Reach
from django_mcp.access.server_config import API_TOOLS
from django_mcp.approval import tokens
from django_mcp.errors import ApprovalError, NotFound, ProtocolError, ToolError
from django_mcp.protocol.json import bounded
from django_mcp.redaction import redact
from django_mcp.tools.base import TOKEN, CallingTool
from django_mcp.types import Call, Caller, EventKind, Safety


def note(kind: EventKind, call: Call, caller: Caller, **detail: Any) -> None:
    """Record something of a call."""
    _record(kind, caller, tool=call.tool, target=call.target, **detail)


def refused(call: Call, caller: Caller, error: ToolError | ProtocolError) -> None:
    """Record that a write was refused, or a token that came with it."""
    said: dict[str, Any] = {"code": error.code, "arguments": bounded(redact(call.sent, call.sensitive))}
    if isinstance(error, ApprovalError):
        # Other texts are the host's, and may quote a value that nobody should read here.
        said["text"] = error.text
    note(_kind(call.token), call, caller, confirmation=_confirmation(call.token), **said)


def unresolved(tool: CallingTool, arguments: Mapping[str, Any], reach: Reach, error: ToolError) -> None:
    """Record a refusal that came before there was a call: of a token, or of the arguments of a write."""
    operation = reach.catalog.get(str(arguments.get("name"))) if tool.group == API_TOOLS else None
    token = _token(arguments)
    harmless = not operation.mutates if operation is not None else tool.safety(reach) is Safety.READ_ONLY
    if token is None and (harmless or isinstance(error, NotFound)):
        return
    target = operation.name if operation is not None else tool.name
    _record(
        _kind(token),
        reach.context.caller,
        tool=tool.name,
        target=target,
        confirmation=_confirmation(token),
        code=error.code,
    )


def _token(arguments: Mapping[str, Any]) -> str | None:
    inside = arguments.get("args")
    return tokens.clean(arguments.get(TOKEN) or (inside.get(TOKEN) if isinstance(inside, Mapping) else None))


def _kind(token: str | None) -> EventKind:
    return EventKind.CALL_REFUSED if token is None else EventKind.TOKEN_REFUSED


def _confirmation(token: str | None) -> UUID | None:
    return None if token is None else tokens.confirmation_of(token)


def _record(kind: EventKind, caller: Caller, **said: Any) -> None:
    try:
        audit.record(kind, caller=caller, **said)
    except DatabaseError as error:
        error_reports.report(f"An event of kind {kind.value} could not be recorded.", error)
