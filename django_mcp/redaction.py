"""What must not be shown or stored, and how text that quotes data is made safe to read."""

import math
import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any

from django_mcp.conf import conf

MASK = "********"
MAX_QUOTED = 200
# MariaDB's JSON_VALID, which guards its JSON columns, gives up at 32 levels; what holds an excerpt takes some of them.
MAX_DEPTH = 24
LEFT_OUT = "…"

_SECRETS = re.compile(r"mcp_cf_[A-Za-z0-9_.\-]+|\bak-[A-Za-z0-9_\-]{8,}")


def sensitive_name(name: str) -> bool:
    """Tell whether a field of this name holds a secret: the configured substrings, without regard to case."""
    lowered = name.lower().replace("-", "_")
    return any(part.lower() in lowered for part in conf.REDACT_FIELDS)


def redact(value: Any, sensitive: Collection[str] = ()) -> Any:
    """Return a copy of a JSON value with secrets masked, at any depth.

    A field is masked by its name, or because its dotted path (lists do not count) is in `sensitive`. Our own keys
    and tokens are masked inside any text.
    """
    return _redact(value, frozenset(sensitive), "")


def _redact(value: Any, sensitive: frozenset[str], path: str) -> Any:
    if isinstance(value, Mapping):
        masked = {}
        for key, item in value.items():
            here = f"{path}.{key}" if path else str(key)
            secret = here in sensitive or sensitive_name(str(key))
            masked[_scrub(str(key))] = MASK if secret and item is not None else _redact(item, sensitive, here)
        return masked
    if isinstance(value, list | tuple):
        return [_redact(item, sensitive, path) for item in value]
    return _scrub(value) if isinstance(value, str) else value


def _scrub(text: str) -> str:
    return _SECRETS.sub(MASK, text)


def one_line(text: object, limit: int = MAX_QUOTED) -> str:
    """Return text from data as one line: no control or bidirectional characters, at most `limit` characters."""
    kept = "".join(
        " " if char.isspace() else char for char in str(text) if char.isspace() or unicodedata.category(char)[0] != "C"
    )
    kept = " ".join(kept.split())
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def quoted(text: object) -> str:
    """Return a value from data as a quoted, one-line string that cannot end its own quotation."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def storable(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a JSON value as any database's JSON column can hold it.

    NUL and lone surrogates, which PostgreSQL refuses, are replaced, numbers that are not finite become null, and what
    lies too deep is left out.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping | list | tuple):
        if depth == 0:
            return LEFT_OUT
        if isinstance(value, Mapping):
            return {clean_text(str(key)): storable(item, depth - 1) for key, item in value.items()}
        return [storable(item, depth - 1) for item in value]
    return value


def clean_text(text: str) -> str:
    """Return text without what PostgreSQL cannot store."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
