"""Print what a call through MCP costs, as a ratio to the same call over plain REST, and what large APIs cost.

    python -m tests.benchmarks [--rounds 30] [--calls 15] [--profile FILE]

Processor time, whole requests, one process, an SQLite file. Each round times both sides, in alternating order; the
figure is the median of the rounds' ratios. With --profile, writes where the time goes to FILE.
"""

import argparse
import cProfile
import gc
import pstats
import statistics
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.large import print_large
from tests.benchmarks.listings import print_listings
from tests.benchmarks.project import Project, project
from tests.benchmarks.scenarios import Scenario, scenarios

PROFILED = ("list 10 rows, api_read", "propose + confirm / one create", "tools/list / list 10 rows")


def timed(work: Callable[[], Any], calls: int) -> float:
    """Return the seconds of processor time that a call takes."""
    gc.collect()
    start = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - start) / calls


def compare(scenario: Scenario, rounds: int, calls: int) -> tuple[float, float, float]:
    """Return the medians of REST's seconds, of MCP's seconds, and of their ratios."""
    for _ in range(3):
        scenario.rest(), scenario.mcp()
    pairs = []
    for number in range(rounds):
        order = (scenario.rest, scenario.mcp)
        times = {work: timed(work, calls) for work in (order if number % 2 else reversed(order))}
        pairs.append((times[scenario.rest], times[scenario.mcp]))
    rest, mcp = zip(*pairs, strict=True)
    return statistics.median(rest), statistics.median(mcp), statistics.median(b / a for a, b in pairs)


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def print_scenarios(site: Project, rounds: int, calls: int) -> None:
    print(f"{'':32} {'REST ms':>8} {'MCP ms':>8} {'ratio':>6} {'budget':>7} {'goal':>6}")
    for scenario in scenarios(site):
        site.configure(**scenario.settings)
        rest, mcp, measured = compare(scenario, rounds, calls)
        print(
            f"{scenario.name:32} {rest * 1e3:8.2f} {mcp * 1e3:8.2f} {measured:6.2f}"
            f" {ratio(scenario.budget):>7} {ratio(scenario.goal):>6}"
        )


def print_tokens(rounds: int, calls: int) -> None:
    from django_mcp.approval import tokens

    now = int(time.time())
    claims = tokens.Claims(
        sub="key:1",
        tool="api_call",
        target="CreateCoffeeShopOrder",
        args_hash="0" * 64,
        iat=now,
        exp=now + 300,
        jti=str(uuid.uuid4()),
    )
    token = tokens.sign(claims)
    for name, work in (("sign", lambda: tokens.sign(claims)), ("verify", lambda: tokens.verify(token))):
        microseconds = statistics.median(timed(work, calls * 20) for _ in range(rounds)) * 1e6
        print(f"{'token ' + name:32} {microseconds:8.0f} µs")


def profile(site: Project, calls: int, file: Path) -> None:
    with file.open("w") as out:
        for scenario in scenarios(site):
            if scenario.name not in PROFILED:
                continue
            site.configure(**scenario.settings)
            scenario.mcp()
            profiler = cProfile.Profile()
            profiler.enable()
            for _ in range(calls):
                scenario.mcp()
            profiler.disable()
            print(f"\n===== {scenario.name}, {calls} calls\n", file=out)
            statistics_ = pstats.Stats(profiler, stream=out)
            statistics_.sort_stats("cumulative").print_stats("/django_mcp/", 40)
            statistics_.sort_stats("cumulative").print_stats(40)
            statistics_.sort_stats("tottime").print_stats(20)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--calls", type=int, default=15, help="calls in a round, on each side")
    parser.add_argument("--profile", type=Path, help="also write profiles to this file")
    options = parser.parse_args()
    with project() as site:
        print_scenarios(site, options.rounds, options.calls)
        print_tokens(options.rounds, options.calls)
        if options.profile:
            profile(site, options.calls * 10, options.profile)
        print_listings(site, options.rounds)
        print_large()


if __name__ == "__main__":
    main()
