"""The keys that approval signs and digests with; the current one comes first, older ones only verify."""

from django.conf import settings
from django.utils.crypto import salted_hmac

from django_mcp.conf import conf

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
