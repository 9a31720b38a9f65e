"""OpenAPI documents of a package as operations: GitHub's API, and those of its products of other versions."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rest_framework.views import APIView

from django_mcp.catalog.naming import tidy
from django_mcp.catalog.safety import infer
from django_mcp.catalog.search import MAX_DESCRIBED, SearchIndex, enumerated
from django_mcp.vocabulary import Operation

PACKAGE = "@octokit/openapi@23.0.2"
CACHE = Path(__file__).resolve().parents[3] / ".cache" / "relevance"
MAIN = "api.github.com"
DOCUMENTS = (MAIN, "ghec", "ghes-3.17", "ghes-3.18", "ghes-3.19")
METHODS = frozenset({"get", "post", "put", "patch", "delete"})


def fetch() -> Path:
    """Return the folder of the package's documents, from the registry of npm where it is not in the cache yet."""
    folder = CACHE / PACKAGE.replace("/", "-")
    if not (folder / ".complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        packed = subprocess.run(
            ["npm", "pack", PACKAGE, "--silent"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.split()[-1]
        wanted = [f"package/generated/{name}.json" for name in DOCUMENTS]
        subprocess.run(["tar", "-xzf", packed, "--strip-components=2", *wanted], cwd=folder, check=True)
        (folder / packed).unlink()
        (folder / ".complete").touch()
    return folder


@cache
def document(name: str) -> Any:
    return json.loads((fetch() / f"{name}.json").read_text())


def operations(name: str = MAIN, prefix: str = "") -> Iterator[Operation]:
    """Yield a document's operations as the catalog would have them. `prefix` goes before every name."""
    for route, methods in document(name)["paths"].items():
        for method, said in methods.items():
            if method in METHODS:
                yield _operation(route, method, said, prefix)


def many(number: int) -> list[Operation]:
    """Return so many operations: all documents, again and again, each under names of its own."""
    found: list[Operation] = []
    for copy in range(number):
        for name in DOCUMENTS:
            found += operations(name, f"{name}_{copy}_" if copy or name != MAIN else "")
            if len(found) >= number:
                return found[:number]
    return found


def index(found: Sequence[Operation]) -> SearchIndex:
    """Return the index that the server would have: with the values of enumerated arguments unless there are too many."""
    values = {id(operation): sorted(enumerated(operation.callback.said)) for operation in found}
    few = len(found) <= MAX_DESCRIBED
    return SearchIndex(found, (lambda operation: values[id(operation)]) if few else None)


def text_of(operation: Operation) -> str:
    """Return all the text of an operation that is indexed, for other indexes."""
    parts = (operation.name, *operation.tags, operation.summary, operation.description, operation.route)
    return " ".join(parts)


class _View:
    """Stands for a view: nothing is called."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def __call__(self) -> None:
        raise NotImplementedError


def _operation(route: str, method: str, said: Any, prefix: str) -> Operation:
    tags = tuple(said.get("tags", ()))
    return Operation(
        name=prefix + tidy(said["operationId"]),
        method=method.upper(),
        route=route,
        safety=infer(method.upper()),
        requires_approval=False,
        group=tags[0] if tags else "api",
        tags=tags,
        summary=said.get("summary", ""),
        description=said.get("description", ""),
        callback=_View({key: said[key] for key in ("parameters", "requestBody") if key in said}),
        view_class=APIView,
        handler=method,
    )
