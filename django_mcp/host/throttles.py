"""Throttles of the host's views that a call has been charged for already, by its proposal."""

from typing import Any

from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

_check_throttles = APIView.check_throttles


def mark_charged(request: Any) -> None:
    """Mark an inner request as one whose proposal counted against the throttles of its view."""
    request.mcp_charged = True


def honour_charges() -> None:
    """Let every view of DRF leave out the throttles that a marked request was charged for.

    A view has no other place for it: throttles are made anew for each request, and the host's callback must run as it
    is. Throttles that are not DRF's own kind could not be charged in advance, and are asked.
    """
    APIView.check_throttles = _check_uncharged  # type: ignore[assignment,method-assign]


def _check_uncharged(view: APIView, request: Any) -> None:
    if not getattr(request, "mcp_charged", False):
        _check_throttles(view, request)
        return
    for throttle in view.get_throttles():
        if not isinstance(throttle, SimpleRateThrottle) and not throttle.allow_request(request, view):
            view.throttled(request, throttle.wait())  # type: ignore[arg-type]
