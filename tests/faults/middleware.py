"""Make the database, the cache or the process fail within one request, as its `X-Fault` header says."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse

from tests.faults.cache import failing

CLAIM = ("UPDATE", "django_mcp_confirmation", "executing")
CONSUMED = ("INSERT", "django_mcp_auditevent", "token_consumed")
EXECUTED = ("INSERT", "django_mcp_auditevent", "executed")
PROPOSAL = ("INSERT", "django_mcp_confirmation", "issued")
BEGINNING = ("INSERT", "django_mcp_confirmation", "executing")
ORDER = ("INSERT", "coffee_shop_order", "placed")


def fault_middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        fault = request.headers.get("X-Fault", "")
        with FAULTS.get(fault, contextlib.nullcontext)(), failing(fault):
            return get_response(request)

    return middleware


def _matches(statement: tuple[str, str, str], sql: str, params: Any) -> bool:
    verb, table, value = statement
    return (
        sql.startswith(verb) and table in sql and value in [param for param in params or () if isinstance(param, str)]
    )


@contextlib.contextmanager
def _refused(statement: tuple[str, str, str], *, for_good: bool = False) -> Iterator[None]:
    """Refuse every statement of a kind; `for_good`, whatever comes after the first of them as well."""
    gone = False

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal gone
        if _matches(statement, sql, params) or gone:
            gone = for_good
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield


@contextlib.contextmanager
def _commit_lost(statement: tuple[str, str, str], *, stored: bool) -> Iterator[None]:
    """Lose the connection at the commit after a statement: after it was `stored`, or before."""
    armed = False
    commit, rollback = connection._commit, connection._rollback

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal armed
        done = execute(sql, params, many, context)
        armed = armed or _matches(statement, sql, params)
        if armed and not connection.in_atomic_block:
            armed = False
            raise OperationalError("server closed the connection unexpectedly")
        return done

    def lost() -> None:
        nonlocal armed
        if not armed:
            commit()
            return
        armed = False
        (commit if stored else rollback)()
        raise OperationalError("server closed the connection unexpectedly")

    with connection.execute_wrapper(wrapper), mock.patch.object(connection, "_commit", lost):
        yield


class Killer:
    """Kills this worker `before` a statement, `after` it, once it is `committed`, or at the one that `follows` that."""

    def __init__(self, statement: tuple[str, str, str], *, at: str) -> None:
        self._statement, self._at = statement, at
        self._reached: list[str] = []

    @contextlib.contextmanager
    def armed(self) -> Iterator[None]:
        commit = connection._commit

        def committing() -> None:
            commit()
            self._committed()

        with connection.execute_wrapper(self._wrapper), mock.patch.object(connection, "_commit", committing):
            yield

    def _wrapper(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        matched = _matches(self._statement, sql, params)
        if "committed" in self._reached:
            self._reach("follows")
        if matched:
            self._reach("before")
        done = execute(sql, params, many, context)
        if matched:
            self._reach("after")
        if not connection.in_atomic_block:
            self._committed()
        return done

    def _committed(self) -> None:
        if "after" in self._reached:
            self._reach("committed")

    def _reach(self, stage: str) -> None:
        self._reached.append(stage)
        if stage == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


FAULTS: dict[str, Callable[[], Any]] = {
    "claim-refused": lambda: _refused(CLAIM),
    "database-gone-at-claim": lambda: _refused(CLAIM, for_good=True),
    "claim-lost": lambda: _commit_lost(CLAIM, stored=False),
    "claim-acknowledgement-lost": lambda: _commit_lost(CLAIM, stored=True),
    "claim-event-refused": lambda: _refused(CONSUMED),
    "final-event-refused": lambda: _refused(EXECUTED),
    "final-acknowledgement-lost": lambda: _commit_lost(EXECUTED, stored=True),
    "proposal-refused": lambda: _refused(PROPOSAL),
    "beginning-refused": lambda: _refused(BEGINNING),
    "beginning-lost": lambda: _commit_lost(BEGINNING, stored=False),
    "beginning-acknowledgement-lost": lambda: _commit_lost(BEGINNING, stored=True),
    "order-refused": lambda: _refused(ORDER),
    "order-lost": lambda: _commit_lost(ORDER, stored=False),
    "order-acknowledgement-lost": lambda: _commit_lost(ORDER, stored=True),
    "kill-before-claim": lambda: Killer(CLAIM, at="before").armed(),
    "kill-in-claim": lambda: Killer(CONSUMED, at="after").armed(),
    "kill-after-claim": lambda: Killer(CONSUMED, at="committed").armed(),
    "kill-before-view": lambda: Killer(CONSUMED, at="follows").armed(),
    "kill-in-view": lambda: Killer(ORDER, at="after").armed(),
    "kill-after-view": lambda: Killer(ORDER, at="committed").armed(),
    "kill-in-settlement": lambda: Killer(EXECUTED, at="after").armed(),
    "kill-after-settlement": lambda: Killer(EXECUTED, at="committed").armed(),
}
