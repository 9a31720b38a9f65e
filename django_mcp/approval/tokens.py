"""Confirmation tokens: their claims, and how an agent may hand them back. No database and no cache."""

import re
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from django_mcp.approval import refusals
from django_mcp.approval.consent import CONSENT_WORDS
from django_mcp.approval.refusals import Reason
from django_mcp.approval.signing import Forged, Purpose, Signer
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

_SIGNER = Signer(prefix=PREFIX, typ="MCP+CONFIRM", purpose=Purpose.CONFIRMATION, max_length=4096)
_HASH = re.compile(r"(?:[0-9a-f]{64})?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_AROUND = " \t\r\n\v\f\"'`\u00a0\u00ab\u00bb\u2018\u2019\u201c\u201d\u200b\ufeff"


@dataclass(frozen=True, slots=True)
class Claims:
    """A token's claims: `iat` and `exp` in epoch seconds, `args_hash` in hex or "", `jti` the confirmation's id."""

    sub: str
    tool: str
    target: str
    args_hash: str
    iat: int
    exp: int
    jti: str


def sign(claims: Claims) -> str:
    """Return the token of `claims`, signed with the current key."""
    return _SIGNER.sign(asdict(claims))


def clean(value: object) -> str | None:
    """Return the token that `value` is or tries to be, without the quotes and blanks around it.

    None where it is not even an attempt: not text, blank, or a word of consent. The call is then a first call, which
    runs nothing; consent can only be given by the token itself.
    """
    if not isinstance(value, str):
        return None
    text = value.strip(_AROUND)
    words = [] if text.startswith(PREFIX) else text.lower().split()
    is_consent = not CONSENT_WORDS.isdisjoint(word.strip(".,;:!") for word in words)
    return None if not text or is_consent else text


def verify(text: str) -> Claims:
    """Return the claims of a token that was signed here, at any age: its expiry is for the caller to check.

    Raises ConfirmationMalformed for a text without the form of a token, ConfirmationInvalid for any other that was not
    signed here.
    """
    try:
        return _verified(text)
    except Forged as error:
        if error.reason is not Reason.MALFORMED:
            raise invalid(error.reason) from None
    refusals.log(Reason.MALFORMED)
    raise ConfirmationMalformed(MALFORMED)


def confirmation_of(text: str) -> UUID | None:
    """Return the id of a token's confirmation, for the audit record; None where the token was not signed here."""
    try:
        return UUID(_verified(text).jti)
    except Forged:
        return None


def invalid(reason: Reason, jti: UUID | str | None = None) -> ConfirmationInvalid:
    """Log why a token is not this caller's, and return the error with the one text of all those reasons."""
    refusals.log(reason, jti)
    return ConfirmationInvalid(INVALID)


def _verified(text: str) -> Claims:
    payload = _SIGNER.verify(text)
    values: dict[str, Any] = {field.name: payload.get(field.name) for field in fields(Claims)}
    # The very types: a truth value is an int too, and no time.
    if any(type(values[field.name]) is not field.type for field in fields(Claims)):
        raise Forged(Reason.CLAIMS)
    claims = Claims(**values)
    if not _HASH.fullmatch(claims.args_hash) or not _UUID.fullmatch(claims.jti):
        raise Forged(Reason.CLAIMS)
    return claims
