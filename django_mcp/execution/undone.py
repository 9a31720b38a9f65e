"""A stretch of the host's code that leaves no trace in any database."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from django.db import DatabaseError, connections, transaction


@contextmanager
def undone() -> Iterator[None]:
    """Open a transaction on every database and roll each back. One that cannot be reached refuses all queries."""
    with ExitStack() as stack:
        for alias in connections:
            try:
                stack.enter_context(_rolled_back(alias))
            except DatabaseError:
                stack.enter_context(connections[alias].execute_wrapper(_refused))
        yield


@contextmanager
def _rolled_back(alias: str) -> Iterator[None]:
    with transaction.atomic(using=alias):
        try:
            yield
        finally:
            transaction.set_rollback(True, using=alias)


def _refused(*args: Any) -> NoReturn:
    msg = "This database could not be reached for a transaction, so nothing may be written to it."
    raise DatabaseError(msg)
