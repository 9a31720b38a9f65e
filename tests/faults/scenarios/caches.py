"""The cache that two servers share is flushed, frozen, killed, evicting, full or late while tokens are raced for."""

import contextlib
import itertools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

import redis

from tests.faults.cache_servers import CacheServer, redis_url
from tests.faults.cases import POSTGRES, REDIS, Case, Services
from tests.faults.cluster import Cluster, cluster
from tests.faults.contests import contest, meanwhile
from tests.faults.figures import Figures
from tests.faults.invariants import Rules
from tests.faults.proxy import Proxy

# How long a server waits for the cache, in seconds.
TIMEOUT = 0.4
MEMORY = "3mb"
# In bytes: what is left of the memory has no room for the smallest either.
PIECES = (50_000, 1_000, 10)

Fault = Callable[[CacheServer, random.Random], AbstractContextManager[object]]


def connected(cache: CacheServer) -> "redis.Redis[bytes]":
    return redis.Redis(port=cache.port)


@contextlib.contextmanager
def flushed(cache: CacheServer, chance: random.Random) -> Iterator[None]:
    """Forget everything, a hundred times a second."""
    with connected(cache) as connection, meanwhile(connection.flushall, lambda: chance.uniform(0, 0.02)):
        yield


@contextlib.contextmanager
def frozen(cache: CacheServer, _chance: random.Random) -> Iterator[None]:
    """Answer nothing to anybody; what was asked is done later, when nobody waits for it any more."""
    cache.freeze()
    try:
        yield
    finally:
        cache.thaw()


@contextlib.contextmanager
def stuttering(cache: CacheServer, chance: random.Random) -> Iterator[None]:
    """Stop for longer than some wait, again and again."""

    def stop() -> None:
        with frozen(cache, chance):
            time.sleep(chance.uniform(0, 2 * TIMEOUT))

    with meanwhile(stop, lambda: chance.uniform(0, TIMEOUT)):
        yield


@contextlib.contextmanager
def killed(cache: CacheServer, chance: random.Random) -> Iterator[None]:
    """Die and come back with nothing, again and again."""

    def kill() -> None:
        cache.kill()
        time.sleep(chance.uniform(0, 0.2))
        cache.start()

    with meanwhile(kill, lambda: chance.uniform(0, 0.5)):
        yield


@contextlib.contextmanager
def flooded(cache: CacheServer, _chance: random.Random, *, policy: str) -> Iterator[None]:
    """Be too small, and be filled by somebody else."""
    pieces = iter(range(10**9))

    def fill() -> None:
        for size in PIECES:
            # Where nothing is evicted, a full server refuses.
            with contextlib.suppress(redis.ResponseError):
                for _ in range(100):
                    connection.set(f"piece {next(pieces)}", b"x" * size)

    with connected(cache) as connection:
        connection.config_set("maxmemory-policy", policy)
        connection.config_set("maxmemory", MEMORY)
        fill()
        with meanwhile(fill, lambda: 0.005):
            yield
        assert policy == "noeviction" or connection.info("stats")["evicted_keys"], "nothing was evicted"
        connection.config_set("maxmemory", 0)
        connection.flushall()


def play(services: Services, count: int, figures: Figures, *, fault: Fault, wave: int, felt: bool) -> None:
    """Race for tokens under a fault; where it is `felt`, somebody has to be told that the cache is unavailable."""
    chance = services.chance(figures.case)
    cache, servers = services.shared("one cache", lambda: one_cache(services))
    contest(servers, count, figures, rules=RULES, fault=lambda: fault(cache, chance), wave=wave)
    if felt and not figures.verdicts["unavailable"]:
        figures.violations.append("the cache was there for everybody")


@contextlib.contextmanager
def one_cache(services: Services) -> Iterator[tuple[CacheServer, Cluster]]:
    """Serve from two servers that share a cache."""
    cache = CacheServer("redis", services.folder(), timeout=TIMEOUT)
    try:
        with cluster(services.databases[POSTGRES], services.folder(), cache.env, cache.env) as servers:
            yield cache, servers
    finally:
        cache.stop()


def late(services: Services, count: int, figures: Figures) -> None:
    """Each answer comes after a while, and for every tenth nobody waits so long."""
    chance = services.chance(figures.case)
    too_late = itertools.count()

    def delay() -> float:
        if chance.random() < 0.1:
            next(too_late)
            return 2 * TIMEOUT
        return chance.uniform(0, 0.02)

    with contextlib.ExitStack() as stack:
        cache = CacheServer("redis", services.folder())
        stack.callback(cache.stop)
        proxy = stack.enter_context(Proxy(cache.port).listening())
        env = {"REDIS_URL": redis_url(proxy.port, TIMEOUT)}
        servers = stack.enter_context(cluster(services.databases[POSTGRES], services.folder(), env, env))

        @contextlib.contextmanager
        def delayed() -> Iterator[None]:
            proxy.delay = delay
            try:
                yield
            finally:
                proxy.delay = lambda: 0.0

        contest(servers, count, figures, rules=RULES, fault=delayed, wave=20)
    figures.notes.append(f"answers for which nobody waited: {(waited := next(too_late)):,}")
    if not waited:
        figures.violations.append("no answer was late")


# A cache that does not answer is a reason to run nothing; one that has forgotten is none.
RULES = Rules(verdicts=frozenset({"unavailable"}))
NEEDS = frozenset({POSTGRES, REDIS})
CASES = [
    Case(f"caches: {name}", full, short, NEEDS, partial(play, fault=fault, wave=wave, felt=felt))
    for name, full, short, wave, felt, fault in (
        ("flushed", 1000, 20, 50, False, flushed),
        ("frozen", 40, 2, 2, True, frozen),
        ("stuttering", 200, 10, 20, False, stuttering),
        ("killed", 200, 10, 20, False, killed),
        ("evicting", 1000, 20, 50, False, partial(flooded, policy="allkeys-lru")),
        ("full", 200, 10, 20, True, partial(flooded, policy="noeviction")),
    )
]
CASES.append(Case("caches: late", 200, 10, NEEDS, late))
