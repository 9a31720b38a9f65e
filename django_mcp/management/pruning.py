"""What `mcp prune` does."""

from contextlib import suppress
from datetime import datetime, timedelta

from django.core.files.storage import Storage, storages
from django.db.models import Q

from django_mcp.approval import transitions
from django_mcp.conf import conf
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import OPEN_STATES
from django_mcp.tools.links import FOLDER, STORED_NAME
from django_mcp.types import State

# A row that is executing is neither settled nor expired: someone may still look for what became of it.
KEPT_STATES = (*OPEN_STATES, State.EXECUTING.value)


def expire_overdue(now: datetime) -> int:
    """Mark confirmations whose time is over as expired, each with its event; return how many."""
    overdue = transitions.rows().open().filter(expires_at__lte=now).defer("arguments", "preview", "effective")
    return sum(transitions.expire(row, caller=row.caller) for row in overdue.iterator(chunk_size=500))


def remove_confirmations(before: datetime) -> int:
    """Remove the confirmations that were settled, or came to nothing, before then; return how many."""
    old = Q(settled_at__lt=before) | Q(settled_at__isnull=True, expires_at__lt=before)
    removed, _by_model = Confirmation.objects.filter(old, issued_at__lt=before).exclude(state__in=KEPT_STATES).delete()
    return removed


def remove_events(before: datetime) -> int:
    """Remove the audit events from before then; return how many."""
    return AuditEvent.objects.all().prune(before)


def remove_files(now: datetime) -> int:
    """Remove the files that were stored for links and that no link leads to any more; return how many.

    A storage that cannot list, date or delete keeps them.
    """
    storage = storages[conf.RESOURCE_STORAGE]
    before = now - timedelta(seconds=conf.RESOURCE_LINK_EXPIRY)
    removed = 0
    with suppress(NotImplementedError, FileNotFoundError):
        # The folder may hold what is not ours.
        names = [f"{FOLDER}/{name}" for name in storage.listdir(FOLDER)[1] if STORED_NAME.fullmatch(name)]
        for name in names:
            with suppress(FileNotFoundError):
                removed += _removed(storage, name, before)
    return removed


def _removed(storage: Storage, name: str, before: datetime) -> bool:
    # Both follow USE_TZ.
    if storage.get_modified_time(name) > before:
        return False
    storage.delete(name)
    return True
