"""A worker is killed (SIGKILL) at each stage of a redemption, and the token is raced for afterwards."""

from collections import Counter
from functools import partial

from tests.faults.attempts import Attempt
from tests.faults.cases import DATABASES, Case, Services
from tests.faults.cluster import Cluster, Token, shared
from tests.faults.contests import RACERS, judge
from tests.faults.figures import Figures
from tests.faults.invariants import CUT_OFF, Rules

# After all is over: the row's state, how often the operation ran, and the orders that are left of it.
STAGES = {
    "before-claim": ("succeeded", 1, 1),
    "in-claim": ("succeeded", 1, 1),
    "after-claim": ("executing", 0, 0),
    "before-view": ("executing", 0, 0),
    "in-view": ("executing", 1, 0),
    "after-view": ("executing", 1, 1),
    "in-settlement": ("executing", 1, 1),
    "after-settlement": ("succeeded", 1, 1),
}


def kill(services: Services, count: int, figures: Figures, *, database: str) -> None:
    """Kill a worker that often at each stage, and note what is left."""
    servers = shared(services, database)
    for stage, expected in STAGES.items():
        issued = servers.propose(count)
        answers = [killed(servers, token, stage) for token in issued]
        rules = Rules(verdicts=CUT_OFF, lossy=True, end=expected)
        ends = Counter(
            f"{history.state}, a repeat says {history.repeat.outcome}, "
            f"{len(history.executions)} run, {history.orders} order"
            for history in judge(servers, issued, answers, figures, rules)
        )
        figures.notes += [f"{stage}: {end} ({many})" for end, many in ends.items()]
        figures.violations += [f"nobody was killed {stage}" for first, *_ in answers if first.verdict != "no answer"]


def killed(servers: Cluster, token: Token, stage: str) -> list[Attempt]:
    """Redeem a token in a worker that does not live to answer, then race for it."""
    return [servers.redeem(token, **{"X-Fault": f"kill-{stage}"}), *servers.race(token, RACERS - 1)]


CASES = [
    Case(f"kills: {database}", full, 1, frozenset({database} - {"sqlite"}), partial(kill, database=database))
    for database, full in zip(DATABASES, (10, 5, 5), strict=True)
]
