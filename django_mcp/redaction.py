"""What must not be shown or stored, and how text that quotes data is made safe to read."""

import html
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django_mcp.conf import conf
from django_mcp.text import LEFT_OUT

MASK = "********"
MAX_KNOWN_NAME = 100
MAX_DATA_URI = 400
# Deeper than anything that comes in; what a view answers may nest as deep as Python allows.
MAX_SHOWN_DEPTH = 160
# Shorter texts occur everywhere: masking them would only garble what is said.
MIN_SECRET = 3

# A key is known by its length wherever it stands, a piece of one only at the beginning of a word.
_SECRETS = re.compile(r"mcp_(?:cf|file|ask)_[A-Za-z0-9_.\-]+|ak-[A-Za-z0-9_\-]{40,}|\bak-[A-Za-z0-9_\-]{8,}")


def sensitive_name(name: str) -> bool:
    """Tell whether a field of this name holds a secret: the configured substrings, however they are spelled."""
    return _is_sensitive(name, conf.REDACT_FIELDS)


def _is_sensitive(name: str, parts: tuple[str, ...]) -> bool:
    # A caller may send names of any length, and those must not stay in memory.
    return _known(name, parts) if len(name) <= MAX_KNOWN_NAME else _known.__wrapped__(name, parts)


@lru_cache(maxsize=4096)
def _known(name: str, parts: tuple[str, ...]) -> bool:
    plain = _letters(name)
    return any(_letters(part) in plain for part in parts)


def _letters(name: str) -> str:
    """Return a name without what spellings of it differ in: apiKey, api_key, API-KEY."""
    return name.lower().replace("_", "").replace("-", "")


def redact(value: Any, sensitive: Collection[str] = (), *, secrets: Iterable[str] = ()) -> Any:
    """Return a copy of a JSON value with secrets masked, at any depth; what nests absurdly deep is left out.

    A field is masked by its name, or because its dotted path (lists do not count) is in `sensitive`, also where objects
    are sent as JSON text. Our own keys and tokens are masked inside any text, and so are `secrets`, the values that came
    in sensitive arguments. Files, sent as data URIs, are cut to their first part.
    """
    return _Masking(frozenset(sensitive), conf.REDACT_FIELDS, forms_of(secrets) if secrets else ()).mask(
        value, "", MAX_SHOWN_DEPTH
    )


@dataclass(frozen=True, slots=True)
class _Masking:
    sensitive: frozenset[str]
    parts: tuple[str, ...]
    secrets: tuple[str, ...]

    def mask(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(self._within(value, path, depth))
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth == 0:
            return LEFT_OUT
        if not isinstance(value, Mapping):
            return [self.mask(item, path, depth - 1) for item in value]
        masked = {}
        for key, item in value.items():
            here = f"{path}.{key}" if path else str(key)
            secret = here in self.sensitive or _is_sensitive(str(key), self.parts)
            # A yes or no keeps no secret, and what is agreed to must be seen.
            secret = secret and item is not None and not isinstance(item, bool)
            masked[self.text(str(key))] = MASK if secret else self.mask(item, here, depth - 1)
        return masked

    def _within(self, text: str, path: str, depth: int) -> str:
        """Return text that is an object or a list as JSON, as clients send them, with its secrets masked."""
        if text.lstrip()[:1] not in ("{", "[") or depth == 0:
            return text
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            return text
        masked = self.mask(said, path, depth - 1)
        return text if masked == said else json.dumps(masked, ensure_ascii=False, separators=(",", ":"))

    def text(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return _scrub(text)


def forms_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets as they may be quoted in text, the longest first: as they are, escaped for Python, JSON, HTML, URLs."""
    forms = {form(secret) for secret in secrets for form in _FORMS}
    return tuple(sorted(forms, key=len, reverse=True))


_FORMS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: repr(text)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    html.escape,
    lambda text: quote(text, safe="", errors="replace"),
)


def secrets_in(value: Any, sensitive: Collection[str] = ()) -> Iterator[str]:
    """Yield the texts of a JSON value that `redact` would mask by their field, for places that quote values."""
    yield from _secrets(value, frozenset(sensitive), "", hidden=False)


def _secrets(value: Any, sensitive: frozenset[str], path: str, *, hidden: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            here = f"{path}.{key}" if path else str(key)
            secret = hidden or here in sensitive or sensitive_name(str(key))
            yield from _secrets(item, sensitive, here, hidden=secret)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item, sensitive, path, hidden=hidden)
    elif hidden and not isinstance(value, bool) and len(str(value)) >= MIN_SECRET:
        yield str(value)


def _scrub(text: str) -> str:
    if text.startswith("data:") and len(text) > MAX_DATA_URI:
        # A file: its bytes say nothing to who reads this, and there may be megabytes of them.
        text = f"{text[: text.find(',', 0, MAX_DATA_URI // 2) + 1] or 'data:'}… ({len(text)} characters)"
    return _SECRETS.sub(MASK, text)
