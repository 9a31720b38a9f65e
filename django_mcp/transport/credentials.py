"""The credential of a request, and what is wrong with one that is no key: said without quoting it."""

import re

from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request

from django_mcp.access import keys
from django_mcp.models import APIKey

SCHEME = "Bearer"
NO_KEY = "Send Authorization: Bearer <key>."
BAD_KEY = "Unknown, expired or revoked key."

_QUOTES = "\"'`"
# What instructions have in the key's place, how variables begin that nobody filled in, and what stands for any text.
_PLACEHOLDER_WORDS = frozenset({"your", "my", "the", "ak", "api", "mcp", "apikey", "secret", "key", "token", "here"})
_VARIABLE_SIGNS = "<[{$%"
_FILLERS = frozenset("xX.…*_-")
_STATES = {
    APIKey.State.REVOKED: "It is revoked. Ask for a new one.",
    APIKey.State.EXPIRED: "It has expired. Ask for a new one.",
    APIKey.State.USER_INACTIVE: "The user it acts as is not active.",
}


@sensitive_variables("credential")
def bearer_token(request: HttpRequest | Request) -> str | None:
    """Return the credential of the Bearer scheme, None where there is none. RFC 9110 §11.1: case-blind schemes."""
    scheme, *credential = str(request.META.get("HTTP_AUTHORIZATION", "")).strip().split(maxsplit=1) or [""]
    return credential[0] if credential and scheme.lower() == SCHEME.lower() else None


@sensitive_variables("token")
def key_of(request: HttpRequest | Request) -> str | None:
    """Return the bearer token where it begins as keys do, None else."""
    token = bearer_token(request)
    return token if token is not None and token.startswith(keys.PREFIX) else None


@sensitive_variables("header")
def no_key(request: HttpRequest) -> str:
    """Return the refusal of a request without a bearer token, with what is wrong where it tried to send a key."""
    header = str(request.META.get("HTTP_AUTHORIZATION", "")).strip()
    if header.startswith(keys.PREFIX):
        return f"{NO_KEY} The word Bearer is missing before the key."
    if header.partition(" ")[2].strip().startswith(keys.PREFIX):
        return f"{NO_KEY} The word before the key must be Bearer."
    return NO_KEY


def unusable(key: APIKey) -> str:
    """Return the refusal of a key that was sent as it was issued, and that may not authenticate."""
    return f"{BAD_KEY} {_STATES[key.state]}"


@sensitive_variables("credential")
def unknown(credential: str) -> str:
    """Return the refusal of a credential that is no key's, with what its form alone shows to be wrong."""
    reason = _reason(credential)
    return f"{BAD_KEY} {reason}" if reason else BAD_KEY


@sensitive_variables("credential", "bare")
def _reason(credential: str) -> str:
    if credential.split(maxsplit=1)[0].rstrip(":").lower() in {SCHEME.lower(), "authorization"}:
        return "Write Bearer once, then the key."
    bare = credential.strip(_QUOTES)
    if _is_placeholder(bare):
        return f"That is a placeholder: put the key itself in its place. It begins with {keys.PREFIX}."
    if bare != credential:
        return "Write the key without quotes."
    if not bare.startswith(keys.PREFIX):
        return f"Keys begin with {keys.PREFIX}."
    if len(bare) != keys.LENGTH:
        return f"A key has {keys.LENGTH} characters, this has {len(bare)}: copy the whole key, and nothing else."
    return ""


@sensitive_variables("bare")
def _is_placeholder(bare: str) -> bool:
    words = re.split(r"[-_ .]", bare.lower())
    return (
        bare.startswith(tuple(_VARIABLE_SIGNS))
        or _PLACEHOLDER_WORDS.issuperset(words)
        or (_FILLERS.issuperset(bare.removeprefix(keys.PREFIX)) and bare != keys.PREFIX)
    )
