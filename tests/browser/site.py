"""The site that is looked at, and how it is put back to what it was at first."""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from tests.browser.notices import SHORT
from tests.e2e.client import Client
from tests.e2e.server import Shop

LATTES = {"customer_name": SHORT, "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]}


@dataclass
class Site:
    """The demo, and a copy of its database as every test finds it."""

    shop: Shop
    copy: Path
    key: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.shop.server.port}"

    @property
    def database(self) -> Path:
        return Path(self.shop.env["DATABASE_URL"].removeprefix("sqlite:///"))

    def keep(self) -> None:
        _copy(self.database, self.copy)

    def restore(self) -> None:
        _copy(self.copy, self.database)

    def agent(self, key: str = "") -> Client:
        return self.shop.client(key=key or self.key)


def _copy(source: Path, to: Path) -> None:
    with contextlib.closing(sqlite3.connect(source)) as old, contextlib.closing(sqlite3.connect(to)) as new:
        old.backup(new)
