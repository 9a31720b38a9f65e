"""Stamps of forms: a form says what it was made from, and one that is no longer true changes nothing."""

import hashlib
import json
import re
from typing import Any

from django.db import router

from django_mcp.choices import EventKind
from django_mcp.models import AuditEvent

MAX_NAMED = 3

# The kinds of event that tell of a change of settings, exposure, rules or keys.
_CHANGES = (
    EventKind.EXPOSURE_CHANGED,
    EventKind.SETTINGS_CHANGED,
    EventKind.WRITES_SWITCHED,
    *(kind for kind in EventKind if kind.startswith("key_")),
)
_STAMP = re.compile(r"[0-9a-f]{64}\.(\d{1,18})", re.ASCII)


class Stale(Exception):
    """The row is not what the form was made from. `events` are the newest changes since; `gone`: it was deleted."""

    def __init__(self, events: tuple[AuditEvent, ...], *, gone: bool) -> None:
        super().__init__("The form is stale.")
        self.events = events
        self.gone = gone


def stamp(values: Any) -> str:
    """Return the stamp of a form that is made from these values now: their digest, and the newest event's id."""
    newest = _events().order_by("-id").values_list("id", flat=True).first()
    return f"{_digest(values)}.{newest or 0}"


def check(received: str | None, values: Any, **about: Any) -> None:
    """Raise Stale unless a form's stamp is of these values; None stands for a change that no form was made for.

    Belongs into the transaction of the change, behind the lock of what is changed. `about` are the columns of the
    events that tell of it.
    """
    if received is not None and received.partition(".")[0] != _digest(values):
        raise stale(received, **about)


def stale(received: str, *, gone: bool = False, **about: Any) -> Stale:
    """Return the refusal of a form with what the record says of the changes since its stamp."""
    parts = _STAMP.fullmatch(received)
    events = _events().filter(kind__in=_CHANGES, id__gt=int(parts[1]), **about) if parts else _events().none()
    return Stale(tuple(events.order_by("-id")[:MAX_NAMED]), gone=gone)


def _events() -> Any:
    return AuditEvent.objects.using(router.db_for_write(AuditEvent))


def _digest(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
