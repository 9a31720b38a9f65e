"""The person at the admin: what the record keeps of them, and for whom they may hand out keys."""

from typing import Any

from django.http import HttpRequest

from django_mcp.host.addresses import client_address


def actor(request: HttpRequest) -> dict[str, Any]:
    """Return what the record keeps of the person at the admin, as keys of a caller's snapshot."""
    user: Any = request.user
    return {
        "subject": f"user:{user.pk}",
        "user_id": str(user.pk),
        "username": user.get_username(),
        "address": client_address(request),
    }


def may_act_for(staff: Any, user: Any) -> bool:
    """Tell whether `user` has no more power than `staff`, so that `staff` may hand out keys that act as `user`.

    An inactive user has no permission for now, and would have its power back the day it is active again: only a
    superuser may decide about that.
    """
    if getattr(staff, "is_superuser", False):
        return True
    if not user.is_active or getattr(user, "is_superuser", False):
        return False
    if getattr(user, "is_staff", False) and not getattr(staff, "is_staff", False):
        return False
    return set(user.get_all_permissions()) <= set(staff.get_all_permissions())


def may_issue_for(staff: Any, user: Any) -> bool:
    """Tell whether `staff` may issue keys that act as `user`, and change what they are limited to.

    Whoever holds a key that acts as a peer is that peer, in the record too. So keys for others take a permission of
    its own, and even then no more power than one's own may be handed out.
    """
    if staff.pk != user.pk and not staff.has_perm("django_mcp.issue_for_others"):
        return False
    return may_act_for(staff, user)
