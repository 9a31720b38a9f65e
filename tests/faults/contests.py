"""Tokens that are raced for while something breaks, asked for again when all is well, and judged."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from tests.faults.attempts import Attempt
from tests.faults.cluster import Cluster, Token
from tests.faults.figures import Figures
from tests.faults.invariants import BROKEN, CUT_OFF, History, Rules

RACERS = 10
# Fewer than a caller may leave open, and redeemed before the first of them expires.
WAVE = 50
PATIENCE = 30.0
PASSING = CUT_OFF | BROKEN | {"unavailable"}


def contest(
    cluster: Cluster,
    count: int,
    figures: Figures,
    *,
    rules: Rules = Rules(),  # noqa: B008 - frozen
    fault: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
    redeem: Callable[[Token], list[Attempt]] | None = None,
    wave: int = WAVE,
    propose: Callable[[int], list[Token]] | None = None,
) -> None:
    """Propose `count` tokens, wave by wave, and redeem each under the fault: by default in a race of all servers.

    `propose` and `redeem` say how else.
    """
    for start in range(0, count, wave):
        issued = (propose or cluster.propose)(min(wave, count - start))
        with fault():
            answers = [redeem(token) if redeem else cluster.race(token, RACERS) for token in issued]
        judge(cluster, issued, answers, figures, rules)
    figures.violations += [f"{name}: it ran {many} times in the end" for name, many in cluster.ran_twice().items()]


def judge(
    cluster: Cluster, issued: list[Token], answers: list[list[Attempt]], figures: Figures, rules: Rules
) -> list[History]:
    """Ask for each token once more, and add to the figures what became of it."""
    repeats = [repeat(cluster, token, attempts) for token, attempts in zip(issued, answers, strict=True)]
    histories = cluster.histories(issued, answers, repeats)
    figures.add(histories, rules)
    return histories


def repeat(cluster: Cluster, token: Token, attempts: list[Attempt]) -> Attempt:
    """Redeem a token after the fault; clients and servers may take a while to find out that it is over.

    The attempts before the last are added to the others.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        attempt = cluster.redeem(token)
        if attempt.verdict not in PASSING or time.monotonic() > deadline:
            return attempt
        attempts.append(attempt)
        time.sleep(0.1)


@contextlib.contextmanager
def meanwhile(act: Callable[[], None], pause: Callable[[], float]) -> Iterator[None]:
    """Do something at once and over and over while the context lasts, with `pause()` seconds after each time.

    An error in it is raised at the end of the context.
    """
    over = threading.Event()
    errors: list[Exception] = []

    def run() -> None:
        try:
            act()
            while not over.wait(pause()):
                act()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if errors:
        raise errors[0]
