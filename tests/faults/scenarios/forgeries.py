"""Tokens that nobody was given: none is taken for one that somebody was, and none spends it."""

import json
import os
import subprocess
import sys
from functools import partial

from tests.e2e.inside import ROOT
from tests.e2e.server import SIGNING_SECRET
from tests.faults.attempts import Attempt, together
from tests.faults.cases import SQLITE, Case, Services
from tests.faults.cluster import Cluster, Token, shared
from tests.faults.contests import contest
from tests.faults.figures import Figures
from tests.faults.invariants import Rules
from tests.faults.mutations import mutants

PER_TOKEN = 200
AT_ONCE = 8
REFUSED = frozenset({"confirmation_malformed", "confirmation_invalid"})


def in_process(services: Services, count: int, figures: Figures) -> None:
    """Verify in as many processes as the machine has processors."""
    processes = os.cpu_count() or 1
    shares = [count // processes + (number < count % processes) for number in range(processes)]
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.e2e.settings",
        "SHOP_SIGNING_SECRET": SIGNING_SECRET,
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.verifier", f"{services.seed} {number}", str(share)],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, share in enumerate(shares)
    ]
    for process in running:
        printed, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"A verifier ended with {process.returncode}.")
        report = json.loads(printed)
        figures.tokens += report["tokens"]
        figures.verdicts.update(report["verdicts"])
        figures.violations += report["violations"]
    if figures.verdicts.keys() != REFUSED:
        figures.violations.append("the mutations do not reach every check")


def over_http(services: Services, count: int, figures: Figures) -> None:
    """Send mutations of open tokens with the arguments that these are for, then redeem the tokens themselves."""
    chance = services.chance("forgeries")

    def forge(servers: Cluster, token: Token) -> list[Attempt]:
        source = mutants(token.text, chance)
        attempts: list[Attempt] = []
        while len(attempts) < min(PER_TOKEN, count):
            forged = [next(source) for _ in range(AT_ONCE)]
            calls = [
                servers.call(number % 2, token.api, token.args, mutant) for number, (_, mutant) in enumerate(forged)
            ]
            answers = together(calls)
            attempts += answers
            for (kind, mutant), answer in zip(forged, answers, strict=True):
                if answer.verdict not in REFUSED:
                    figures.violations.append(f"{kind}: {mutant!r} is answered {answer}; it was made from {token.text}")
        return attempts

    servers = shared(services, SQLITE)
    tokens = -(-count // PER_TOKEN)
    contest(servers, tokens, figures, rules=Rules(verdicts=REFUSED), redeem=partial(forge, servers), wave=1)


CASES = [
    Case("forgeries: in process", 1_000_000, 20_000, frozenset(), in_process),
    Case("forgeries: over HTTP", 20_000, 2_000, frozenset(), over_http),
]
