"""Target state: a fingerprint of what a call would change, compared between proposal and execution."""

import datetime
import decimal
import hmac
import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import Error, connections

from django_mcp.approval.signing import digest_keys
from django_mcp.errors import Unavailable
from django_mcp.types import Target

_UNREADABLE = (
    "What the call would change could not be read from the database. Nothing was run; make the same call again."
)


def fingerprint(target: Target | None, said: Any = None, *, locked: bool = False) -> str:
    """Return 64 hex characters that stand for the target's columns as the database has them now, "" for no target.

    `said` is what the host says of the target's state, a JSON value, beside the columns or instead of them. A row
    that is gone has a fingerprint of its own. `locked` keeps others from changing the row until the open transaction
    ends, where the database can do that. Raises Unavailable where it cannot be read.
    """
    text = _text_of(target, said, locked=locked)
    return "" if text is None else _digest(digest_keys()[0], text)


def unchanged(recorded: str, target: Target | None, said: Any = None, *, locked: bool = False) -> bool:
    """Tell whether the target still has the fingerprint that was recorded, perhaps under a key that is now old."""
    text = _text_of(target, said, locked=locked)
    if text is None or not recorded:
        return text is None and not recorded
    return any(hmac.compare_digest(recorded, _digest(key, text)) for key in digest_keys())


def _text_of(target: Target | None, said: Any, *, locked: bool) -> str | None:
    columns = None if target is None else _read(target, locked=locked)
    return columns if said is None else json.dumps([columns, _typed(said)])


def _digest(key: bytes, text: str) -> str:
    # Keyed, since columns may be secrets that are easily guessed.
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()


def _read(target: Target, *, locked: bool) -> str:
    connection = connections[target.using]
    rows = target.model._base_manager.using(target.using).filter(pk=target.pk)  # type: ignore[attr-defined]  # noqa: SLF001 - documented for look-ups of related rows
    lock = locked and connection.in_atomic_block and connection.features.has_select_for_update
    # Whoever sets related rows is not kept from it by a lock on this one, but the look comes after it.
    own = rows.select_for_update() if lock else rows
    try:
        found = next(iter(own.values_list("pk", *target.fields)), None)
        related = [[name, _related(rows, name)] for name in target.relations]
    except Error:
        raise Unavailable(_UNREADABLE) from None
    if found is None:
        return "gone"
    names = ("pk", *target.fields)
    columns = [[name, _typed(value)] for name, value in zip(names, found, strict=True)]
    return json.dumps([*columns, *related])


def _related(rows: Any, name: str) -> list[str]:
    return sorted(repr(key) for key in rows.order_by().values_list(f"{name}__pk", flat=True))


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
    return {type(value).__qualname__: _text(value)}


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID):
        return str(value)
    return repr(value)
