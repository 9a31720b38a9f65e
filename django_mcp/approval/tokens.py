"""Confirmation tokens: what they say, and how an agent may hand them back. No database and no cache."""

import re
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from django_mcp.approval import signing
from django_mcp.approval.signing import signing_keys
from django_mcp.errors import ConfirmationInvalid, ConfirmationMalformed

PREFIX = "mcp_cf_"

MALFORMED = (
    f"Invalid token format. A confirmationToken begins with {PREFIX} and must be copied whole from a "
    "requires_confirmation answer; make the call without confirmationToken to get one."
)
# One text for a bad signature, an unknown token and another caller's: none of them is to be told from the others.
INVALID = (
    "Invalid token signature. Send the confirmationToken exactly as you received it, or make the call without one to "
    "get a new one."
)

_SIGNER = signing.Signer(prefix=PREFIX, typ="MCP+CONFIRM", keys=signing_keys, max_length=4096)
_HASH = re.compile(r"(?:[0-9a-f]{64})?")
_AROUND = " \t\r\n\v\f\"'`\u00a0\u00ab\u00bb\u2018\u2019\u201c\u201d\u200b\ufeff"
_CONSENT = frozenset({
    "1", "0", "accept", "accepted", "agree", "agreed", "allow", "allowed", "approve", "approved", "confirm",
    "confirmed", "confirmation", "continue", "correct", "da", "execute", "false", "go", "hai", "ja", "n", "no",
    "none", "null", "ok", "okay", "oui", "perform", "please", "proceed", "run", "si", "sim", "sure", "sí", "tak",
    "true", "undefined", "y", "yeah", "yep", "yes",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says: `iat` and `exp` in epoch seconds, `args_hash` as hex or "", `jti` the confirmation's id."""

    sub: str
    tool: str
    target: str
    args_hash: str
    iat: int
    exp: int
    jti: str


def sign(claims: Claims) -> str:
    """Return the token for `claims`, signed with the current key."""
    return _SIGNER.sign(asdict(claims))


def clean(value: object) -> str | None:
    """Return the token that `value` is or tries to be, without what was put around it.

    None where it is not even an attempt: not text, blank, or a word of consent. The call is then a first call, which
    runs nothing; consent can only be given by the token itself.
    """
    if not isinstance(value, str):
        return None
    text = value.strip(_AROUND)
    if not text or (not text.startswith(PREFIX) and _consents(text)):
        return None
    return text


def verify(text: str) -> Claims:
    """Return what a token says, whenever it was signed. Whether it has expired is for the caller to see.

    Raises ConfirmationMalformed for what is no token, ConfirmationInvalid for one that was not signed here.
    """
    try:
        return _claims(_SIGNER.verify(text))
    except signing.Malformed:
        raise ConfirmationMalformed(MALFORMED) from None
    except signing.Forged:
        raise invalid() from None


def confirmation_of(text: str) -> UUID | None:
    """Return the id of the confirmation that a token is for, for the record; None where it was not signed here."""
    try:
        return UUID(verify(text).jti)
    except (ConfirmationInvalid, ConfirmationMalformed):
        return None


def invalid() -> ConfirmationInvalid:
    """Return the error for a token that is not this caller's, with its one text."""
    return ConfirmationInvalid(INVALID)


def _consents(text: str) -> bool:
    return not _CONSENT.isdisjoint(word.strip(".,;:!") for word in text.lower().split())


def _claims(payload: dict[str, Any]) -> Claims:
    said: dict[str, Any] = {field.name: payload.get(field.name) for field in fields(Claims)}
    # The very types: a truth value is an int too, and no time.
    if any(type(said[field.name]) is not field.type for field in fields(Claims)):
        raise invalid()
    claims = Claims(**said)
    if not _HASH.fullmatch(claims.args_hash) or not _is_uuid(claims.jti):
        raise invalid()
    return claims


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
