"""A local-memory cache that fails when the request asks it to."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from django.core.cache.backends.locmem import LocMemCache

fault: ContextVar[str] = ContextVar("fault", default="")


class CacheGone(Exception):
    pass


@contextlib.contextmanager
def failing(name: str) -> Iterator[None]:
    token = fault.set(name)
    try:
        yield
    finally:
        fault.reset(token)


class FaultyCache(LocMemCache):
    def add(self, *args: Any, **kwargs: Any) -> Any:
        match fault.get():
            case "cache-add-raises" | "cache-gone":
                raise CacheGone("the cache does not answer")
            case "cache-add-none":
                return None
            case "cache-add-acknowledgement-lost":
                super().add(*args, **kwargs)
                raise CacheGone("the cache does not answer")
        return super().add(*args, **kwargs)

    def get(self, *args: Any, **kwargs: Any) -> Any:
        if fault.get() in {"cache-get-raises", "cache-gone"}:
            raise CacheGone("the cache does not answer")
        return super().get(*args, **kwargs)

    def set(self, *args: Any, **kwargs: Any) -> None:
        if fault.get() in {"cache-set-raises", "cache-gone"}:
            raise CacheGone("the cache does not answer")
        super().set(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        if fault.get() == "cache-gone":
            raise CacheGone("the cache does not answer")
        return super().delete(*args, **kwargs)
