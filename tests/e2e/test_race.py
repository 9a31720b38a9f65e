"""Many redemptions of the same tokens at the same moment, over four worker processes."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e import tokens
from tests.e2e.client import ORDER
from tests.e2e.server import Backend, backends, shop

TOKENS, RACERS = 20, 8


PROCESSES = [pytest.param((*item.values, 4, 1), id=item.id, marks=item.marks) for item in backends()]
THREADS = pytest.param((Backend("sqlite:///"), 2, 4), id="sqlite, threads")


@pytest.fixture(scope="module", params=[*PROCESSES, THREADS])
def crowd(request, tmp_path_factory):
    backend, workers, threads = request.param
    with shop(backend, tmp_path_factory.mktemp("race"), workers=workers, threads=threads) as opened:
        yield opened


def arguments(number):
    items = [{"product_id": 7, "size": "Grande", "quantity": 1 + number % 20}]
    return {"customer_name": f"Racer {number}", "items": items}


@pytest.fixture
def race(crowd):
    """Redeem each token from all racers at once; return the answers, token by token."""
    gate = threading.Barrier(RACERS)

    def runner(issued):
        answers = []
        for number, token in enumerate(issued):
            # A connection for each: a worker of several threads may take all that come at the same moment, and keep them.
            with crowd.client("sam") as client:
                gate.wait(120)
                answers.append(client.call(ORDER, arguments(number), token))
        return answers

    def run(issued):
        with ThreadPoolExecutor(RACERS) as pool:
            return list(zip(*pool.map(runner, [issued] * RACERS), strict=True))

    return run


@pytest.mark.slow
def test_each_token_places_exactly_one_order(crowd, race):
    sam = crowd.client("sam")
    issued = [sam.propose(arguments(number)) for number in range(TOKENS)]
    before = crowd.inside.order_count()
    answers = race(issued)
    assert crowd.inside.order_count() - before == TOKENS
    for number, (token, together) in enumerate(zip(issued, answers, strict=True)):
        codes = Counter(answer.code or answer.structured["status"] for answer in together)
        assert codes == {"success": 1, "confirmation_used": RACERS - 1}
        assert len(crowd.inside.orders_named(customer_name=f"Racer {number}")) == 1
        events = Counter(crowd.inside.events(jti=tokens.jti(token)))
        assert (events["token_consumed"], events["executed"]) == (1, 1)
        assert crowd.inside.confirmation(jti=tokens.jti(token))["state"] == "succeeded"
    assert len({answer.worker for together in answers for answer in together}) > 1


@pytest.mark.slow
def test_the_losers_learn_the_outcome_of_the_winner(crowd, race):
    answers = race([crowd.client("sam").propose(arguments(0))])[0]
    winner = next(answer.structured for answer in answers if not answer.failed)
    for answer in answers:
        if answer.failed:
            outcome = answer.structured["outcome"]
            expected = {"status": "succeeded", "httpStatus": 201, "response": winner["response"]}
            assert outcome == expected or outcome["status"] == "unknown"
