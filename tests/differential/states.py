"""States of the databases: kept, restored and compared. Real commits happen in between, so hooks run as in production."""

import sqlite3
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connections, router

# What changes by the clock alone.
_BY_THE_CLOCK = {"changed_at", "last_login", "date_joined"}


def _open(alias: str) -> Any:
    connections[alias].ensure_connection()
    return connections[alias].connection


class Kept:
    """A copy of all databases as they are."""

    def __init__(self) -> None:
        self._copies = {alias: sqlite3.connect(":memory:") for alias in connections}
        for alias, copy in self._copies.items():
            _open(alias).backup(copy)

    def restore(self) -> None:
        for alias, copy in self._copies.items():
            copy.backup(_open(alias))

    def close(self) -> None:
        for copy in self._copies.values():
            copy.close()


def rows() -> dict[str, Any]:
    """Return all rows of the host and all users, by table. Straight from SQLite: this is done thousands of times."""
    models = [*apps.get_app_config("host").get_models(include_auto_created=True), User]
    return {model._meta.db_table: _rows(router.db_for_read(model), model._meta.db_table) for model in models}


def _rows(alias: str, table: str) -> list[list[Any]]:
    cursor = _open(alias).execute(f'SELECT * FROM "{table}" ORDER BY 1')
    kept = [index for index, column in enumerate(cursor.description) if column[0] not in _BY_THE_CLOCK]
    return [[row[index] for index in kept] for row in cursor.fetchall()]
