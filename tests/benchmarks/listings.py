"""What `tools/list` costs for 300 operations, by the way they are published."""

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.benchmarks.project import Project

WAYS = {"api_tools": "API tools", "one_tool_each": "one tool each"}


@dataclass(frozen=True)
class Listing:
    """`size` is the bytes of all pages' answers, `seconds` the processor time of asking for them all."""

    tools: int
    pages: int
    size: int
    seconds: float


@contextmanager
def published(way: str) -> Iterator[None]:
    """Serve 300 operations in place of the shop."""
    from django.test import override_settings

    from django_mcp.models import APIKey, ToolGroup

    APIKey.objects.update(all_groups=True)
    ToolGroup.objects.update_or_create(name="many", defaults={"exposed": True, "publish_as": way})
    with override_settings(ROOT_URLCONF="tests.benchmarks.many"):
        yield


def listing(project: Project) -> Listing:
    """List all tools, page by page."""
    start = time.process_time()
    answers = [project.post("tools/list", {})]
    results = [json.loads(answers[0])["result"]]
    while "nextCursor" in results[-1]:
        answers.append(project.post("tools/list", {"cursor": results[-1]["nextCursor"]}))
        results.append(json.loads(answers[-1])["result"])
    return Listing(
        tools=sum(len(result["tools"]) for result in results),
        pages=len(answers),
        size=sum(map(len, answers)),
        seconds=time.process_time() - start,
    )


def print_listings(project: Project, rounds: int) -> None:
    print(f"\n{'tools/list, 300 operations as':32} {'tools':>6} {'pages':>6} {'bytes':>8} {'first ms':>9} {'ms':>8}")
    for way, name in WAYS.items():
        with published(way):
            first = listing(project)
            seconds = statistics.median(listing(project).seconds for _ in range(rounds))
        print(
            f"{name:32} {first.tools:6} {first.pages:6} {first.size:8} {first.seconds * 1e3:9.1f} {seconds * 1e3:8.1f}"
        )
