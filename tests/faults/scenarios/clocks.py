"""One server's clock is ahead of the other's, or behind, by less than a token lives and by more."""

from tests.faults.cases import POSTGRES, Case, Services
from tests.faults.cluster import cluster
from tests.faults.contests import contest
from tests.faults.figures import Figures
from tests.faults.invariants import Rules

# In seconds; a token lives for 300.
WITHIN = (-240, 240)
BEYOND = (-3600, 3600)
EXPIRED = frozenset({"confirmation_expired"})


def apart(services: Services, count: int, figures: Figures) -> None:
    """Race for tokens of both servers, for each difference that many."""
    with cluster(services.databases[POSTGRES], services.folder(), {}, {}) as servers:
        for seconds in (*WITHIN, *BEYOND):
            servers.restart(1, FAULT_CLOCK=str(seconds))
            before = figures.executions
            contest(servers, count, figures, rules=Rules(unused=EXPIRED if seconds in BEYOND else frozenset()))
            figures.notes.append(f"{seconds:+} s: {figures.executions - before} of {count} ran")


CASES = [Case("clocks: apart", 100, 4, frozenset({POSTGRES}), apart)]
