"""Recall and rank of the right operations, for the package's own index and for others."""

import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from django_mcp.catalog.naming import tidy
from django_mcp.types import Operation
from tests.benchmarks.relevance import documents, typos
from tests.benchmarks.relevance.asking import Questions
from tests.benchmarks.relevance.questions import MEASURED

Variant = Callable[[str], str]
Ranks = dict[str, list[int | None]]


class Ranking(Protocol):
    name: str

    def ranked(self, query: str) -> Sequence[Operation]: ...


class Ours:
    name = "django_mcp"

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._index = documents.index(operations)

    def ranked(self, query: str) -> list[Operation]:
        return [hit.operation for hit in self._index.search(query)]


def rank(ranking: Ranking, question: str, right: frozenset[str], variant: Variant = str) -> int | None:
    """Return the place, from 1, of the first operation that answers a question; None where none was found."""
    names = {tidy(name) for name in right}
    places = (at for at, found in enumerate(ranking.ranked(variant(question)), 1) if found.name in names)
    return next(places, None)


def ranks(rankings: Sequence[Ranking], questions: Questions, seeds: int) -> Ranks:
    """Return the rank of each question in each variant, by what ranked it and how it was spelt."""
    variants: dict[str, list[Variant]] = {
        "as asked": [str],
        "one typo": [partial(typos.one, seed=seed) for seed in range(seeds)],
        "all typos": [partial(typos.every, seed=seed) for seed in range(seeds)],
    }
    return {
        f"{ranking.name}, {name}": [
            rank(ranking, question, right, variant) for variant in made for question, right in questions.items()
        ]
        for name, made in variants.items()
        for ranking in rankings
    }


def print_scores(title: str, found: Ranks) -> None:
    print(f"\n{title:40} {'recall@1':>9} {'recall@5':>9} {'MRR':>6}")
    for name, places in found.items():
        first, five = (statistics.fmean(at is not None and at <= top for at in places) for top in (1, 5))
        reciprocal = statistics.fmean(0 if at is None else 1 / at for at in places)
        print(f"{name:40} {first:9.3f} {five:9.3f} {reciprocal:6.3f}")


def print_questions(rankings: Sequence[Ranking], questions: Questions) -> None:
    print()
    for question, right in questions.items():
        ranks = " ".join(f"{rank(ranking, question, right) or '-':>5}" for ranking in rankings)
        came = [found.name for found in rankings[0].ranked(question)[:3]]
        print(f"{ranks}  {question}\n{'':>18}  {', '.join(came)}")


def asked() -> dict[str, list[str]]:
    """Return the questions to GitHub's API for timing, rightly spelt and with a slip in every longer word."""
    plain = [question for questions in MEASURED[documents.GITHUB].values() for question in questions]
    return {"as asked": plain, "all typos": [typos.every(question, seed) for seed in range(3) for question in plain]}
