"""The fingerprint of a call's target: what was shown and what would change, compared between proposal and execution.

Two sets of keyed digests: of the columns, as the database holds them, and of the values that the preview took from the
row. One digest for each name, so that a difference can be named without keeping a value.
"""

import datetime
import decimal
import hmac
import json
import secrets
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import Error, connections

from django_mcp.approval.signing import Purpose, keys_for
from django_mcp.errors import Unavailable
from django_mcp.types import Target

Fingerprint = Mapping[str, Any]

_ROW, _COLUMNS, _VALUES, _HOST, _SALT = "row", "columns", "values", "host", "salt"
_UNREADABLE = (
    "What the call would change could not be read from the database. Nothing was run; make the same call again."
)


def fingerprint(target: Target | None, values: Mapping[str, Any], host_state: Any = None) -> dict[str, Any]:
    """Return the fingerprint of a target as it is now, {} where there is nothing to compare.

    `values` are those of the row that are shown. `host_state` is what the host says of the target's state, a JSON
    value, beside the columns or instead of them. Raises Unavailable where the row cannot be read.
    """
    parts = _parts(target, values, host_state, locked=False)
    if not any(parts.values()):
        return {}
    salt = secrets.token_hex(8)
    digests = {
        part: {name: _digest(keys_for(Purpose.DIGEST)[0], salt, part, name, text) for name, text in texts.items()}
        for part, texts in parts.items()
    }
    return {_SALT: salt, **digests}


def differences(
    recorded: Fingerprint,
    target: Target | None,
    values: Mapping[str, Any] | None,
    host_state: Any = None,
    *,
    locked: bool = False,
) -> list[str]:
    """Return the names of what is not as it was recorded; [] where nothing differs.

    A row that is gone is "row", a host's state "state". Without `values` only columns and state are compared. `locked`
    keeps others from changing the row until the open transaction ends, where the database can do that. Digests made
    under a key that is now old still count. Raises Unavailable where the row cannot be read.
    """
    parts = _parts(target, values or {}, host_state, locked=locked)
    names: dict[str, None] = {}
    for part, texts in parts.items():
        before: Mapping[str, str] = recorded.get(part, {})
        if part == _VALUES and values is None:
            continue
        for name in {**before, **texts}:
            if not _is_same(before.get(name), str(recorded.get(_SALT)), part, name, texts.get(name)):
                names[name] = None
    return list(names)


def _parts(
    target: Target | None, values: Mapping[str, Any], host_state: Any, *, locked: bool
) -> dict[str, dict[str, str]]:
    columns = {} if target is None else dict(_columns(target, locked=locked))
    row = {} if target is None else {_ROW: json.dumps([target.model.__name__, str(target.pk), bool(columns)])}
    return {
        _ROW: row,
        _COLUMNS: columns,
        _VALUES: {name: json.dumps(_typed(value), sort_keys=True) for name, value in values.items()},
        _HOST: {} if host_state is None else {"state": json.dumps(_typed(host_state))},
    }


def _is_same(before: str | None, salt: str, part: str, name: str, text: str | None) -> bool:
    if before is None or text is None:
        return before is None and text is None
    return any(hmac.compare_digest(before, _digest(key, salt, part, name, text)) for key in keys_for(Purpose.DIGEST))


def _digest(key: bytes, salt: str, part: str, name: str, text: str) -> str:
    # Keyed, since columns may be secrets that are easily guessed.
    message = "\n".join((salt, part, name, text)).encode("utf-8", "surrogatepass")
    return hmac.digest(key, message, "sha256").hex()[:32]


def _columns(target: Target, *, locked: bool) -> Iterator[tuple[str, str]]:
    """Yield the columns as the database holds them, and the keys of the related rows; nothing for a row that is gone."""
    connection = connections[target.using]
    model: Any = target.model
    rows = model._base_manager.using(target.using).filter(pk=target.pk)  # noqa: SLF001 - documented for look-ups of related rows
    lock = locked and connection.in_atomic_block and connection.features.has_select_for_update
    # Whoever sets related rows is not kept from it by a lock on this one, but the look comes after it.
    own = rows.select_for_update() if lock else rows
    try:
        row = next(iter(own.only(*target.fields)), None)
        if row is None:
            return
        for name in target.fields:
            field = model._meta.get_field(name) if name != "pk" else model._meta.pk  # noqa: SLF001 - Django documents it
            yield name, json.dumps(_stored(row, field, connection), sort_keys=True)
        for name in target.relations:
            keys = rows.order_by().values_list(f"{name}__pk", flat=True)
            yield name, json.dumps(sorted(str(key) for key in keys))
    except Error:
        raise Unavailable(_UNREADABLE) from None


def _stored(row: Any, field: Any, connection: Any) -> Any:
    """Return a column's value as the database holds it: never its repr(), which may be constant or an address."""
    value = field.value_from_object(row)
    if value is None:
        return None
    if hasattr(value, "ewkb"):
        # A geometry: the bytes that it is stored as, with its reference system.
        return {"ewkb": bytes(value.ewkb).hex()}
    prepared = field.get_db_prep_save(value, connection)
    if isinstance(prepared, bool | int | float | str | bytes | decimal.Decimal | datetime.date | uuid.UUID):
        return _typed(prepared)
    if isinstance(value, Mapping | list | tuple):
        return _typed(value)
    return {"text": str(field.value_to_string(row))}


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
        value = value.astimezone(datetime.UTC)
    if isinstance(value, datetime.date | datetime.time):
        return {type(value).__name__: value.isoformat()}
    return {type(value).__name__: str(value)}
