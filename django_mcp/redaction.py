"""Masking of secrets before they are shown, logged or stored: by the name of their field, or by their own shape."""

import html
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django_mcp.conf import conf
from django_mcp.protocol.json import compact
from django_mcp.text import LEFT_OUT

MASK = "********"
MAX_CACHED_NAME = 100
MAX_DATA_URI = 400
# Deeper than anything that comes in; what a view answers may nest as deep as Python allows.
MAX_SHOWN_DEPTH = 160
# Shorter texts occur everywhere: masking them would only garble the text around.
MIN_SECRET = 3

# A key is known by its length wherever it stands, a piece of one only at the beginning of a word.
_CREDENTIALS = re.compile(r"mcp_(?:cf|file|ask)_[A-Za-z0-9_.\-]+|ak-[A-Za-z0-9_\-]{40,}|\bak-[A-Za-z0-9_\-]{8,}")


def sensitive_name(name: str) -> bool:
    """Tell whether a field of this name holds a secret, by the parts of names in `REDACT_FIELDS`, in any spelling."""
    return _Masking(frozenset(), conf.REDACT_FIELDS).hides(name, "")


def redact(value: Any, sensitive: Collection[str] = (), *, secrets: Iterable[str] = ()) -> Any:
    """Return a copy of a JSON value with secrets masked, at any depth; what nests absurdly deep is left out.

    A field is masked by its name, or because its dotted path (lists do not count) is in `sensitive`, also where objects
    are sent as JSON text. Our own keys and tokens are masked inside any text, and so are `secrets`, the values of
    sensitive arguments. Files, sent as data URIs, are cut to their first part.
    """
    masking = _Masking(frozenset(sensitive), conf.REDACT_FIELDS, _quotations(secrets) if secrets else ())
    return masking.value(value, "", MAX_SHOWN_DEPTH)


def secrets_in(value: Any, sensitive: Collection[str] = ()) -> Iterator[str]:
    """Yield the texts of a JSON value that `redact` would mask by their field, for places that quote values."""
    return _Masking(frozenset(sensitive), conf.REDACT_FIELDS).hidden_texts(value, "", hidden=False)


@dataclass(frozen=True, slots=True)
class _Masking:
    """What hides in one call: fields, by dotted path or by a part of their names, and texts, wherever they stand."""

    paths: frozenset[str]
    name_parts: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    def hides(self, name: str, path: str) -> bool:
        # A caller may send names of any length, and those must not stay in memory.
        matches = _matches if len(name) <= MAX_CACHED_NAME else _matches.__wrapped__
        return path in self.paths or matches(name, self.name_parts)

    def value(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(self.json_text(value, path, depth))
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth == 0:
            return LEFT_OUT
        if not isinstance(value, Mapping):
            return [self.value(item, path, depth - 1) for item in value]
        masked = {}
        for key, item in value.items():
            name = str(key)
            item_path = f"{path}.{name}" if path else name
            # A yes or no keeps no secret, and what is agreed to must be seen.
            hidden = item is not None and not isinstance(item, bool) and self.hides(name, item_path)
            masked[self.text(name)] = MASK if hidden else self.value(item, item_path, depth - 1)
        return masked

    def json_text(self, text: str, path: str, depth: int) -> str:
        """Return text that is an object or a list as JSON, as clients send them, with its secrets masked."""
        if text.lstrip()[:1] not in ("{", "[") or depth == 0:
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        masked = self.value(value, path, depth - 1)
        return text if masked == value else compact(masked)

    def text(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        if text.startswith("data:") and len(text) > MAX_DATA_URI:
            # A file: its bytes say nothing to a reader, and there may be megabytes of them.
            text = f"{text[: text.find(',', 0, MAX_DATA_URI // 2) + 1] or 'data:'}… ({len(text)} characters)"
        return _CREDENTIALS.sub(MASK, text)

    def hidden_texts(self, value: Any, path: str, *, hidden: bool) -> Iterator[str]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                item_path = f"{path}.{key}" if path else str(key)
                yield from self.hidden_texts(item, item_path, hidden=hidden or self.hides(str(key), item_path))
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self.hidden_texts(item, path, hidden=hidden)
        elif hidden and not isinstance(value, bool) and len(str(value)) >= MIN_SECRET:
            yield str(value)


@lru_cache(maxsize=4096)
def _matches(name: str, parts: tuple[str, ...]) -> bool:
    """Tell whether a name holds one of the parts, whatever its spelling: apiKey, api_key, API-KEY."""
    name, *parts_of_name = (text.lower().replace("_", "").replace("-", "") for text in (name, *parts))
    return any(part in name for part in parts_of_name)


_QUOTING: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: repr(text)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    html.escape,
    lambda text: quote(text, safe="", errors="replace"),
)


def _quotations(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets as text may quote them, the longest first: plain, and escaped for Python, JSON, HTML and URLs."""
    quotations = {quoting(secret) for secret in secrets for quoting in _QUOTING}
    return tuple(sorted(quotations, key=len, reverse=True))
