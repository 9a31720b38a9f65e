"""What a very large API costs: a thousand viewsets, six operations each."""

import statistics
import time
import tracemalloc
from types import ModuleType
from typing import Any

VIEWSETS = 1000
DESCRIBED = 300


def urlconf() -> ModuleType:
    """Return a URLconf of its own with a thousand viewsets, each of a class and a serializer of its own."""
    from django.urls import include, path
    from rest_framework.routers import SimpleRouter

    from tests.benchmarks.many import viewset

    router = SimpleRouter()
    for number in range(VIEWSETS):
        router.register(f"things-{number}", viewset(f"kind-{number}", "thing"), f"thing-{number}")
    module = ModuleType("a_thousand_viewsets")
    module.urlpatterns = [path("api/", include(router.urls))]  # type: ignore[attr-defined]
    return module


def indexed() -> tuple[Any, float, float]:
    """Index the API and what is searched; return the catalog, and the seconds of processor time of each."""
    from django_mcp.catalog.discovery import get_catalog
    from django_mcp.search.index import index_for

    routes = urlconf()
    start = time.process_time()
    catalog = get_catalog(routes)
    middle = time.process_time()
    index_for(catalog.operations)
    return catalog, middle - start, time.process_time() - middle


def descriptions(operations: Any) -> list[float]:
    """Return the milliseconds that it takes to describe each of the operations, as wall-clock time."""
    from django_mcp.schema.operations import schema_for

    times = []
    for operation in operations:
        start = time.perf_counter()
        schema_for(operation)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def print_large() -> None:
    catalog, operations, words = indexed()
    first, again = (descriptions(catalog.operations[:DESCRIBED]) for _ in range(2))
    tracemalloc.start()
    held = indexed()
    mebibytes = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
    del held
    print(f"\n{len(catalog.operations)} operations")
    print(f"{'index of operations':32} {operations:8.2f} s")
    print(f"{'index of words':32} {words:8.2f} s")
    print(f"{'both, with the viewsets':32} {mebibytes:8.1f} MiB")
    for name, times in (("described for the first time", first), ("described again", again)):
        print(f"{name:32} {statistics.median(times):8.2f} ms, at most {max(times):.2f} ms")
