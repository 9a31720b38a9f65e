"""The signing secret changes while tokens are out, server by server; and two hosts on one database that share none."""

import json
from functools import partial

from tests.e2e.server import SIGNING_SECRET
from tests.faults.attempts import Attempt
from tests.faults.cases import POSTGRES, Case, Services
from tests.faults.cluster import Cluster, Token, cluster
from tests.faults.contests import RACERS, contest, judge
from tests.faults.figures import Figures
from tests.faults.invariants import CHANGED, Rules

NEW = {"SHOP_SIGNING_SECRET": "the secret after the rotation, which is as long as any secret has to be"}
BOTH = {**NEW, "FAULT_FALLBACKS": json.dumps([SIGNING_SECRET])}
# What a server says that does not know the secret which a token was signed with.
STRANGE = frozenset({"confirmation_invalid"})


def rotated(services: Services, count: int, figures: Figures) -> None:
    """Roll a new secret out: one server knows both while the other knows the old, then both do, then none the old."""
    with cluster(services.databases[POSTGRES], services.folder(), {}, {}) as servers:
        first, second, last = (proposed(servers, count) for _ in range(3))
        servers.restart(1, **BOTH)
        raced(servers, [*first, *proposed(servers, count, issuer=0)], figures, CHANGED)
        raced(servers, proposed(servers, count, issuer=1), figures, Rules(verdicts=STRANGE | CHANGED.verdicts))
        servers.restart(0, **BOTH)
        raced(servers, [*second, *proposed(servers, count)], figures, CHANGED)
        servers.restart(0, **NEW)
        servers.restart(1, **NEW)
        raced(servers, last, figures, Rules(unused=STRANGE, end=("issued", 0, 0)))
        raced(servers, proposed(servers, count), figures, CHANGED)


def proposed(servers: Cluster, count: int, issuer: int | None = None) -> list[Token]:
    """Return tokens for a new order and, as what is shown of a row is signed too, as many for a change of one."""
    issuers = () if issuer is None else (issuer,)
    return [*servers.propose(count, servers=issuers), *servers.propose_changes(count, servers=issuers)]


def raced(servers: Cluster, issued: list[Token], figures: Figures, rules: Rules) -> None:
    judge(servers, issued, [servers.race(token, RACERS) for token in issued], figures, rules)


def strangers(services: Services, count: int, figures: Figures) -> None:
    """Race for tokens of two hosts, each of which takes its own alone."""

    def race(servers: Cluster, token: Token) -> list[Attempt]:
        attempts = servers.race(token, RACERS)
        for number, attempt in enumerate(attempts):
            own = number % len(servers.servers) == token.issuer
            if own is (attempt.verdict in STRANGE):
                figures.violations.append(f"{token.name}: {attempt.verdict} on {'its own' if own else 'another'} host")
        return attempts

    own = {"SHOP_SIGNING_SECRET": "the secret of a host that shares nothing with the other but the database"}
    with cluster(services.databases[POSTGRES], services.folder(), {}, own) as servers:
        contest(servers, count, figures, rules=Rules(verdicts=STRANGE), redeem=partial(race, servers))


CASES = [
    Case("secrets: rotated", 25, 1, frozenset({POSTGRES}), rotated),
    Case("secrets: two hosts", 200, 10, frozenset({POSTGRES}), strangers),
]
