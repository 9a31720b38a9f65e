"""Texts that we hand out and know again: JWS compact tokens, each kind behind a prefix of its own.

No kind can stand for another: they differ in their keys and in the type that their header names.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from django.conf import settings
from django.utils.crypto import salted_hmac
from jwt.utils import base64url_decode, base64url_encode

from django_mcp.conf import conf

_ALGORITHM = "HS256"
_FORM = re.compile(r"([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]*)")
# JWT's claims are none of ours, or are looked at by those who know what they mean here.
_UNCHECKED = {f"verify_{claim}": False for claim in ("nbf", "iat", "aud", "iss", "sub", "jti")}


class Forged(ValueError):
    """The text was not signed here, or not as one of this kind."""


class Malformed(Forged):
    """The text has not even the form of a signed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """One kind of signed text.

    `prefix` is how it is found in text that must not show it, `typ` what its header names, `keys` gives its HS256 keys,
    of which the first signs and all verify; `max_length` is in characters. `expires` is True where a text is worth
    nothing after its `exp`, in epoch seconds.
    """

    prefix: str
    typ: str
    keys: Callable[[], tuple[bytes, ...]]
    max_length: int
    expires: bool = False

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return the text that says `claims`. Raises TypeError for what is no JSON."""
        return self.prefix + jwt.encode(dict(claims), self.keys()[0], algorithm=_ALGORITHM, headers={"typ": self.typ})

    def verify(self, text: str) -> dict[str, Any]:
        """Return what a text says. Raises Malformed for what cannot be one, Forged for what was not signed here."""
        jws = text.removeprefix(self.prefix)
        form = _FORM.fullmatch(jws) if jws != text and len(text) <= self.max_length else None
        if form is None:
            raise Malformed
        # Before PyJWT sees it: nothing is parsed under a header of a stranger's making.
        if _header(form[1]) != {"alg": _ALGORITHM, "typ": self.typ} or not _exact(form[2]):
            raise Forged
        options: Any = {**_UNCHECKED, "verify_exp": self.expires, "require": ["exp"] if self.expires else []}
        for key in self.keys():
            try:
                return jwt.decode(jws, key, algorithms=[_ALGORITHM], options=options)
            except jwt.PyJWTError:  # also of a key that PyJWT takes for one of another kind
                continue
        raise Forged


def usable(key: bytes) -> bool:
    """Tell whether texts can be signed with a key: one that looks like another kind of key is taken for a mistake."""
    try:
        jwt.get_algorithm_by_name(_ALGORITHM).prepare_key(key)
    except jwt.InvalidKeyError:
        return False
    return True


def _header(segment: str) -> object:
    try:
        return json.loads(base64url_decode(segment))
    except (ValueError, RecursionError):
        raise Malformed from None


def _exact(signature: str) -> bool:
    """Tell whether the text is the only one for its bytes: base64 ignores the last character's spare bits."""
    try:
        return base64url_encode(base64url_decode(signature)).decode() == signature
    except ValueError:
        return False


_SIGNING = "django_mcp.approval.signing"
_DIGESTS = "django_mcp.approval.digests"
_LINKS = "django_mcp.tools.links"
_QUESTIONS = "django_mcp.approval.questions"


def signing_keys() -> tuple[bytes, ...]:
    """Return the HS256 keys of confirmation tokens.

    The bytes of `SIGNING_SECRET`, or, where it is unset, a key derived from `SECRET_KEY`: whoever learns one use of
    that secret must not learn another. A blank secret is none at all: everyone knows it.
    """
    older = [secret.encode() for secret in conf.SIGNING_SECRET_FALLBACKS if secret]
    if conf.SIGNING_SECRET:
        return (conf.SIGNING_SECRET.encode(), *older)
    return (*(_derived(_SIGNING, secret) for secret in _django_secrets()), *older)


def digest_keys() -> tuple[bytes, ...]:
    """Return the keys for digests of values that nobody should be able to guess from their digest."""
    return _derived_keys(_DIGESTS)


def link_keys() -> tuple[bytes, ...]:
    """Return the HS256 keys of links to files."""
    return _derived_keys(_LINKS)


def question_keys() -> tuple[bytes, ...]:
    """Return the HS256 keys of the state that clients carry between a question and its answer."""
    return _derived_keys(_QUESTIONS)


def _derived_keys(salt: str) -> tuple[bytes, ...]:
    secrets: list[str | bytes] = [secret for secret in (conf.SIGNING_SECRET, *conf.SIGNING_SECRET_FALLBACKS) if secret]
    if not conf.SIGNING_SECRET:
        secrets = [*_django_secrets(), *secrets]
    return tuple(_derived(salt, secret) for secret in secrets)


def _django_secrets() -> list[str | bytes]:
    return [settings.SECRET_KEY, *(secret for secret in settings.SECRET_KEY_FALLBACKS if secret)]


def _derived(salt: str, secret: str | bytes) -> bytes:
    return salted_hmac(salt, "key", secret=secret, algorithm="sha256").digest()
