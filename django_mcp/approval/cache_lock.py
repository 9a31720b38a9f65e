"""The lock in the cache: it spends a confirmation or the state of a question once, and answers floods of replays.

For a confirmation it is the second lock. The database decides who may redeem it; the lock is for the day when the
database has forgotten, after a restore or a failover. It holds the nonce of its claim, so that the lock of a claim that
was given back can be told from that of a claim that ran. For the state of a question it is the only lock.
"""

import enum
import functools
import hashlib
import logging
import math
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, ParamSpec, TypeVar
from uuid import UUID, uuid4

from django.core.cache import BaseCache, caches
from django.utils import timezone

from django_mcp.conf import conf

logger = logging.getLogger("django_mcp")

# A lock outlives its token or state by this, for hosts whose clocks differ. In seconds.
MARGIN = 300

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class Lock(enum.Enum):
    """What became of an attempt at a lock. SILENT: the cache failed or does not say, it may have taken the lock."""

    TAKEN = "taken"
    HELD = "held"
    SILENT = "silent"


def _on_failure(silence: S) -> Callable[[Callable[P, R]], Callable[P, R | S]]:
    """Return a decorator: where the cache fails, the function logs that and returns `silence`."""

    def decorate(function: Callable[P, R]) -> Callable[P, R | S]:
        @functools.wraps(function)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R | S:
            try:
                return function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - each backend raises what its client library raises
                # The exception's own text may hold the cache's address and password.
                logger.warning("The cache failed (%s): %s.", function.__name__, type(error).__name__)
                return silence

        return answer

    return decorate


@_on_failure(None)
def recorded_outcome(jti: UUID, subject: str) -> dict[str, Any] | None:
    """Return the outcome that the cache holds for this caller's confirmation, None where it holds none or fails."""
    mark = _cache().get(_key(jti))
    if not isinstance(mark, dict) or mark.get("subject") != subject:
        return None
    outcome = mark.get("outcome")
    return outcome if isinstance(outcome, dict) else None


@_on_failure(Lock.SILENT)
def lock(
    jti: UUID, *, subject: str, nonce: str, expires_at: datetime, was_given_back: Callable[[UUID, str], bool]
) -> Lock:
    """Take the lock of a confirmation for the claim `nonce`, also from a claim that `was_given_back`, by its nonce."""
    mark = {"subject": subject, "nonce": nonce, "outcome": None}
    timeout = _timeout(expires_at - timezone.now())
    result, held = _add(_key(jti), mark, timeout, backed=True)
    if result is not Lock.HELD:
        return result
    if not isinstance(held, dict):
        return Lock.SILENT
    if held.get("outcome") is not None or not was_given_back(jti, str(held.get("nonce"))):
        return Lock.HELD
    _cache().set(_key(jti), mark, timeout)
    return Lock.TAKEN if _cache().get(_key(jti)) == mark else Lock.SILENT


@_on_failure(Lock.SILENT)
def spend_state(jti: str, remaining: timedelta) -> Lock:
    """Take the lock of a question's state, which nobody gives back."""
    result, _held = _add(f"django_mcp:question:{jti}", uuid4().hex, _timeout(remaining), backed=False)
    return result


@_on_failure(None)
def unlock(jti: UUID, *, nonce: str) -> None:
    """Remove the lock if it is this claim's. That of another claim stays: it may be all that remembers it."""
    mark = _cache().get(_key(jti))
    if isinstance(mark, dict) and mark.get("nonce") == nonce:
        _cache().delete(_key(jti))


@_on_failure(None)
def remember(jti: UUID, *, subject: str, nonce: str, outcome: dict[str, Any], expires_at: datetime) -> None:
    """Store the outcome of a claim in its lock, for replays."""
    mark = {"subject": subject, "nonce": nonce, "outcome": outcome}
    _cache().set(_key(jti), mark, _timeout(expires_at - timezone.now()))


def _add(key: str, mark: object, timeout: int, *, backed: bool) -> tuple[Lock, Any]:
    """Store a mark under a key that has none. Return what became of the lock, and the mark that the cache holds.

    `backed`: the database decides as well. Without it the mark is read again, since a cache that keeps nothing, or
    hides that it failed, says that it has stored the mark.
    """
    added = _cache().add(key, mark, timeout)
    if added and backed:
        return Lock.TAKEN, mark
    held = _cache().get(key)
    # Where they failed, django-redis with IGNORE_EXCEPTIONS says None, Django's database cache and pymemcache False.
    if added is None or held is None:
        return Lock.SILENT, held
    return Lock.TAKEN if held == mark else Lock.HELD, held


def _cache() -> BaseCache:
    return caches[conf.CACHE]


def _key(jti: UUID) -> str:
    return f"django_mcp:confirmation:{jti}"


def _timeout(remaining: timedelta) -> int:
    # A timeout of 0 would store nothing.
    return max(1, math.ceil(remaining.total_seconds()) + MARGIN)


@_on_failure(None)
def counted(*key: str) -> int | None:
    """Count an event of this minute, and return how many there were; None where the cache fails or does not say."""
    digest = hashlib.sha256("\0".join((*key, str(int(time.time()) // 60))).encode("utf-8", "replace")).hexdigest()
    name = f"django_mcp:count:{digest}"
    cache = _cache()
    if cache.add(name, 1, 2 * 60):
        return 1
    try:
        return int(cache.incr(name))
    except ValueError:  # evicted in between, or a cache that keeps nothing
        return None
