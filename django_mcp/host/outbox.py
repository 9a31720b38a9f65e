"""Mail that the host's code sends while it is only rehearsed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.core import mail

_DUMMY = "django.core.mail.backends.dummy.EmailBackend"
_discarding: ContextVar[bool] = ContextVar("django_mcp_discarding_mail", default=False)
_get_connection = mail.get_connection


def honour_rehearsals() -> None:
    """Let mail go nowhere that is sent inside `discarded()`, by this thread or task alone.

    The setting that chooses the backend is the process's: changing it would lose the mail of other requests.
    """
    mail.get_connection = _connection


@contextmanager
def discarded() -> Iterator[None]:
    """Discard the mail that the host's code sends through Django's own connection."""
    token = _discarding.set(True)
    try:
        yield
    finally:
        _discarding.reset(token)


def _connection(backend: str | None = None, *args: Any, **kwargs: Any) -> Any:
    if _discarding.get():
        return _get_connection(_DUMMY)
    return _get_connection(backend, *args, **kwargs)
