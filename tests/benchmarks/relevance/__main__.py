"""Print how well operations of public APIs are found by questions in other words than their own.

    python -m tests.benchmarks.relevance [--seeds 10] [--questions] [--tuning]

Needs `bm25s` (the dependency group `benchmark`) and npm, which fetches the documents. With --questions, prints for each
question the rank of the first right operation and what came first. Nothing here asserts anything.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from tests.benchmarks.relevance.questions import Sets
    from tests.benchmarks.relevance.scores import Ranking

QUICK = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.relevance")
    parser.add_argument("--seeds", type=int, default=10, help="how many times typos are made")
    parser.add_argument("--tuning", action="store_true", help="ask the questions that weights are chosen by instead")
    parser.add_argument("--questions", action="store_true", help="print each question's rank")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

    from tests.benchmarks.relevance import documents, scores
    from tests.benchmarks.relevance.questions import MEASURED, TUNING

    print_relevance(TUNING if options.tuning else MEASURED, options.seeds, options.questions)
    print(f"\n{'':18} {'build s':>8} {'median ms':>10} {'p95 ms':>8} {'worst ms':>9}")
    for number in (1_000, 10_000):
        operations = documents.many(number)
        for name, queries in scores.asked().items():
            print_times(f"{number:,}, {name}", partial(scores.Ours, operations), queries)


def print_relevance(asked: "Sets", seeds: int, each: bool) -> None:
    from tests.benchmarks.relevance import baselines, documents, scores

    together: dict[str, scores.Ranks] = {}
    for document, sets in asked.items():
        found = list(documents.operations(document))
        rankings = [scores.Ours(found), baselines.Bm25(found), baselines.FullBm25(found)]
        for kind, questions in sets.items():
            ranks = scores.ranks(rankings, questions, seeds)
            scores.print_scores(f"{kind} of {Path(document.path).stem}, {len(found)} operations", ranks)
            if each:
                scores.print_questions(rankings, questions)
            for name, places in ranks.items():
                together.setdefault(kind, {}).setdefault(name, []).extend(places)
                together.setdefault("all", {}).setdefault(name, []).extend(places)
    for kind, ranks in together.items():
        scores.print_scores(f"{kind}, of all APIs", ranks)


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
