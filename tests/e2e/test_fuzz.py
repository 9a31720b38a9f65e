"""A part of what `python -m tests.e2e.fuzz` sends, with the same seed."""

import pytest

from tests.e2e.fuzz import fuzz, serving

REQUESTS = 5_000


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("fuzz")) as served:
        yield fuzz(served, range(REQUESTS), seed=1)


def test_every_answer_is_json_and_quick_and_nothing_runs_without_a_token(fuzzed):
    assert fuzzed.wrong == []


def test_most_requests_reach_the_view_and_some_of_them_succeed(fuzzed):
    by_layer = {"view": 0, "before": 0}
    for (layer, _status), many in fuzzed.statuses.items():
        by_layer[layer] += many
    assert sum(by_layer.values()) == REQUESTS
    assert by_layer["view"] > REQUESTS * 0.8
    assert fuzzed.statuses["view", 200] > REQUESTS * 0.1
