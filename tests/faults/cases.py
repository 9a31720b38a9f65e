"""One case of a scenario: how much of it there is, what it needs, and how it is played."""

import contextlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from tests.faults.figures import Figures

SQLITE, POSTGRES, MARIADB, REDIS = "sqlite", "postgres", "mysql", "redis"
DATABASES = (POSTGRES, MARIADB, SQLITE)
Shared = TypeVar("Shared")


class Services:
    """The URL of a server for each kind of database, folders for what cases leave, and the seed of all chance.

    A context: at its end everything that was shared by cases is closed.
    """

    def __init__(self, databases: Mapping[str, str], directory: Path, seed: int = 1) -> None:
        self.databases = databases
        self.seed = seed
        self._directory = directory
        self._stack = contextlib.ExitStack()
        self._shared: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stack.close()

    def chance(self, case: str) -> random.Random:
        return random.Random(f"{self.seed} {case}")

    def folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._directory))

    def shared(self, name: str, make: Callable[[], AbstractContextManager[Shared]]) -> Shared:
        """Return what `make` opens: once for all cases that ask for that name, and open until the last is over."""
        if name not in self._shared:
            self._shared[name] = self._stack.enter_context(make())
        opened: Shared = self._shared[name]
        return opened


@dataclass(frozen=True)
class Case:
    """`full` and `short` are how many tokens it takes, outside CI and in it; `needs` names its services.

    `play` redeems that many tokens and adds to the figures what came of them.
    """

    name: str
    full: int
    short: int
    needs: frozenset[str]
    play: Callable[[Services, int, Figures], None]

    def run(self, services: Services, count: int) -> Figures:
        figures = Figures(self.name)
        begun = time.monotonic()
        self.play(services, count, figures)
        figures.seconds = time.monotonic() - begun
        return figures


def databases_named() -> dict[str, str]:
    """Return the URLs of TEST_DATABASE_URLS by their kind, and SQLite's."""
    urls = os.environ.get("TEST_DATABASE_URLS", "").split()
    return {SQLITE: "sqlite:///", **{url.partition(":")[0].replace("postgresql", POSTGRES): url for url in urls}}


def missing(case: Case, databases: Mapping[str, str]) -> list[str]:
    """Return the services that a case needs and that are not there."""
    return sorted(
        service
        for service in case.needs
        if (shutil.which("redis-server") is None if service == REDIS else service not in databases)
    )
