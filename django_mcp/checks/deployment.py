"""What may be fine while developing and is a risk in production."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Error,
    Warning,  # noqa: A004 - as Django names it
)
from django.core.checks.security.base import check_secret_key
from django.db import router
from rest_framework.settings import api_settings

from django_mcp.approval.signing import usable
from django_mcp.checks.settings import readable
from django_mcp.choices import ApprovalMode
from django_mcp.conf import conf

# RFC 7518, section 3.2: a key for HS256 must not be shorter than the hash.
MIN_SECRET_BYTES = 32
PER_PROCESS = ("LocMemCache", "DummyCache", "FileBasedCache")


def check_deployment(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check what may be fine while developing and is a risk in production."""
    checks = (_signing, _single_use, _authentication, _debug, _trust, _locks, _proxies)
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
    if conf.SIGNING_SECRET is None and check_secret_key(None):
        yield Warning(
            "Confirmation tokens are signed with a key derived from an insecure SECRET_KEY.",
            hint="Set a long random SECRET_KEY, or DJANGO_MCP['SIGNING_SECRET'].",
            id="django_mcp.W011",
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
    aliases = {router.db_for_write(model) for model in apps.get_models()}
    autocommitting = sorted(alias for alias in aliases if not settings.DATABASES.get(alias, {}).get("ATOMIC_REQUESTS"))
    if autocommitting and conf.APPROVAL_MODE != ApprovalMode.REJECT:
        yield Warning(
            f"DATABASES without ATOMIC_REQUESTS: {', '.join(autocommitting)}.",
            hint=(
                "The row that a write would change is compared under a lock only where the view runs in a transaction; "
                "otherwise it may change between the comparison and the write. Views that break half-way leave what "
                "they did, and their outcome is unknown. Set ATOMIC_REQUESTS, or use transaction.atomic in the views."
            ),
            id="django_mcp.W017",
        )


def _proxies() -> Iterable[CheckMessage]:
    if api_settings.NUM_PROXIES is not None:
        return
    behind = [
        name
        for name in ("SECURE_PROXY_SSL_HEADER", "USE_X_FORWARDED_HOST", "USE_X_FORWARDED_PORT")
        if getattr(settings, name, None)
    ]
    throttled = [name for name in ("DEFAULT_THROTTLE_CLASSES",) if getattr(api_settings, name)]
    if behind or throttled:
        yield Warning(
            f"REST_FRAMEWORK['NUM_PROXIES'] is not set, beside {', '.join([*behind, *throttled])}.",
            hint=(
                "Throttles of the REST API believe any X-Forwarded-For that a client writes, and behind a proxy the "
                "record has the proxy's address in place of the client's. Set it to the number of proxies, 0 for none."
            ),
            id="django_mcp.W018",
        )


DISTRIBUTION = "django-mcp-confirm"
# Distributions on PyPI that install a package of the same name.
NAMESAKES = ("django-mcp", "django-mcp-framework")


def check_distributions(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that no other distribution has put its files into this package."""
    messages: list[CheckMessage] = []
    for name in NAMESAKES:
        with suppress(PackageNotFoundError):
            distribution(name)
            text = f"{name} also installs a package named django_mcp: the files of the two are mixed."
            hint = f"Uninstall {name}, then reinstall {DISTRIBUTION}."
            messages.append(Warning(text, hint=hint, id="django_mcp.W003"))
    return messages
