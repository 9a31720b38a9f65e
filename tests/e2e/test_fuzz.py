"""The first requests of `python -m tests.e2e.fuzz`, with the same seed."""

from dataclasses import replace

import pytest

from tests.e2e.fuzz import Answer, complaints, fuzz, serving
from tests.e2e.fuzz_requests import make

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


WELL = Answer(200, "application/json", b'{"jsonrpc": "2.0", "id": 1, "result": {}}', reached=True, seconds=0.1)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"seconds": 2.5}, "2.5 s"),
        ({"status": 500}, "HTTP 500"),
        ({"status": 503, "reached": False}, "HTTP 503"),
        ({"status": 0, "reached": False}, "no answer"),
        ({"content_type": "text/html", "body": b"<html>"}, "a leak"),
        ({"content_type": "text/plain"}, "content type"),
        ({"body": b"{"}, "no JSON"),
        ({"body": b'{"detail": "Not found."}'}, "no JSON-RPC answer"),
        ({"content_type": "", "body": b""}, "without a body"),
    ],
    ids=str,
)
def test_a_fault_of_an_answer_is_found(change, complaint):
    request = make(1, 1, "")
    request.whole = True
    assert complaints(request, WELL) == []
    assert complaint in complaints(request, replace(WELL, **change))[0]


def test_a_request_is_the_same_for_its_seed_and_number():
    assert [make(1, number, "k").encoded() for number in range(300)] == [
        make(1, number, "k").encoded() for number in range(300)
    ]
    assert make(1, 1, "k").encoded() != make(2, 1, "k").encoded()
