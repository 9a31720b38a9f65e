"""The exceptions by which code of the host, a view's or a tool's, refuses a call, as replies."""

import math
from typing import TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException

from django_mcp.protocol.json import plain
from django_mcp.types import Reply

AnyReply = TypeVar("AnyReply", bound=Reply)

# These exceptions' own texts were not written for a caller, so the replies have others.
_REPLACED: tuple[tuple[type[Exception], int, str], ...] = (
    (Http404, 404, "Not found."),
    (PermissionDenied, 403, "You do not have permission to perform this action."),
)


def refused(error: Exception, kind: type[AnyReply], *, rolled_back: bool) -> AnyReply | None:
    """Return the reply of that kind that an exception stands for, None for one that is no refusal.

    Raises the errors of `plain` for a detail that JSON cannot hold.
    """
    if isinstance(error, APIException) and error.status_code < 500:
        detail = plain(error.detail)
        wait = getattr(error, "wait", None)
        return kind(
            status=error.status_code,
            data=detail if isinstance(detail, dict | list) else {"detail": detail},
            retry_after=None if wait is None else math.ceil(wait),
            rolled_back=rolled_back,
        )
    for exception, status, text in _REPLACED:
        if isinstance(error, exception):
            return kind(status=status, data={"detail": text}, rolled_back=rolled_back)
    return None
