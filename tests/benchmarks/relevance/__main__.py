"""Print how well operations of a large public API are found by questions in other words than its own.

    python -m tests.benchmarks.relevance [--seeds 10] [--questions]

Needs `bm25s` (the dependency group `benchmark`) and npm, which fetches the document. With --questions, prints for each
question the rank of the first right operation and what came first. Nothing here asserts anything.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from tests.benchmarks.relevance.scores import Ranking

QUICK = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.relevance")
    parser.add_argument("--seeds", type=int, default=10, help="how many times typos are made")
    parser.add_argument("--questions", action="store_true", help="print each question's rank")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

    from tests.benchmarks.relevance import baselines, documents, scores
    from tests.benchmarks.relevance.questions import SETS

    found = list(documents.operations())
    ours = scores.Ours(found)
    rivals = [baselines.Bm25(found), baselines.StemmedBm25(found)]
    print(f"{documents.PACKAGE}: {len(found)} operations")
    for name, questions in SETS.items():
        print(f"\nquestions of {name}")
        scores.print_scores([ours, *rivals], questions, options.seeds)
        if options.questions:
            scores.print_questions([ours, *rivals], questions)
    print(f"\n{'':18} {'build s':>8} {'median ms':>10} {'p95 ms':>8} {'worst ms':>9}")
    for number in (1_000, 10_000):
        operations = documents.many(number)
        for name, queries in scores.asked().items():
            print_times(f"{number:,}, {name}", partial(scores.Ours, operations), queries)


def print_times(name: str, build: Callable[[], "Ranking"], queries: Sequence[str]) -> None:
    start = time.process_time()
    index = build()
    built = time.process_time() - start
    times = sorted(min(timed(index, query) for _ in range(QUICK)) for query in queries)
    p95 = times[int(0.95 * len(times))]
    print(f"{name:18} {built:8.2f} {statistics.median(times):10.2f} {p95:8.2f} {times[-1]:9.2f}")


def timed(index: "Ranking", query: str) -> float:
    """Return the milliseconds of processor time that a search takes."""
    start = time.process_time()
    index.ranked(query)
    return (time.process_time() - start) * 1e3


if __name__ == "__main__":
    main()
