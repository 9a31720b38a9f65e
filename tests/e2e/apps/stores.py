"""A database for an application; where its own migrations take minutes, they are run once and copied from then on."""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.e2e.apps.application import Application, Project
from tests.e2e.apps.installation import Installation

if TYPE_CHECKING:
    from tests.e2e.apps.survey import Survey

POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"


@contextlib.contextmanager
def database(application: Application, installation: Installation, folder: Path, found: "Survey") -> Iterator[str]:
    """Yield the URL of a database of its own, dropped afterwards. In PostgreSQL the application is migrated already."""
    if application.database != "postgres":
        yield f"sqlite:///{folder / 'db.sqlite3'}"
        return
    server = next(
        (url for url in os.environ.get("TEST_DATABASE_URLS", "").split() if url.startswith("postgres")), POSTGRES
    )
    template = f"apps_{installation.folder.name.replace('-', '_')}"
    if not _exists(server, template):
        with found.timed("the application's own migrations"):
            _migrate(application, installation, server, template)
    name = f"{template}_{secrets.token_hex(4)}"
    _run(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        _run(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _migrate(application: Application, installation: Installation, server: str, template: str) -> None:
    draft = f"{template}_draft"
    _run(server, f'DROP DATABASE IF EXISTS "{draft}" WITH (FORCE)')
    _run(server, f'CREATE DATABASE "{draft}"')
    with tempfile.TemporaryDirectory(prefix="app-") as folder:
        url = urlsplit(server)._replace(path=f"/{draft}").geturl()
        project = Project(application, installation, Path(folder), url)
        application.create(project)
        project.manage("migrate", "--verbosity=0")
    _run(server, f'ALTER DATABASE "{draft}" RENAME TO "{template}"')


def _exists(server: str, name: str) -> bool:
    return bool(_run(server, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"))


def _run(server: str, statement: str) -> list[tuple[object, ...]]:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []
