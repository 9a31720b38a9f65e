"""Clients that hang up, in the middle of a request or before its answer, and try again until they know."""

import time
from functools import partial

from tests.faults.attempts import Attempt, abandoned
from tests.faults.cases import DATABASES, Case, Services
from tests.faults.cluster import Cluster, Token, shared
from tests.faults.contests import contest
from tests.faults.figures import Figures
from tests.faults.invariants import CUT_OFF, Rules

# Longer than a redemption takes, now and then.
AFTER = 0.04
PATIENCE = 30.0
# Nobody may be there to hear of the success.
RULES = Rules(verdicts=CUT_OFF, lossy=True, end=("succeeded", 1, 1))


def hang_up(services: Services, count: int, figures: Figures, *, database: str) -> None:
    chance = services.chance(figures.case)

    def impatient(servers: Cluster, token: Token) -> list[Attempt]:
        attempts = []
        for _ in range(chance.randrange(1, 5)):
            call = servers.redemption(token, chance.randrange(2))
            attempts.append(abandoned(call, after=chance.uniform(0, AFTER), part=chance.choice([1.0, 1.0, 0.5])))
        return attempts + until_known(servers, token)

    servers = shared(services, database)
    contest(servers, count, figures, rules=RULES, redeem=partial(impatient, servers))


def until_known(servers: Cluster, token: Token) -> list[Attempt]:
    """Try again while another attempt may still be at it."""
    deadline = time.monotonic() + PATIENCE
    attempts = [servers.redeem(token)]
    while attempts[-1].outcome == "unknown" and time.monotonic() < deadline:
        time.sleep(0.02)
        attempts.append(servers.redeem(token))
    return attempts


CASES = [
    Case(
        f"clients: hang up, {database}",
        full,
        20,
        frozenset({database} - {"sqlite"}),
        partial(hang_up, database=database),
    )
    for database, full in zip(DATABASES, (1000, 300, 300), strict=True)
]
