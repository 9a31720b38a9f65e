"""A public application gets django_mcp with nothing but settings and one URL line."""

import os
from pathlib import Path

import pytest

from tests.e2e.apps.helpdesk import HELPDESK
from tests.e2e.apps.survey import Survey, survey

pytestmark = [pytest.mark.slow, pytest.mark.service("apps"), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def found() -> Survey:
    return survey(HELPDESK, Path(os.environ["TEST_APPS"]))


def test_every_operation_is_found_and_described(found):
    assert found.operations
    assert found.agent.counts["found by tag and safety, at most 100 each"] == len(found.operations)
    assert set(found.agent.described) == set(found.operations)


def test_every_schema_is_one_that_strict_clients_take(found):
    assert not found.agent.counts["schema faults"], found.agent.odd


def test_reads_succeed_and_fit_what_was_described(found):
    counts = found.agent.counts
    assert counts["read: success"] == counts["read, calls"] > 3
    assert counts["read one: success"] == counts["read one, calls"] > 2
    assert not [line for line in found.agent.odd if "does not fit" in line]


def test_writes_run_once_when_they_are_confirmed(found):
    counts = found.agent.counts
    assert (
        counts["confirm: success"]
        == counts["propose: requires_confirmation"]
        == counts["replay: confirmation_used"]
        > 3
    )


def test_refusals_are_the_views_own(found):
    assert not [line for line in found.agent.odd if line.startswith("EXPECTED")]


def test_nothing_went_wrong_in_the_server(found):
    assert found.errors == []


def test_the_system_check_has_nothing_to_say(found):
    assert "no issues" in found.said["check"]
