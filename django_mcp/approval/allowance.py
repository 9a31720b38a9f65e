"""How many confirmations a caller may have open at once."""

import math

from django.db.models import Count, Min
from django.utils import timezone

from django_mcp.approval import transitions
from django_mcp.choices import ApprovalMode
from django_mcp.conf import conf
from django_mcp.errors import Throttled
from django_mcp.models import Confirmation
from django_mcp.types import Caller


def require_room(caller: Caller, mode: ApprovalMode) -> None:
    """Refuse with Throttled where the caller has as many open confirmations as MAX_OPEN_CONFIRMATIONS allows.

    Calls at the same moment may exceed the limit by their number: it bounds cost, and no row is locked for it.
    """
    limit = conf.MAX_OPEN_CONFIRMATIONS
    if not limit:
        return
    now = timezone.now()
    rows = Confirmation.objects.using(transitions.alias()).open().filter(subject=caller.subject, expires_at__gt=now)
    is_review = mode == ApprovalMode.REVIEW
    rows = rows.filter(mode=ApprovalMode.REVIEW) if is_review else rows.exclude(mode=ApprovalMode.REVIEW)
    open_rows = rows.aggregate(count=Count("jti"), oldest=Min("expires_at"))
    if open_rows["count"] < limit:
        return
    seconds = max(1, math.ceil((open_rows["oldest"] - now).total_seconds()))
    kind = "calls that wait for a review" if is_review else "confirmation tokens that were neither used nor expired"
    raise Throttled(
        f"There are {open_rows['count']} {kind}, the most for one caller. Nothing was proposed; use those, or wait "
        f"{seconds} seconds until the oldest expires.",
        retryAfter=seconds,
    )
