"""The record: `record` appends one redacted line."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django_mcp.models import AuditEvent
from django_mcp.protocol.json import storable
from django_mcp.redaction import redact
from django_mcp.text import one_line
from django_mcp.types import Caller, EventKind


def record(
    kind: EventKind,
    *,
    caller: Caller | Mapping[str, Any] | None = None,
    confirmation: UUID | None = None,
    tool: str = "",
    target: str = "",
    **detail: Any,
) -> AuditEvent:
    """Append one event to the record and return it.

    `caller` is who acted: a caller, or a mapping with any of a snapshot's keys. `detail` holds JSON values and is
    redacted here, so that no place that records can forget to. The insert belongs to whatever transaction is open:
    the callers choose one that the operation cannot roll back. Raises DatabaseError where it cannot be written.
    """
    snapshot = caller.snapshot() if isinstance(caller, Caller) else dict(caller or {})
    return AuditEvent.objects.create(
        kind=kind.value,
        confirmation=confirmation,
        subject=_fit(snapshot.get("subject"), 200),
        user_id=_fit(snapshot.get("user_id"), 64),
        username=_fit(snapshot.get("username"), 200),
        key_id=snapshot.get("key_id"),
        key_label=_fit(snapshot.get("key_label"), 120),
        address=_fit(snapshot.get("address"), 64),
        client=_fit(snapshot.get("client"), 200),
        tool=_fit(tool, 200),
        target=_fit(target, 200),
        detail=storable(redact(detail)),
    )


def _fit(text: object, limit: int) -> str:
    # A client may put its key where its name belongs.
    return one_line(redact(str(text or "")), limit)
