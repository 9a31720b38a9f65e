"""Watches what is declared to read: the queries that it sends must not write."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections

from django_mcp.conf import conf
from django_mcp.redaction import one_line
from django_mcp.statements import Write, write_in

MAX_NOTICED = 20

logger = logging.getLogger("django_mcp")

_warned: set[str] = set()


class ReadWrote(DatabaseError):
    """A query was not sent, because it would have written for something that is declared to read.

    A kind of what a database raises that allows no writes, since that is what the host's code knows to handle.
    """


class Watch:
    """What one call tried to write: each verb and table once. `refused` where it was kept from it."""

    def __init__(self, target: str, *, enforced: bool) -> None:
        self.target = target
        self.enforced = enforced
        self.writes: list[str] = []

    @property
    def refused(self) -> bool:
        return self.enforced and bool(self.writes)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        """Let a query pass, as `connection.execute_wrapper()` has it. Raises ReadWrote for a write that is refused."""
        write = _write_of(sql, context)
        if write is not None:
            self._notice(write)
            if self.enforced:
                msg = f"{self.target} is declared ReadOnly, so this was not sent: {self.writes[-1]}."
                raise ReadWrote(msg)
        return execute(sql, params, many, context)

    def _notice(self, write: Write) -> None:
        said = one_line(str(write))
        if said not in self.writes and len(self.writes) < MAX_NOTICED:
            self.writes.append(said)
        if self.target not in _warned:
            _warned.add(self.target)
            logger.warning(
                "%s is declared ReadOnly, so it needs no confirmation, but it writes: %s%s. Declare its safety with "
                "mcp_operation(safety=…), or take the write out of it.",
                self.target,
                said,
                ", which was refused" if self.enforced else "",
            )


@contextmanager
def watching(target: str) -> Iterator[Watch]:
    """Watch the queries that this thread sends to any database; under `READ_GUARD = "enforce"` no write is sent.

    The tables of database caches are the host's plumbing, which a throttle writes to on every request: they are left
    alone. `target` is the operation's or tool's name; the log is warned of it once in a process.
    """
    mode = conf.READ_GUARD
    watch = Watch(target, enforced=mode == "enforce")
    if mode == "off":
        yield watch
        return
    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(connections[alias].execute_wrapper(watch))
        yield watch


@contextmanager
def noticing(aliases: Iterable[str]) -> Iterator[list[Write]]:
    """Collect the writes that this thread sends to these databases."""
    seen: list[Write] = []
    with ExitStack() as stack:
        for alias in aliases:
            stack.enter_context(connections[alias].execute_wrapper(partial(_collect, seen)))
        yield seen


def _collect(seen: list[Write], execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
    write = _write_of(sql, context)
    if write is not None:
        seen.append(write)
    return execute(sql, params, many, context)


def _write_of(sql: Any, context: Any) -> Write | None:
    text = sql if isinstance(sql, str) else _text(sql, context)
    write = write_in(text, escapes=context["connection"].vendor == "mysql")
    return None if write is None or write.table in _cache_tables() else write


def _cache_tables() -> frozenset[str]:
    return frozenset(
        str(options.get("LOCATION", ""))
        for options in settings.CACHES.values()
        if str(options.get("BACKEND", "")).endswith(".DatabaseCache")
    )


def _text(sql: Any, context: Any) -> str:
    """Return a query that is not text as the database's driver would send it."""
    if isinstance(sql, bytes):
        return sql.decode(errors="replace")
    as_string = getattr(sql, "as_string", None)
    return str(as_string(context["connection"].connection) if as_string is not None else sql)
