"""What a proposal counts against the host's throttles: what the same call over REST would."""

from collections.abc import Callable
from typing import Any

from rest_framework.throttling import SimpleRateThrottle


def charge_throttles(view: Any, request: Any) -> None:
    """Ask the throttles of a rehearsed view, and keep what they would write for after the rehearsal is undone.

    Only DRF's own kind can be asked that way; the rest count when the call runs.
    """
    rehearsal = request.mcp_rehearsal
    if not rehearsal.charged:
        return
    waits = []
    for throttle in view.get_throttles():
        if isinstance(throttle, SimpleRateThrottle):
            vars(throttle)["cache"] = _DeferredCache(throttle.cache, rehearsal.charges)
            if not throttle.allow_request(request, view):
                waits.append(throttle.wait())
    if waits:
        view.throttled(request, max((wait for wait in waits if wait is not None), default=None))


class _DeferredCache:
    """A cache that is read as it is; what is written to it is only noted."""

    def __init__(self, cache: Any, charges: list[Callable[[], Any]]) -> None:
        self._cache = cache
        self._charges = charges

    def get(self, *args: Any, **kwargs: Any) -> Any:
        return self._cache.get(*args, **kwargs)

    def __getattr__(self, name: str) -> Callable[..., bool]:
        def write(*args: Any, **kwargs: Any) -> bool:
            self._charges.append(lambda: getattr(self._cache, name)(*args, **kwargs))
            return True

        return write
