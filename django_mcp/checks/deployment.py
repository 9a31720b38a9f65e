"""What may be fine while developing and is a risk in production."""

from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Error,
    Warning,  # noqa: A004 - as Django names it
)
from django.core.checks.security.base import (
    SECRET_KEY_INSECURE_PREFIX,
    SECRET_KEY_MIN_LENGTH,
    SECRET_KEY_MIN_UNIQUE_CHARACTERS,
)
from django.db import router

from django_mcp.approval.signing import usable
from django_mcp.checks.settings import readable
from django_mcp.conf import conf
from django_mcp.types import ApprovalMode

MIN_SECRET_BYTES = 32
PER_PROCESS = ("LocMemCache", "DummyCache", "FileBasedCache")


def check_deployment(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check what may be fine while developing and is a risk in production."""
    checks = (_signing, _single_use, _authentication, _debug, _trust, _locks)
    return [message for check in checks for message in check()] if readable() else []


def _signing() -> Iterable[CheckMessage]:
    secrets = [secret for secret in (conf.SIGNING_SECRET, *conf.SIGNING_SECRET_FALLBACKS) if secret is not None]
    if any(len(str(secret).encode()) < MIN_SECRET_BYTES for secret in secrets):
        yield Warning(
            f"DJANGO_MCP['SIGNING_SECRET'] or a fallback of it is shorter than {MIN_SECRET_BYTES} bytes.",
            hint="Whoever guesses it can forge confirmations. Use a long random value.",
            id="django_mcp.W010",
        )
    if not all(usable(str(secret).encode()) for secret in secrets if secret):
        yield Error(
            "DJANGO_MCP['SIGNING_SECRET'] or a fallback of it is a public or private key, which cannot sign.",
            hint="Use a long random value instead of a PEM, SSH or JSON Web Key.",
            id="django_mcp.E015",
        )
    if conf.SIGNING_SECRET is None and _insecure(settings.SECRET_KEY):
        yield Warning(
            "Confirmation tokens are signed with a key derived from an insecure SECRET_KEY.",
            hint="Set a long random SECRET_KEY, or DJANGO_MCP['SIGNING_SECRET'].",
            id="django_mcp.W011",
        )


def _insecure(key: str | bytes) -> bool:
    text = key if isinstance(key, str) else key.decode(errors="replace")
    return (
        text.startswith(SECRET_KEY_INSECURE_PREFIX)
        or len(text) < SECRET_KEY_MIN_LENGTH
        or len(set(text)) < SECRET_KEY_MIN_UNIQUE_CHARACTERS
    )


def _single_use() -> Iterable[CheckMessage]:
    if conf.APPROVAL_MODE == ApprovalMode.REJECT:
        return
    backend = str(settings.CACHES.get(conf.CACHE, {}).get("BACKEND", ""))
    if backend.rpartition(".")[2] in PER_PROCESS:
        yield Warning(
            f"The cache {conf.CACHE!r} is not shared between processes and hosts.",
            hint="The second lock on the single use of confirmations needs Redis, Memcached or a database cache.",
            id="django_mcp.W012",
        )


def _authentication() -> Iterable[CheckMessage]:
    if not conf.REQUIRE_AUTH or not conf.AUTHENTICATION_CLASSES:
        yield Warning(
            "The MCP endpoint answers callers that have not authenticated.",
            hint="Set REQUIRE_AUTH to True and name AUTHENTICATION_CLASSES, unless all that is exposed is public.",
            id="django_mcp.W013",
        )


def _debug() -> Iterable[CheckMessage]:
    if settings.DEBUG:
        yield Warning("DEBUG is on while agents are served.", hint="Set DEBUG = False.", id="django_mcp.W014")


def _trust() -> Iterable[CheckMessage]:
    if conf.APPROVAL_MODE == ApprovalMode.DELEGATE:
        yield Warning(
            "DJANGO_MCP['APPROVAL_MODE'] lets every write of every client run at once.",
            hint="Whether a user is asked is up to each client. Set the mode for the groups that may, in the admin.",
            id="django_mcp.W016",
        )


def _locks() -> Iterable[CheckMessage]:
    used = {router.db_for_write(model) for model in apps.get_models()}
    loose = sorted(alias for alias in used if not settings.DATABASES.get(alias, {}).get("ATOMIC_REQUESTS"))
    if loose and conf.APPROVAL_MODE != ApprovalMode.REJECT:
        yield Warning(
            f"DATABASES without ATOMIC_REQUESTS: {', '.join(loose)}.",
            hint=(
                "The row that a write would change is compared under a lock only where the view runs in a transaction; "
                "otherwise it may change between the comparison and the write. Views that break half-way leave what "
                "they did, and their outcome is unknown. Set ATOMIC_REQUESTS, or use transaction.atomic in the views."
            ),
            id="django_mcp.W017",
        )


DISTRIBUTION = "django-mcp-confirm"
# Distributions on PyPI that install a package of the same name.
NAMESAKES = ("django-mcp", "django-mcp-framework")


def check_distributions(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that no other distribution has put its files into this package."""
    return [
        Warning(
            f"{name} also installs a package named django_mcp: the files of the two are mixed.",
            hint=f"Uninstall {name}, then reinstall {DISTRIBUTION}.",
            id="django_mcp.W003",
        )
        for name in NAMESAKES
        if _is_installed(name)
    ]


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
