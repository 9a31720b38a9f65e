"""What `mcp prune` does."""

from contextlib import suppress
from datetime import datetime, timedelta

from django.core.files.storage import Storage, storages
from django.db.models import Q

from django_mcp.approval import transitions
from django_mcp.choices import State
from django_mcp.conf import conf
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import OPEN_STATES
from django_mcp.tools.links import FOLDER, STORED_NAME

# A row that is executing is neither settled nor expired: someone may still look for its outcome.
UNFINISHED_STATES = (*OPEN_STATES, State.EXECUTING.value)


def expire_overdue(now: datetime) -> int:
    """Mark the confirmations whose time is over as expired, with an event each; return how many there were."""
    overdue = transitions.rows().open().filter(expires_at__lte=now).defer("arguments", "preview", "effective")
    return sum(transitions.expire(row, caller=row.caller) for row in overdue.iterator(chunk_size=500))


def remove_confirmations(before: datetime) -> int:
    """Remove the confirmations that were settled, or expired, before a time; return how many there were."""
    old = Q(settled_at__lt=before) | Q(settled_at__isnull=True, expires_at__lt=before)
    removed, _by_model = (
        Confirmation.objects.filter(old, issued_at__lt=before).exclude(state__in=UNFINISHED_STATES).delete()
    )
    return removed


def remove_events(before: datetime) -> int:
    """Remove the audit events from before a time; return how many there were."""
    return AuditEvent.objects.all().prune(before)


def remove_files(now: datetime) -> int:
    """Remove the files that were stored for links which have expired; return how many there were.

    A storage that cannot list, date or delete files keeps them.
    """
    storage = storages[conf.RESOURCE_STORAGE]
    before = now - timedelta(seconds=conf.RESOURCE_LINK_EXPIRY)
    removed = 0
    with suppress(NotImplementedError, FileNotFoundError):
        for name in storage.listdir(FOLDER)[1]:
            # The folder may hold files that are not ours.
            if STORED_NAME.fullmatch(name):
                with suppress(FileNotFoundError):
                    removed += _remove_older(storage, f"{FOLDER}/{name}", before)
    return removed


def _remove_older(storage: Storage, name: str, before: datetime) -> bool:
    # Both times follow USE_TZ.
    if storage.get_modified_time(name) > before:
        return False
    storage.delete(name)
    return True
