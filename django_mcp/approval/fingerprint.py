"""Target state: a fingerprint of what a call would change, compared between proposal and execution."""

import datetime
import decimal
import hmac
import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import Error, connections

from django_mcp.approval.signing import Purpose, keys_for
from django_mcp.errors import Unavailable
from django_mcp.types import Target

_UNREADABLE = (
    "What the call would change could not be read from the database. Nothing was run; make the same call again."
)


def fingerprint(target: Target | None, host_state: Any = None, *, locked: bool = False) -> str:
    """Return 64 hex characters that stand for the target's columns in the database now, "" for no target.

    `host_state` is the host's own description of the target's state, a JSON value; it counts beside the columns or
    instead of them. A row that is gone has a fingerprint of its own. `locked` keeps others from changing the row until
    the open transaction ends, where the database can do that. Raises Unavailable where the row cannot be read.
    """
    text = _text(target, host_state, locked=locked)
    return "" if text is None else _digest(keys_for(Purpose.DIGEST)[0], text)


def unchanged(recorded: str, target: Target | None, host_state: Any = None, *, locked: bool = False) -> bool:
    """Tell whether the target still has the fingerprint that was recorded, perhaps under a key that is now old."""
    text = _text(target, host_state, locked=locked)
    if text is None or not recorded:
        return text is None and not recorded
    return any(hmac.compare_digest(recorded, _digest(key, text)) for key in keys_for(Purpose.DIGEST))


def _digest(key: bytes, text: str) -> str:
    # Keyed, since columns may be secrets that are easily guessed.
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()


def _text(target: Target | None, host_state: Any, *, locked: bool) -> str | None:
    columns = None if target is None else _columns(target, locked=locked)
    return columns if host_state is None else json.dumps([columns, _typed(host_state)])


def _columns(target: Target, *, locked: bool) -> str:
    """Return the target's columns and related keys as JSON. Raises Unavailable where they cannot be read."""
    connection = connections[target.using]
    rows = target.model._base_manager.using(target.using).filter(pk=target.pk)  # type: ignore[attr-defined]  # noqa: SLF001 - documented for look-ups of related rows
    lock = locked and connection.in_atomic_block and connection.features.has_select_for_update
    # A lock on this row does not keep others from setting its related rows, but these are read after it is taken.
    own = rows.select_for_update() if lock else rows
    names = ("pk", *target.fields)
    try:
        values = next(iter(own.values_list(*names)), None)
        related = [
            [name, sorted(repr(key) for key in rows.order_by().values_list(f"{name}__pk", flat=True))]
            for name in target.relations
        ]
    except Error:
        raise Unavailable(_UNREADABLE) from None
    if values is None:
        return "gone"
    columns = [[name, _typed(value)] for name, value in zip(names, values, strict=True)]
    return json.dumps([*columns, *related])


def _typed(value: Any) -> Any:
    """Return JSON that no value of another type or content has. Equal values of one column give equal JSON."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        return {"map": sorted([json.dumps(_typed(key)), _typed(item)] for key, item in value.items())}
    if isinstance(value, list | tuple):
        return {"list": [_typed(item) for item in value]}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        text = value.astimezone(datetime.UTC).isoformat()
    elif isinstance(value, datetime.date | datetime.time):
        text = value.isoformat()
    else:
        text = str(value) if isinstance(value, decimal.Decimal | uuid.UUID) else repr(value)
    return {type(value).__qualname__: text}
