"""The exceptions by which code of the host, a view's or a tool's, refuses a call, as replies."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import Model, ProtectedError, RestrictedError
from django.http import Http404
from rest_framework.exceptions import APIException

from django_mcp.protocol.json import plain
from django_mcp.replies import Reply

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
    if isinstance(error, ProtectedError | RestrictedError):
        rows = error.protected_objects if isinstance(error, ProtectedError) else error.restricted_objects
        return kind(status=409, data={"detail": protected(counted(rows))}, rolled_back=rolled_back)
    for exception, status, text in _REPLACED:
        if isinstance(error, exception):
            return kind(status=status, data={"detail": text}, rolled_back=rolled_back)
    return None


def protected(counts: Mapping[str, int]) -> str:
    """Return why rows cannot be deleted: the rows that refer to them, by the plural name of their model."""
    listed = " and ".join(f"{count} {name}" for name, count in counts.items())
    return f"This cannot be deleted: it is still referenced by {listed}."


def counted(rows: Iterable[Model]) -> dict[str, int]:
    """Return how many rows there are of each model, by its plural name."""
    return dict(Counter(str(row._meta.verbose_name_plural) for row in rows))  # noqa: SLF001 - Django documents it
