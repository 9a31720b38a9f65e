"""A database of its own for each server: made before, dropped after."""

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@contextlib.contextmanager
def fresh(url: str, directory: Path) -> Iterator[str]:
    """Yield the URL of a new, empty database beside the one that `url` names, with the same server and user."""
    parts = urlsplit(url)
    name = f"{parts.path.lstrip('/') or 'mcp'}_e2e_{secrets.token_hex(4)}"
    if parts.scheme == "sqlite":
        yield f"sqlite:///{directory / name}.sqlite3"
        return
    open_server, create, drop = _POSTGRES if parts.scheme.startswith("postgres") else _MYSQL
    _run(open_server(parts), create.format(name))
    try:
        yield parts._replace(path=f"/{name}").geturl()
    finally:
        _run(open_server(parts), drop.format(name))


def _open_postgres(parts: Any) -> Any:
    import psycopg

    return psycopg.connect(
        host=parts.hostname,
        port=parts.port or 5432,
        user=parts.username,
        password=parts.password,
        dbname="postgres",
        autocommit=True,
    )


def _open_mysql(parts: Any) -> Any:
    import pymysql

    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=parts.username,
        password=parts.password or "",
        autocommit=True,
    )


_POSTGRES = (_open_postgres, 'CREATE DATABASE "{}"', 'DROP DATABASE IF EXISTS "{}" WITH (FORCE)')
_MYSQL = (_open_mysql, "CREATE DATABASE `{}` CHARACTER SET utf8mb4", "DROP DATABASE IF EXISTS `{}`")


def _run(connection: Any, statement: str) -> None:
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute(statement)
