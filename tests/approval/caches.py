"""Cache backends that fail in the ways real ones do."""

from typing import Any

from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache


class Down(LocMemCache):
    """A server that does not answer."""

    def _fail(self, *_args: Any, **_kwargs: Any) -> Any:
        raise ConnectionError("redis://:password@cache:6379 refused")

    add = get = set = delete = touch = _fail


class Ignored(DummyCache):
    """django-redis with IGNORE_EXCEPTIONS and its server down."""

    def add(self, *_args: Any, **_kwargs: Any) -> Any:
        return None


class Unwritable(LocMemCache):
    """A database cache whose table cannot be written: it says False."""

    def add(self, *_args: Any, **_kwargs: Any) -> bool:
        return False


class LosesReply(LocMemCache):
    """A server that stores, and whose answer is lost."""

    def add(self, *args: Any, **kwargs: Any) -> Any:
        super().add(*args, **kwargs)
        raise TimeoutError


class LosesReplyQuietly(LocMemCache):
    def add(self, *args: Any, **kwargs: Any) -> Any:
        super().add(*args, **kwargs)
        return None


class LosesReplyThenDies(LosesReply):
    """As before, and then it answers nothing any more."""

    def get(self, *args: Any, **kwargs: Any) -> Any:
        raise TimeoutError

    delete = get


class TakesNothing(LocMemCache):
    """A server that is read-only: what is set stays as it was."""

    def set(self, *args: Any, **kwargs: Any) -> None:
        """Lose the write."""
