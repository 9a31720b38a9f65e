"""The time of a key's last use: written at most once a minute, without waiting for a lock, never at a call's cost."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import Error, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q, QuerySet
from django.utils import timezone

from django_mcp.models import APIKey

RESOLUTION = timedelta(minutes=1)

logger = logging.getLogger("django_mcp")


def note(key: APIKey) -> None:
    """Write the time of this use, unless one of the last minute is written.

    Where another connection has locked the key's row, or the database fails, it is left to a later call.
    """
    now = timezone.now()
    if key.last_used_at is not None and key.last_used_at > now - RESOLUTION:
        return
    alias = router.db_for_write(APIKey)
    old = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - RESOLUTION)
    rows = APIKey.objects.using(alias).filter(old, pk=key.pk).order_by()
    try:
        with _without_waiting(connections[alias]), transaction.atomic(using=alias):
            if _lock(rows, connections[alias]):
                # An UPDATE of this column alone cannot undo a revocation that happens meanwhile.
                rows.update(last_used_at=now)
    except Error as error:
        logger.warning("The last use of key %s could not be noted: %s.", key.pk, type(error).__name__)


def _lock(rows: QuerySet[APIKey], connection: BaseDatabaseWrapper) -> bool:
    """Lock the rows for an UPDATE, where the database has locks of rows; return False where there are none to lock.

    Raises DatabaseError where a locked row cannot be skipped.
    """
    features = connection.features
    if features.has_select_for_update_skip_locked:
        return bool(rows.select_for_update(skip_locked=True).values_list("pk"))
    if features.has_select_for_update_nowait:
        return bool(rows.select_for_update(nowait=True).values_list("pk"))
    return True


@contextmanager
def _without_waiting(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Let SQLite, which locks the whole database, refuse at once instead of waiting for its time-out."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    # Not by Django's cursor: these are settings of the connection, and no queries.
    sqlite = connection.connection
    with connection.wrap_database_errors:
        (timeout,) = sqlite.execute("PRAGMA busy_timeout").fetchone()
        sqlite.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        with connection.wrap_database_errors:
            sqlite.execute(f"PRAGMA busy_timeout = {timeout}")
