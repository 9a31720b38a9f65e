"""The demo project under gunicorn, on a database of its own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.client import Client
from tests.e2e.databases import fresh
from tests.e2e.inside import ROOT, Inside

SIGNING_SECRET = "a signing secret that the tests know, to forge tokens with, long enough for any HMAC"
LIVE: list["Server"] = []


@dataclass(frozen=True)
class Backend:
    """The stores that a server runs on."""

    database: str
    redis: str | None = None


def backends() -> list[Any]:
    """Return the parameters of a test for every database: SQLite, and what TEST_DATABASE_URLS names, with Redis."""
    urls = os.environ.get("TEST_DATABASE_URLS", "").split()
    redis = os.environ.get("TEST_REDIS_URL") or None
    marks = [pytest.mark.service("databases")]
    named = [pytest.param(Backend(url, redis), id=url.partition(":")[0], marks=marks) for url in urls]
    return [
        pytest.param(Backend("sqlite:///"), id="sqlite"),
        *(named or [pytest.param(None, id="other-databases", marks=marks)]),
    ]


class Server:
    """gunicorn on a free port. `workers` processes; with `threads`, that many each; `options` are more of its own."""

    def __init__(
        self, env: dict[str, str], log: Path, *, workers: int = 2, threads: int = 1, options: tuple[str, ...] = ()
    ) -> None:
        self.log = log
        with socket.create_server(("127.0.0.1", 0), backlog=256) as listener, log.open("ab") as output:
            self.port: int = listener.getsockname()[1]
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gunicorn", "tests.e2e.wsgi:application"),
                    *("--bind", f"fd://{listener.fileno()}", "--workers", str(workers), "--threads", str(threads)),
                    *("--timeout", "120", "--graceful-timeout", "10", "--no-control-socket", *options),
                ],
                cwd=ROOT,
                env=env,
                stdout=output,
                stderr=output,
                pass_fds=[listener.fileno()],
                start_new_session=True,
            )
        LIVE.append(self)
        try:
            self._wait(workers)
        except BaseException:
            self.stop()
            raise

    def _wait(self, workers: int) -> None:
        """Wait until every worker said that it is up, and one answers."""
        deadline = time.monotonic() + 90
        while self.log.read_text(errors="replace").count("Booting worker") < workers:
            self._check(deadline)
        with Client(self.port) as client:
            client.send("GET", "/mcp")

    def _check(self, deadline: float) -> None:
        if self._process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"The server did not start:\n{self.log.read_text(errors='replace')}")
        time.sleep(0.05)

    def stop(self) -> None:
        if self in LIVE:
            LIVE.remove(self)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(30)


@dataclass
class Shop:
    """One database, seeded and exposed, the process inside it, and the servers on it."""

    env: dict[str, str]
    directory: Path
    groups: tuple[str, ...] = ("coffee-shop",)
    inside: Inside = field(init=False)
    server: Server = field(init=False)
    keys: dict[str, str] = field(default_factory=dict)
    _clients: list[Client] = field(default_factory=list)

    def prepare(
        self, stack: contextlib.ExitStack, *, workers: int, threads: int, options: tuple[str, ...] = ()
    ) -> None:
        """Make the tables and the keys; the numbers and options are those of each server to come."""
        self.inside = Inside(self.env)
        stack.callback(self.inside.close)
        for command in (["migrate", "--verbosity=0"], ["seed"], ["mcp", "expose", *self.groups]):
            self.inside.manage(arguments=command)
        for user in ("sam", "kim"):
            self.keys[user] = self.inside.issue_key(user=user, groups=self.groups)
        self.workers, self.threads, self.options = workers, threads, options

    def open(self, stack: contextlib.ExitStack) -> None:
        self.server = self.start()
        stack.callback(lambda: self.server.stop())
        stack.callback(self.close_clients)

    def start(self, **env: str) -> Server:
        """Start a server on this shop's stores; the environment may differ."""
        log = self.directory / f"server-{len(list(self.directory.glob('server-*')))}.log"
        return Server({**self.env, **env}, log, workers=self.workers, threads=self.threads, options=self.options)

    def restart(self) -> None:
        """Replace the server, so that nothing that a process held in memory is left."""
        self.close_clients()
        self.server.stop()
        self.server = self.start()

    def client(self, user: str = "sam", *, key: str | None = None, port: int | None = None, **headers: str) -> Client:
        made = Client(port or self.server.port, key if key is not None else self.keys[user], headers=headers)
        self._clients.append(made)
        return made

    def close_clients(self) -> None:
        while self._clients:
            self._clients.pop().close()

    def forget_cache(self) -> None:
        """Lose everything that the cache holds."""
        if "REDIS_URL" in self.env:
            import redis

            with redis.Redis.from_url(self.env["REDIS_URL"]) as connection:
                connection.flushdb()
        else:
            self.restart()


@contextlib.contextmanager
def shop(backend: Backend, directory: Path, **options: Any) -> Iterator[Shop]:
    """Serve a fresh shop for as long as the context lasts; the options are those of `prepared`."""
    with contextlib.ExitStack() as stack:
        opened = stack.enter_context(prepared(backend, directory, **options))
        opened.open(stack)
        yield opened


@contextlib.contextmanager
def prepared(
    backend: Backend,
    directory: Path,
    *,
    settings: str = "tests.e2e.settings",
    groups: tuple[str, ...] = ("coffee-shop",),
    workers: int = 2,
    threads: int = 1,
    options: tuple[str, ...] = (),
    **more: str,
) -> Iterator[Shop]:
    """Make a fresh shop that nothing serves yet; `more` goes into the environment."""
    with contextlib.ExitStack() as stack:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": settings,
            "DJANGO_DEBUG": "0",
            "DJANGO_SECRET_KEY": "only-for-tests-" + "x" * 50,
            "SHOP_SIGNING_SECRET": SIGNING_SECRET,
            **more,
            "DATABASE_URL": stack.enter_context(fresh(backend.database, directory)),
        }
        if backend.redis:
            env["REDIS_URL"] = backend.redis
        made = Shop(env, directory, groups=groups)
        made.prepare(stack, workers=workers, threads=threads, options=options)
        yield made
