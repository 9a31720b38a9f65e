"""Confirmation tokens: a JWS compact token behind a prefix. No database and no cache."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import jwt
from jwt.utils import base64url_decode, base64url_encode

from django_mcp.approval.keyring import signing_keys
from django_mcp.errors import ConfirmationInvalid, ConfirmationMalformed

PREFIX = "mcp_cf_"
ALGORITHM = "HS256"
HEADER = {"alg": ALGORITHM, "typ": "MCP+CONFIRM"}
MAX_LENGTH = 4096

MALFORMED = (
    f"Invalid token format. A confirmationToken begins with {PREFIX} and must be copied whole from a "
    "requires_confirmation answer; make the call without confirmationToken to get one."
)
# One text for a bad signature, an unknown token and another caller's: none of them is to be told from the others.
INVALID = (
    "Invalid token signature. Send the confirmationToken exactly as you received it, or make the call without one to "
    "get a new one."
)

_FORM = re.compile(re.escape(PREFIX) + r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)")
_TEXTS = ("sub", "tool", "target", "args_hash", "jti")
_TIMES = ("iat", "exp")
_HASH = re.compile(r"(?:[0-9a-f]{64})?")
_AROUND = " \t\r\n\v\f\"'`\u00a0\u00ab\u00bb\u2018\u2019\u201c\u201d\u200b\ufeff"
_CONSENT = frozenset({
    "1", "0", "accept", "accepted", "agree", "agreed", "allow", "allowed", "approve", "approved", "confirm",
    "confirmed", "confirmation", "continue", "correct", "da", "execute", "false", "go", "hai", "ja", "n", "no",
    "none", "null", "ok", "okay", "oui", "perform", "please", "proceed", "run", "si", "sim", "sure", "sí", "tak",
    "true", "undefined", "y", "yeah", "yep", "yes",
})  # fmt: skip
# JWT's times and audience are none of this token's claims, or are read by those who know what they mean here.
_OPTIONS: Any = {f"verify_{claim}": False for claim in ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")}


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
    return PREFIX + jwt.encode(asdict(claims), signing_keys()[0], algorithm=ALGORITHM, headers={"typ": HEADER["typ"]})


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
    form = _FORM.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if form is None:
        raise ConfirmationMalformed(MALFORMED)
    header, signature = form[1], form[3]
    if _header(header) != HEADER or not _exact(signature):
        raise invalid()
    for key in signing_keys():
        try:
            payload = jwt.decode(text.removeprefix(PREFIX), key, algorithms=[ALGORITHM], options=_OPTIONS)
        except jwt.InvalidTokenError:
            continue
        return _claims(payload)
    raise invalid()


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


def _header(segment: str) -> object:
    try:
        return json.loads(base64url_decode(segment))
    except (ValueError, RecursionError):
        raise ConfirmationMalformed(MALFORMED) from None


def _exact(signature: str) -> bool:
    """Tell whether the text is the only one for its bytes: base64 ignores the last character's spare bits."""
    try:
        return base64url_encode(base64url_decode(signature)).decode() == signature
    except ValueError:
        return False


def _claims(payload: dict[str, Any]) -> Claims:
    texts = {name: text for name in _TEXTS if isinstance(text := payload.get(name), str)}
    times = {name: time for name in _TIMES if isinstance(time := payload.get(name), int) and not isinstance(time, bool)}
    if len(texts) < len(_TEXTS) or len(times) < len(_TIMES):
        raise invalid()
    if not _HASH.fullmatch(texts["args_hash"]) or not _is_uuid(texts["jti"]):
        raise invalid()
    return Claims(
        sub=texts["sub"],
        tool=texts["tool"],
        target=texts["target"],
        args_hash=texts["args_hash"],
        iat=times["iat"],
        exp=times["exp"],
        jti=texts["jti"],
    )


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
