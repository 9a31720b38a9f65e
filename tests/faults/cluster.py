"""Servers on one database, each with a cache of its own, and tokens that are redeemed from all of them at once."""

import contextlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e import tokens
from tests.e2e.server import Backend, Server, Shop, prepared
from tests.faults.attempts import Attempt, Call, alone, together
from tests.faults.cases import Services
from tests.faults.invariants import History

GROUPS = ("coffee-shop", "faults")
PLACE, AMEND = "PlaceWitnessed", "AmendWitnessed"
ITEMS = [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]
PROPOSALS_AT_ONCE = 8


@dataclass(frozen=True)
class Token:
    """A confirmation token and the call that it is for; `issuer` is the number of the server that gave it."""

    text: str
    api: str
    args: Mapping[str, Any]
    issuer: int

    @property
    def name(self) -> str:
        """The customer's name, which no other token's order has."""
        return str(self.args["customer_name"])

    @property
    def jti(self) -> str:
        return tokens.jti(self.text)


@dataclass
class Cluster:
    shop: Shop
    servers: list[Server]
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _read: int = 0
    _sightings: dict[str, list[Any]] = field(default_factory=dict)

    def propose(self, count: int, *, servers: Sequence[int] = (), api: str = PLACE, **more: Any) -> list[Token]:
        """Return that many fresh tokens, from the servers of those numbers in turn, or from all."""
        issuers = list(itertools.islice(itertools.cycle(servers or range(len(self.servers))), count))
        arguments = [{"customer_name": f"Customer {next(self._numbers)}", "items": ITEMS, **more} for _ in issuers]
        issued = []
        for start in range(0, count, PROPOSALS_AT_ONCE):
            part = list(zip(issuers, arguments, strict=True))[start : start + PROPOSALS_AT_ONCE]
            answers = together([self.call(server, api, args) for server, args in part])
            for (server, args), first in zip(part, answers, strict=True):
                # SQLite may be locked by what another server is at; nothing came of it then.
                answer = alone(self.call(server, api, args)) if first.verdict == "internal_error" else first
                assert answer.verdict == "requires_confirmation", answer
                issued.append(Token(answer.content["confirmationToken"], api, args, server))
        return issued

    def propose_changes(self, count: int, *, servers: Sequence[int] = ()) -> list[Token]:
        """Return that many tokens, each for the change of an order of its own."""
        changes = []
        for token in self.propose(count, servers=servers):
            order = self.redeem(token).content["response"]["id"]
            changes += self.propose(1, servers=(token.issuer,), api=AMEND, id=order)
        return changes

    def call(self, server: int, api: str, args: Any, token: str | None = None, headers: Mapping[str, str] = {}) -> Call:
        return Call(self.servers[server].port, self.shop.keys["sam"], api, args, token, headers)

    def redemption(self, token: Token, server: int | None = None, **headers: str) -> Call:
        chosen = token.issuer if server is None else server
        return self.call(chosen, token.api, token.args, token.text, headers)

    def redeem(self, token: Token, server: int | None = None, **headers: str) -> Attempt:
        return alone(self.redemption(token, server, **headers))

    def race(self, token: Token, racers: int) -> list[Attempt]:
        """Redeem the token that often at the same moment, from every server in turn."""
        return together([self.redemption(token, number % len(self.servers)) for number in range(racers)])

    def histories(
        self, issued: Sequence[Token], answers: Sequence[Sequence[Attempt]], repeats: Sequence[Attempt]
    ) -> list[History]:
        """Return what became of each token, from its answers, the record, the shop and the file of executions."""
        records = self.shop.inside.records(jtis=[token.jti for token in issued])
        orders = self.shop.inside.orders_by_name(names=[token.name for token in issued])
        self._look()
        return [
            History(
                name=token.name,
                answers=tuple(attempts),
                repeat=repeat,
                executions=tuple(self._sightings.get(token.name, ())),
                orders=orders.get(token.name, 0),
                **records[token.jti],
            )
            for token, attempts, repeat in zip(issued, answers, repeats, strict=True)
        ]

    def ran_twice(self) -> dict[str, int]:
        """Return how often those ran that ran more than once, also after they were judged."""
        self._look()
        return {name: len(sightings) for name, sightings in self._sightings.items() if len(sightings) > 1}

    def _look(self) -> None:
        """Read what was added to the file of executions."""
        file = self.shop.directory / "executions"
        if file.exists():
            with file.open() as lines:
                lines.seek(self._read)
                for line in lines.read().splitlines():
                    sighting = json.loads(line)
                    self._sightings.setdefault(sighting["name"], []).append(sighting["consumed"])
                self._read = lines.tell()

    def start(self, **env: str) -> None:
        """Start one more server, whose environment may differ."""
        self.servers.append(self.shop.start(**env))

    def restart(self, server: int, **env: str) -> None:
        """Replace one server by another whose environment may differ."""
        self.servers[server].stop()
        self.servers[server] = self.shop.start(**env)


@contextlib.contextmanager
def cluster(
    database: str,
    directory: Path,
    *environments: Mapping[str, str],
    workers: int = 2,
    threads: int = 3,
) -> Iterator[Cluster]:
    """Serve a fresh shop from one server for each environment; more may be started."""
    with contextlib.ExitStack() as stack:
        shop = stack.enter_context(
            prepared(
                Backend(database),
                directory,
                settings="tests.faults.settings",
                groups=GROUPS,
                workers=workers,
                threads=threads,
                # A worker that dies is replaced in no time.
                options=("--preload",),
                FAULT_DIRECTORY=str(directory),
            )
        )
        opened = Cluster(shop, [])
        stack.callback(lambda: [server.stop() for server in opened.servers])
        for environment in environments:
            opened.start(**environment)
        yield opened


def shared(services: Services, database: str) -> Cluster:
    """Return two servers on that kind of database, for all cases that leave them as they were."""
    url = services.databases[database]
    return services.shared(database, lambda: cluster(url, services.folder(), {}, {}))
