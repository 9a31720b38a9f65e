"""Hostile requests against a shop behind two workers: the faults of their answers, and of the shop afterwards.

    python -m tests.e2e.fuzz [--requests 100000] [--seed 1] [--only NUMBER]

Prints how often each status came, whether the view or a layer in front of it gave it, and the slowest answer; exits
with 1 if anything was wrong. It talks to 127.0.0.1 alone and stops by itself.
"""

import argparse
import collections
import concurrent.futures
import http.client
import json
import re
import socket
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.fuzz_requests import ORDER, Request, make
from tests.e2e.server import Backend, Shop, shop

CONCURRENT = 4
SLOWEST = 2.0
GROUPS = ("coffee-shop", "barista")
# A leak, whatever the status: a traceback, a page of HTML, or the text of an unforeseen exception.
LEAKS = re.compile(rb"Traceback|<!doctype|<html|Internal error|internal_error|Error id", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The answer to a request: status 0 where the connection was closed without one. It ended after `seconds`."""

    status: int
    content_type: str
    body: bytes
    reached: bool
    seconds: float


@dataclass
class Findings:
    """The statuses by whether the view gave them, the slowest answer of the view, and the faults of all answers."""

    statuses: "collections.Counter[tuple[str, int]]" = field(default_factory=collections.Counter)
    slowest: tuple[float, int] = (0.0, -1)
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, request: Request, answer: Answer) -> None:
        self.statuses["view" if answer.reached else "before", answer.status] += 1
        if answer.reached:
            self.slowest = max(self.slowest, (answer.seconds, number))
        self.wrong += [f"request {number}: {complaint}" for complaint in complaints(request, answer)]

    def __str__(self) -> str:
        counted = [f"{where} {status}: {many}" for (where, status), many in sorted(self.statuses.items())]
        seconds, number = self.slowest
        return "\n".join([*counted, f"slowest answer of the view: {seconds:.3f} s, request {number}", *self.wrong[:50]])


def send(port: int, request: Request) -> Answer:
    """Send on a connection of its own; the sending end is closed after, so that a body that is short ends."""
    begun = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            try:
                connection.sendall(request.encoded())
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                # Refused before it was read to its end; the answer may be there all the same.
                pass
            response = http.client.HTTPResponse(connection, method=request.method)
            response.begin()
            body = response.read()
    except (OSError, http.client.HTTPException):
        return Answer(0, "", b"", reached=False, seconds=time.monotonic() - begun)
    headers = response.headers
    seconds = time.monotonic() - begun
    return Answer(response.status, headers.get("Content-Type", ""), body, headers.get("X-Reached") == "view", seconds)


def complaints(request: Request, answer: Answer) -> list[str]:
    """Return the faults of an answer, as half sentences."""
    faults = []
    if answer.seconds > SLOWEST:
        faults.append(f"it took {answer.seconds:.1f} s")
    # gunicorn answers 501 for the parts of HTTP that it has not.
    if answer.status >= 500 and (answer.reached or answer.status != 501):
        faults.append(f"HTTP {answer.status}: {answer.body[:300]!r}")
    if answer.status == 0 and request.whole and len(request.body) < 1_000_000:
        faults.append("no answer")
    if not answer.reached:
        return faults
    if LEAKS.search(answer.body):
        faults.append(f"a leak: {answer.body[:300]!r}")
    if answer.body or answer.content_type:
        faults += _complaints_of_json(answer)
    elif answer.status not in {202, 204}:
        faults.append(f"HTTP {answer.status} without a body")
    return faults


def _complaints_of_json(answer: Answer) -> list[str]:
    if not answer.content_type.startswith("application/json"):
        return [f"the content type {answer.content_type!r}"]
    if not answer.body:
        return []
    try:
        message: Any = json.loads(answer.body)
    except ValueError as error:
        return [f"no JSON ({error}): {answer.body[:300]!r}"]
    if (
        not isinstance(message, dict)
        or message.get("jsonrpc") != "2.0"
        or ("result" in message) == ("error" in message)
    ):
        return [f"no JSON-RPC answer: {answer.body[:300]!r}"]
    return []


def fuzz(served: Shop, numbers: range, seed: int) -> Findings:
    """Send the requests with these numbers, and look at the shop before and after."""
    before = served.inside.order_states()
    findings = Findings()
    with concurrent.futures.ThreadPoolExecutor(CONCURRENT) as pool:

        def one(number: int) -> tuple[int, Request, Answer]:
            request = make(seed, number, served.keys["sam"])
            return number, request, send(served.server.port, request)

        # In portions: map() would make all at once.
        for start in range(numbers.start, numbers.stop, 1000):
            for exchange in pool.map(one, range(start, min(start + 1000, numbers.stop))):
                findings.add(*exchange)
    if served.inside.order_states() != before:
        findings.wrong.append("orders were placed or changed without a token")
    findings.wrong += _afterwards(served)
    return findings


def _afterwards(served: Shop) -> list[str]:
    """Return the faults of the shop afterwards: a dead worker, a traceback, an order that cannot be placed."""
    faults = []
    log = served.server.log.read_text(errors="replace")
    if log.count("Booting worker") != served.workers:
        faults.append("a worker died")
    if "Traceback" in log:
        faults.append(f"a traceback in the log: {log[log.index('Traceback') :][:3000]}")
    with served.client("sam") as client:
        token = client.propose(ORDER)
        answer = client.call("CreateCoffeeShopOrder", ORDER, token).structured
    if answer["status"] != "success":
        faults.append(f"an order afterwards: {answer}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", type=int, metavar="NUMBER", help="send this request alone, and show it and its answer"
    )
    options = parser.parse_args()
    numbers = range(options.requests) if options.only is None else range(options.only, options.only + 1)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        if options.only is not None:
            request = make(options.seed, options.only, served.keys["sam"])
            print(request.encoded()[:5000], send(served.server.port, request), sep="\n\n")
        begun = time.monotonic()
        findings = fuzz(served, numbers, options.seed)
        print(findings)
        print(f"{len(numbers)} requests in {time.monotonic() - begun:.0f} s, {len(findings.wrong)} wrong")
    return 1 if findings.wrong else 0


def serving(directory: Path) -> Any:
    """Serve the shop to be fuzzed, as gunicorn serves the demo."""
    return shop(
        Backend("sqlite:///"), directory, settings="tests.e2e.fuzz_settings", groups=GROUPS, workers=2, threads=4
    )


if __name__ == "__main__":
    sys.exit(main())
