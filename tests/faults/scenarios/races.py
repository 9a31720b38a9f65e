"""Nothing breaks: every token is redeemed ten times at the same moment, over two servers with a cache each."""

import contextlib
from functools import partial

from tests.faults.cache_servers import CacheServer
from tests.faults.cases import MARIADB, POSTGRES, REDIS, SQLITE, Case, Services
from tests.faults.cluster import cluster
from tests.faults.contests import contest
from tests.faults.figures import Figures


def race(services: Services, count: int, figures: Figures, *, database: str, changes: bool = False) -> None:
    """Race for new orders, or for changes of orders."""
    with contextlib.ExitStack() as stack:
        caches = []
        for _server in range(2):
            caches.append(CacheServer("redis", services.folder()))
            stack.callback(caches[-1].stop)
        url = services.databases[database]
        servers = stack.enter_context(cluster(url, services.folder(), *[cache.env for cache in caches]))
        if changes:
            contest(servers, count, figures, propose=servers.propose_changes)
        else:
            contest(servers, count, figures)
    figures.notes.append(f"{figures.overlapping:,} of the refused came while the winner was still at it")
    if not figures.overlapping:
        figures.violations.append("no two redemptions of a token overlapped: it was no race")


CASES = [
    Case(f"races: {database}", full, 100, frozenset({database, REDIS}), partial(race, database=database))
    for database, full in ((POSTGRES, 10_000), (MARIADB, 2_000), (SQLITE, 2_000))
]
CASES.append(
    Case(
        "races: changes, postgres",
        500,
        20,
        frozenset({POSTGRES, REDIS}),
        partial(race, database=POSTGRES, changes=True),
    )
)
