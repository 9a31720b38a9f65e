"""The cache beside the database: it turns away a flood of replays, and is the second lock on a token.

The database decides who may redeem a token. The lock here is for the day when the database has forgotten, after a
restore or a failover. It names the claim that took it, so that a lock left behind by a claim that was given back can
be told from that of a claim that ran.
"""

import enum
import logging
import math
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.cache import BaseCache, caches
from django.utils import timezone

from django_mcp.conf import conf

logger = logging.getLogger("django_mcp")

# A lock outlives its token by this, for hosts whose clocks differ. In seconds.
MARGIN = 300


class Lock(enum.Enum):
    """What the cache says of a claim."""

    TAKEN = "taken"
    HELD = "held"
    SILENT = "silent"


def recorded(jti: UUID, subject: str) -> dict[str, Any] | None:
    """Return the outcome that the cache holds for this caller's token, None where it knows none or does not answer."""
    try:
        held = _cache().get(_key(jti))
    except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
        _log("read", error)
        return None
    if not isinstance(held, dict) or held.get("subject") != subject:
        return None
    outcome = held.get("outcome")
    return outcome if isinstance(outcome, dict) else None


def lock(
    jti: UUID, *, subject: str, nonce: str, ran_nothing: Callable[[UUID, str], bool], expires_at: datetime
) -> Lock:
    """Take the second lock for the claim `nonce`; `ran_nothing` tells whether another claim was given back.

    SILENT where the cache failed, or did not say: whether it took the lock is then unknown.
    """
    mine = {"subject": subject, "nonce": nonce, "outcome": None}
    try:
        added = _cache().add(_key(jti), mine, _lifetime(expires_at))
        if added:
            return Lock.TAKEN
        held = _cache().get(_key(jti))
        # Where they failed, django-redis with IGNORE_EXCEPTIONS says None, Django's database cache and pymemcache False.
        if added is None or not isinstance(held, dict):
            return Lock.SILENT
        if held.get("outcome") is not None or not ran_nothing(jti, str(held.get("nonce"))):
            return Lock.HELD
        _cache().set(_key(jti), mine, _lifetime(expires_at))
        return Lock.TAKEN if _cache().get(_key(jti)) == mine else Lock.SILENT
    except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
        _log("lock", error)
        return Lock.SILENT


def unlock(jti: UUID, *, nonce: str) -> None:
    """Remove the lock if it is this claim's. That of another claim stays: it may be all that remembers it."""
    try:
        held = _cache().get(_key(jti))
        if isinstance(held, dict) and held.get("nonce") == nonce:
            _cache().delete(_key(jti))
    except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
        _log("unlock", error)


def remember(jti: UUID, *, subject: str, nonce: str, outcome: dict[str, Any], expires_at: datetime) -> None:
    """Keep the outcome of a claim for replays, as long as its lock at least."""
    try:
        kept = {"subject": subject, "nonce": nonce, "outcome": outcome}
        _cache().set(_key(jti), kept, _lifetime(expires_at))
    except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
        _log("write", error)


def _cache() -> BaseCache:
    return caches[conf.CACHE]


def _key(jti: UUID) -> str:
    return f"django_mcp:confirmation:{jti}"


def _lifetime(expires_at: datetime) -> int:
    # A lifetime of 0 would store nothing.
    return max(1, math.ceil((expires_at - timezone.now()).total_seconds()) + MARGIN)


def _log(what: str, error: Exception) -> None:
    # The exception's own text may hold the cache's address and password.
    logger.warning("The cache of confirmations failed (%s): %s.", what, type(error).__name__)
