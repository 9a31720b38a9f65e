"""MCP's official suite against the fixtures, and what is made of its reports."""

import pytest

from tests.e2e.conformance.serving import serving
from tests.e2e.conformance.suite import REVISIONS, Suite, weigh

# Answers that come with the first call are refused: nobody has been asked anything yet.
REFUSED_ON_PURPOSE = {"input-required-result-ignore-extra-params"}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("suite"), workers=2) as served:
        return list(Suite(served.url, served.header).run())


@pytest.mark.slow
@pytest.mark.service("node")
def test_nothing_that_applies_fails_in_any_revision(verdicts):
    assert [str(verdict) for verdict in verdicts if verdict.word == "FAIL"] == []
    assert {verdict.scenario for verdict in verdicts if verdict.word == "WARN"} <= REFUSED_ON_PURPOSE
    passed = [verdict.revision for verdict in verdicts if verdict.word == "PASS"]
    assert set(passed) == set(REVISIONS)
    assert len(passed) >= 60


def check(status, name="a-check", message=""):
    return {"id": name, "status": status, "errorMessage": message}


def test_a_failed_check_fails_the_scenario_whatever_else_passed():
    assert weigh([check("SUCCESS"), check("FAILURE", "other", "It is\nwrong.")]) == (
        "FAIL",
        "1 ok; other: It is wrong.",
    )


def test_a_scenario_of_nothing_but_wire_checks_did_not_pass():
    assert weigh([check("SUCCESS", "wire-schema-valid")])[0] == "SKIP"


def test_what_the_server_does_not_offer_does_not_fail():
    assert weigh([check("SUCCESS"), check("FAILURE", "sep-2549-prompts-list-caching-hints")]) == (
        "PASS",
        "1 ok, 1 exempt",
    )


def test_an_unmet_should_is_a_warning_unless_something_passed():
    assert weigh([check("WARNING", "should", "Better.")]) == ("WARN", "should: Better.")
    assert weigh([check("SUCCESS"), check("WARNING", "should", "Better.")]) == ("PASS", "1 ok; should: Better.")
