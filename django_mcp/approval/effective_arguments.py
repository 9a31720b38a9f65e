"""The effective arguments of a confirmation: kept with it while it is open, or a digest of each where they are not."""

import hmac
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django_mcp.approval import canonical
from django_mcp.approval.signing import Purpose, keys_for
from django_mcp.models import Confirmation
from django_mcp.text import LEFT_OUT, clean_text

# In bytes. Longer canonical text is hashed and not kept; the redemption sends the arguments again.
MAX_EFFECTIVE = 256 * 1024
# The arguments that have a digest of their own, and the most characters of their names.
MAX_DIGESTS, MAX_DIGEST_NAME = 50, 200


def keep(row: Confirmation, arguments: Mapping[str, Any], *, secret: bool) -> None:
    """Put the arguments on a row that is not saved yet; where there is a `secret` among them, or too much, digests.

    Raises ValidationFailed for arguments that JSON cannot say.
    """
    effective = None if secret else canonical.canonical(arguments)
    if effective is not None and len(effective.encode()) <= MAX_EFFECTIVE:
        row.effective = effective
    else:
        row.argument_digests = _digests(row.jti, arguments, keys_for(Purpose.DIGEST)[0])


def stored(row: Confirmation) -> dict[str, Any] | None:
    """Return the effective arguments of an open confirmation, None where they could not be stored."""
    if row.effective is None:
        return None
    arguments: dict[str, Any] = json.loads(row.effective)
    return arguments


def changed_paths(row: Confirmation, arguments: Mapping[str, Any]) -> list[str]:
    """Return where arguments differ from those that were shown: paths, or names where only digests were kept."""
    before = stored(row)
    if before is not None:
        return canonical.changed_paths(before, dict(arguments))
    digests: dict[str, str] = row.argument_digests
    now = [_digests(row.jti, arguments, key) for key in keys_for(Purpose.DIGEST)]
    names = sorted({*digests, *now[0]})
    return [name for name in names if all(other.get(name) != digests.get(name) for other in now)]


def _digests(jti: UUID, arguments: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Return a keyed digest of each top-level argument; two confirmations of one value have different ones.

    Those with very long names, and those after the first fifty, share one under "…".
    """
    short = sorted(name for name in arguments if len(name) <= MAX_DIGEST_NAME)[:MAX_DIGESTS]
    parts = {name: arguments[name] for name in short}
    if len(parts) < len(arguments):
        parts[LEFT_OUT] = {name: value for name, value in arguments.items() if name not in parts}
    return {
        clean_text(name): hmac.digest(
            key, f"{jti}\n{json.dumps(name)}\n{canonical.canonical(value)}".encode(), "sha256"
        ).hex()
        for name, value in parts.items()
    }
