"""Signed texts (JWS compact tokens, RFC 7515), each kind behind a prefix of its own, and the keys of every purpose.

No kind can stand for another: they differ in their keys and in the type that their header names.
"""

import enum
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from django.conf import settings
from django.utils.crypto import salted_hmac
from jwt.utils import base64url_decode, base64url_encode

from django_mcp.approval.refusals import Reason
from django_mcp.conf import conf

_ALGORITHM = "HS256"
_FORM = re.compile(r"([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]*)")
# None of these claims is ours, or the caller of `verify` knows better what it means.
_UNCHECKED = {f"verify_{claim}": False for claim in ("nbf", "iat", "aud", "iss", "sub", "jti")}


class Purpose(enum.Enum):
    """What keys are for. The value is the salt that derives them; another salt would void everything signed before."""

    CONFIRMATION = "django_mcp.approval.signing"
    DIGEST = "django_mcp.approval.digests"
    FILE_LINK = "django_mcp.tools.links"
    QUESTION = "django_mcp.approval.questions"


def keys_for(purpose: Purpose) -> tuple[bytes, ...]:
    """Return the keys of a purpose, the current one first; the older ones only verify.

    They are derived from `SIGNING_SECRET` and its fallbacks or, where it is unset, from `SECRET_KEY`: whoever learns
    the key of one purpose must not learn another. Confirmation tokens are signed with the bytes of `SIGNING_SECRET`
    itself. A blank secret counts as unset: everyone knows it.
    """

    def derived(secret: str | bytes) -> bytes:
        return salted_hmac(purpose.value, "key", secret=secret, algorithm="sha256").digest()

    configured = [secret for secret in (conf.SIGNING_SECRET, *conf.SIGNING_SECRET_FALLBACKS) if secret]
    if purpose is Purpose.CONFIRMATION:
        keys = tuple(secret.encode() for secret in configured)
    else:
        keys = tuple(derived(secret) for secret in configured)
    if conf.SIGNING_SECRET:
        return keys
    fallbacks = [secret for secret in settings.SECRET_KEY_FALLBACKS if secret]
    return (*(derived(secret) for secret in (settings.SECRET_KEY, *fallbacks)), *keys)


class Forged(ValueError):
    """The text was not signed here, or not as one of its kind."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """One kind of signed text.

    `prefix` marks it for whatever must mask it, `typ` is the type in its header, `purpose` names its HS256 keys,
    `max_length` is in characters. A text with `expires` is void after its `exp`, in epoch seconds.
    """

    prefix: str
    typ: str
    purpose: Purpose
    max_length: int
    expires: bool = False

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return the signed text of `claims`. Raises TypeError for claims that are no JSON."""
        key = keys_for(self.purpose)[0]
        return self.prefix + jwt.encode(dict(claims), key, algorithm=_ALGORITHM, headers={"typ": self.typ})

    def verify(self, text: str) -> dict[str, Any]:
        """Return the claims of a signed text.

        Raises Forged, with the reason `malformed` for a text without the form of one, `header` for one of another kind
        and `signature` where no key verifies it: it was made up, or its secret is no longer among the fallbacks.
        """
        jws = text.removeprefix(self.prefix)
        form = _FORM.fullmatch(jws) if jws != text and len(text) <= self.max_length else None
        if form is None:
            raise Forged(Reason.MALFORMED)
        # Before PyJWT sees it: nothing is parsed under a header of a stranger's making.
        if _header(form[1]) != {"alg": _ALGORITHM, "typ": self.typ}:
            raise Forged(Reason.HEADER)
        if not _is_canonical(form[2]):
            raise Forged(Reason.SIGNATURE)
        options: Any = {**_UNCHECKED, "verify_exp": self.expires, "require": ["exp"] if self.expires else []}
        for key in keys_for(self.purpose):
            try:
                return jwt.decode(jws, key, algorithms=[_ALGORITHM], options=options)
            except jwt.PyJWTError:  # also of a key that PyJWT takes for one of another kind
                continue
        raise Forged(Reason.SIGNATURE)


def usable(key: bytes) -> bool:
    """Tell whether PyJWT signs with a key: one that looks like a public or private key is taken for a mistake."""
    try:
        jwt.get_algorithm_by_name(_ALGORITHM).prepare_key(key)
    except jwt.InvalidKeyError:
        return False
    return True


def _header(segment: str) -> object:
    try:
        return json.loads(base64url_decode(segment))
    except (ValueError, RecursionError):
        raise Forged(Reason.MALFORMED) from None


def _is_canonical(signature: str) -> bool:
    """Tell whether base64url writes the signature's bytes in this very way: decoding ignores the last spare bits."""
    try:
        return base64url_encode(base64url_decode(signature)).decode() == signature
    except ValueError:
        return False
