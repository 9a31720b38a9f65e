"""The exceptions by which code of the host, a view's or a tool's, refuses what its client asked for."""

import math
from typing import TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException

from django_mcp.protocol.json import plain
from django_mcp.types import Reply

AnyReply = TypeVar("AnyReply", bound=Reply)

# The texts are ours: what these exceptions say was not written for a caller.
_SILENT: tuple[tuple[type[Exception], int, str], ...] = (
    (Http404, 404, "Not found."),
    (PermissionDenied, 403, "You do not have permission to perform this action."),
)


def refused(error: Exception, kind: type[AnyReply], *, rolled_back: bool) -> AnyReply | None:
    """Return the reply of that kind that an exception stands for, None for one that is no refusal.

    Raises what `plain` does for a detail that JSON cannot say.
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
    for silent, status, text in _SILENT:
        if isinstance(error, silent):
            return kind(status=status, data={"detail": text}, rolled_back=rolled_back)
    return None
