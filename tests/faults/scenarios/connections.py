"""Connections to the database are cut in mid-flight, and commits are lost on their way there or back."""

import contextlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import urlsplit

from tests.e2e.inside import Inside
from tests.faults.cases import MARIADB, POSTGRES, Case, Services
from tests.faults.cluster import Cluster, cluster, shared
from tests.faults.contests import contest, meanwhile
from tests.faults.figures import Figures
from tests.faults.invariants import BROKEN, FAILURES, Rules
from tests.faults.proxy import Fate, Proxy

PORTS = {POSTGRES: 5432, MARIADB: 3306}
# The message of PostgreSQL's protocol and of MariaDB's.
COMMIT = re.compile(rb"(?:Q....COMMIT\0|....\x03COMMIT)", re.DOTALL)
RULES = Rules(verdicts=frozenset({"unavailable"}) | FAILURES | BROKEN, lossy=True)


def cut(services: Services, count: int, figures: Figures, *, database: str) -> None:
    """Cut every connection of the servers, again and again."""
    chance = services.chance(figures.case)
    servers = shared(services, database)
    # A process of its own: each answers one question at a time.
    with contextlib.closing(Inside(servers.shop.env)) as inside:
        contest(
            servers,
            count,
            figures,
            rules=RULES,
            fault=lambda: meanwhile(inside.break_connections, lambda: chance.uniform(0.01, 0.2)),
            wave=20,
        )


def lost(services: Services, count: int, figures: Figures, *, database: str, fate: Fate) -> None:
    """Lose every fourth commit, or the answer to it."""
    chance = services.chance(figures.case)

    def decided(data: bytes) -> Fate:
        return fate if COMMIT.fullmatch(data) and chance.random() < 0.25 else Fate.PASS

    @contextlib.contextmanager
    def losing() -> Iterator[None]:
        proxy.fate = decided
        try:
            yield
        finally:
            proxy.fate = lambda _data: Fate.PASS

    proxy, servers = services.shared(f"{database} behind a proxy", lambda: proxied(services, database))
    before = proxy.lost
    contest(servers, count, figures, rules=RULES, fault=losing)
    figures.notes.append(f"lost: {proxy.lost - before:,}")
    if proxy.lost == before:
        figures.violations.append("nothing was lost")


@contextlib.contextmanager
def proxied(services: Services, database: str) -> Iterator[tuple[Proxy, Cluster]]:
    """Serve from two servers that reach their database through a proxy."""
    url = services.databases[database]
    with (
        Proxy(urlsplit(url).port or PORTS[database]).listening() as proxy,
        cluster(url, services.folder()) as servers,
    ):
        for _server in range(2):
            servers.start(DATABASE_URL=behind(proxy, servers.shop.env["DATABASE_URL"]))
        yield proxy, servers


def behind(proxy: Proxy, url: str) -> str:
    """Return the URL by which a database is reached through the proxy, in the clear, so that it can be read there."""
    parts = urlsplit(url)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    query = "sslmode=disable" if parts.scheme.startswith("postgres") else ""
    return parts._replace(netloc=f"{user}127.0.0.1:{proxy.port}", query=query).geturl()


def _cases() -> Iterator[Case]:
    plays: dict[str, Callable[..., None]] = {
        "cut": cut,
        "commits lost": partial(lost, fate=Fate.LOSE_REQUEST),
        "acknowledgements lost": partial(lost, fate=Fate.LOSE_ANSWER),
    }
    for database, full in ((POSTGRES, 500), (MARIADB, 200)):
        for name, play in plays.items():
            yield Case(
                f"connections: {name}, {database}", full, 10, frozenset({database}), partial(play, database=database)
            )


CASES = [*_cases()]
