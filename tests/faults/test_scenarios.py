"""A part of what `python -m tests.faults` plays, case by case."""

import os

import pytest

from tests.faults.cases import REDIS, SQLITE, Services, databases_named, missing
from tests.faults.scenarios.all import CASES


def cases():
    for case in CASES:
        named = {"redis" if service == REDIS else "databases" for service in case.needs - {SQLITE}}
        yield pytest.param(case, id=case.name, marks=[pytest.mark.service(name) for name in sorted(named)])


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    with Services(databases_named(), tmp_path_factory.mktemp("scenarios")) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("case", [*cases()])
def test_no_token_runs_twice_or_is_lost_in_silence(case, services):
    if absent := missing(case, services.databases):
        pytest.skip(f"TEST_DATABASE_URLS has {os.environ['TEST_DATABASE_URLS']} and lacks {', '.join(absent)}")
    figures = case.run(services, case.short)
    assert figures.violations == []
    assert figures.tokens


def test_each_case_has_a_name_of_its_own():
    assert len({case.name for case in CASES}) == len(CASES)
