"""Every case, in the order in which they are played."""

from tests.faults.scenarios import caches, clients, clocks, connections, forgeries, kills, races, secrets

CASES = [
    case for module in (races, forgeries, kills, caches, connections, clocks, secrets, clients) for case in module.CASES
]
