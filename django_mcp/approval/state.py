"""Target state: a fingerprint of what a call would change, compared between proposal and execution."""

import datetime
import decimal
import hmac
import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import Error, connections

from django_mcp.approval.keyring import digest_keys
from django_mcp.errors import Unavailable
from django_mcp.vocabulary import Target

_UNREADABLE = (
    "What the call would change could not be read from the database. Nothing was run; make the same call again."
)


def fingerprint(target: Target | None, *, locked: bool = False) -> str:
    """Return 64 hex characters that stand for the target's columns as the database has them now, "" for no target.

    A row that is gone has a fingerprint of its own. `locked` keeps others from changing the row until the open
    transaction ends, where the database can do that. Raises Unavailable where it cannot be read.
    """
    return "" if target is None else _digest(digest_keys()[0], _read(target, locked=locked))


def unchanged(recorded: str, target: Target | None, *, locked: bool = False) -> bool:
    """Tell whether the target still has the fingerprint that was recorded, perhaps under a key that is now old."""
    if target is None or not recorded:
        return target is None and not recorded
    text = _read(target, locked=locked)
    return any(hmac.compare_digest(recorded, _digest(key, text)) for key in digest_keys())


def _digest(key: bytes, text: str) -> str:
    # Keyed, since columns may be secrets that are easily guessed.
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()


def _read(target: Target, *, locked: bool) -> str:
    connection = connections[target.using]
    rows = target.model._base_manager.using(target.using).filter(pk=target.pk)  # type: ignore[attr-defined]  # noqa: SLF001 - documented for look-ups of related rows
    if locked and connection.in_atomic_block and connection.features.has_select_for_update:
        rows = rows.select_for_update()
    try:
        found = next(iter(rows.values_list("pk", *target.fields)), None)
    except Error:
        raise Unavailable(_UNREADABLE) from None
    if found is None:
        return "gone"
    names = ("pk", *target.fields)
    return json.dumps([[name, _typed(value)] for name, value in zip(names, found, strict=True)])


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
    return {_tag(value): _text(value)}


def _tag(value: Any) -> str:
    return type(value).__qualname__


def _text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID):
        return str(value)
    return repr(value)
