"""Every operation of the host, called both ways with generated arguments, comes to the same."""

import logging
import os
from collections import Counter

import pytest

from django_mcp.catalog.discovery import get_catalog
from django_mcp.schema.operations import schema_for
from django_mcp.text import one_line
from tests.differential.arguments import cases
from tests.differential.differences import DIFFERENCES

# A full run sees every difference that is listed; a short one needs not.
SETS = int(os.environ.get("DIFFERENTIAL_SETS", "6"))
FULL = 6
pytestmark = pytest.mark.django_db(transaction=True, databases="__all__")


@pytest.fixture(autouse=True)
def quiet():
    """Hundreds of views crash here on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def same(told, seen):
    """Tell whether two outcomes are one; what MCP says of a refusal in its own words is compared by `words`."""
    if (told.status, told.rows, told.hooks) != (seen.status, seen.rows, seen.hooks):
        return False
    return told.early or told.status >= 500 or words(told, seen) or told.data == seen.data


def words(told, seen):
    """Refusals of permission and look-up pass DRF's sentence on, not its body."""
    detail = seen.data.get("detail") if isinstance(seen.data, dict) else None
    return told.status in {401, 403, 404} and (detail is None or one_line(detail) in told.text)


def compare(sides, case, observed):
    """Return what is wrong with a case, or nothing."""
    told, seen = sides.mcp(case), sides.rest(case, case.arguments)
    if told.early and told.status >= 400 and told.rows != sides.rows:
        return f"{case}: refused, but something was written"
    if same(told, seen):
        return ""
    arguments, used = case.arguments, []
    for difference in DIFFERENCES:
        if not difference.applies(case, told, seen):
            continue
        used.append(difference.name)
        if difference.said is not None:
            arguments = difference.said(case, arguments)
            seen = sides.rest(case, arguments)
        else:
            seen = difference.outcome(seen, told)
        if same(told, seen):
            observed.update(used)
            return ""
    return f"{case}\n  MCP  {told.status} {told.data!r:.300} {told.text}\n  REST {seen.status} {seen.data!r:.300}"


def compare_all(sides, sets):
    observed, problems, number = Counter(), [], 0
    for operation in get_catalog().operations:
        for case in cases(operation, schema_for(operation), sets):
            number += 1
            problem = compare(sides, case, observed)
            if problem:
                problems.append(problem)
    print(f"{number} calls compared; {sum(observed.values())} differences: {dict(observed)}")
    assert not problems, "\n".join(problems)
    return observed


def test_an_agent_and_a_rest_client_come_to_the_same(sides):
    observed = compare_all(sides, SETS)
    if SETS >= FULL:
        assert {difference.name for difference in DIFFERENCES} == set(observed)


def test_it_is_the_same_under_asgi(sides):
    compare_all(sides.served_by_asgi(), 1)
