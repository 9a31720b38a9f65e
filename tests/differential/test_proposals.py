"""Whatever a proposal shows a person of a row, the REST API shows to that person too."""

import json
import logging
from urllib.parse import quote

import pytest

from django_mcp.catalog.discovery import get_catalog
from django_mcp.schema.operations import schema_for
from tests.differential.arguments import cases
from tests.differential.conftest import Sides

SETS = 2
pytestmark = pytest.mark.django_db(transaction=True, databases="__all__")


@pytest.fixture(autouse=True)
def quiet():
    """Hundreds of views crash here on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def leaves(value):
    """Yield the plain values of a JSON value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif value is not None:
        yield value


def shown_of_the_row(preview):
    """Yield the values that a proposal took from a row."""
    if isinstance(preview, dict):
        yield from leaves(preview.get("row", {}))
        for change in preview.get("changes", ()):
            yield from leaves(change.get("from"))


def paths(case):
    """Yield where a person would look the row up: the operation's own URL, and those that it lies below."""
    path = case.operation.route
    for name, value in case.arguments.items():
        placed = case.schema.placement.get(name)
        if placed is not None and placed.location == "path":
            path = path.replace(f"{{{placed.wire}}}", quote(str(value), safe="")).replace(
                f"{{{name}}}", quote(str(value), safe="")
            )
    segments = path.strip("/").split("/")
    for length in range(len(segments), 0, -1):
        yield "/" + "/".join(segments[:length]) + "/"


def readable(sides: Sides, case):
    """Return every value that REST answers this person there."""
    values = []
    for path in paths(case):
        response = sides.look(case, path)
        if response.status_code == 200 and "json" in response.headers.get("Content-Type", ""):
            values += leaves(json.loads(response.content))
    return values


@pytest.mark.slow
def test_a_proposal_shows_of_a_row_what_rest_shows_of_it(sides):
    shown, problems = 0, []
    for operation in get_catalog().operations:
        for case in cases(operation, schema_for(operation), SETS):
            preview = sides.proposal(case)
            values = list(shown_of_the_row(preview))
            if not values:
                continue
            shown += len(values)
            # Numbers that JavaScript cannot hold are texts over MCP.
            known = set(map(str, readable(sides, case)))
            problems += [f"{case}: {value!r}" for value in values if str(value) not in known]
    assert shown > 50
    assert problems == []
