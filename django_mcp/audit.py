"""The record: `record` appends one redacted line."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import models

from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent
from django_mcp.protocol.json import storable
from django_mcp.redaction import redact
from django_mcp.text import one_line
from django_mcp.types import Caller

# The columns of free text, with the most characters that each takes.
_TEXT_COLUMNS = {
    column.name: column.max_length or 0
    for column in AuditEvent._meta.fields  # noqa: SLF001 - Django documents it
    if isinstance(column, models.CharField) and not column.choices
}


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
    snapshot.update(tool=tool, target=target)
    # A client may put its key where its name belongs. The values go without their names: a host may well mask each
    # field that is named after a key, and the record needs its id.
    texts = [str(snapshot.get(name) or "") for name in _TEXT_COLUMNS]
    masked_detail, *masked = redact([detail, *texts])
    columns = zip(_TEXT_COLUMNS.items(), masked, strict=True)
    return AuditEvent.objects.create(
        kind=kind,
        confirmation=confirmation,
        key_id=snapshot.get("key_id"),
        detail=storable(masked_detail),
        **{name: one_line(text, max_length) for (name, max_length), text in columns},
    )
