"""A token is spent once, whichever worker answers and whichever store has lost its memory."""

import contextlib
import os
import signal
import time

from tests.e2e.client import ORDER

UPDATE = "UpdateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"


@contextlib.contextmanager
def asleep(pid):
    """Keep one worker from answering, so that the other must."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_replay_runs_nothing_and_tells_the_outcome(served, sam, lattes):
    token = sam.propose(lattes)
    first = sam.call(ORDER, lattes, token).structured
    count = served.inside.order_count()
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "confirmation_used"
    assert answer.structured["error"].startswith("Confirmation token has already been used.")
    assert answer.structured["outcome"] == {"status": "succeeded", "httpStatus": 201, "response": first["response"]}
    assert served.inside.order_count() == count


def test_a_replay_with_other_arguments_is_a_replay(served, sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    count = served.inside.order_count()
    assert sam.call(ORDER, {**lattes, "customer_name": "Mallory"}, token).code == "confirmation_used"
    assert served.inside.order_count() == count


def test_a_replayed_cancellation_does_nothing(served, sam, lattes, placed):
    number = placed()
    token = sam.propose({"id": number}, CANCEL)
    assert sam.call(CANCEL, {"id": number}, token).structured["httpStatus"] == 204
    assert served.inside.order(pk=number)["status"] == "cancelled"
    served.inside.set_status(pk=number, status="placed")
    answer = sam.call(CANCEL, {"id": number}, token)
    assert answer.code == "confirmation_used"
    assert answer.structured["outcome"] == {"status": "succeeded", "httpStatus": 204, "response": None}
    assert served.inside.order(pk=number)["status"] == "placed"


def test_a_replay_after_the_cache_was_lost_runs_nothing(served, lattes):
    sam = served.client("sam")
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    count = served.inside.order_count()
    served.forget_cache()
    answer = served.client("sam").call(ORDER, lattes, token)
    assert answer.code == "confirmation_used"
    assert answer.structured["outcome"]["status"] == "succeeded"
    assert served.inside.order_count() == count


def test_a_replay_after_expiry_is_still_a_replay(sam, lattes, short_expiry):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    time.sleep(1.2)
    assert sam.call(ORDER, lattes, token).code == "confirmation_used"


def test_a_refused_operation_spends_its_token(served, sam, lattes, placed):
    number = placed()
    token = sam.propose({"id": number}, CANCEL)
    served.inside.set_status(pk=number, status="collected")
    assert sam.call(CANCEL, {"id": number}, token).code in {"conflict", "target_changed"}
    assert served.inside.order(pk=number)["status"] == "collected"


def test_an_order_that_was_changed_meanwhile_is_not_updated(served, sam, lattes, placed):
    number = placed()
    token = sam.propose({"id": number, "customer_name": "Samuel"}, UPDATE)
    other = sam.propose({"id": number, "customer_name": "Sammy"}, UPDATE)
    assert sam.call(UPDATE, {"id": number, "customer_name": "Sammy"}, other).structured["status"] == "success"
    assert sam.call(UPDATE, {"id": number, "customer_name": "Samuel"}, token).code == "target_changed"
    assert served.inside.order(pk=number)["customer_name"] == "Sammy"


def test_a_token_from_another_worker_runs_once(served, lattes):
    sam = served.client("sam")
    proposal = sam.call(ORDER, lattes)
    token = proposal.structured["confirmationToken"]
    sam.close()
    with asleep(proposal.worker):
        confirmed = sam.call(ORDER, lattes, token)
    sam.close()
    with asleep(confirmed.worker):
        replayed = sam.call(ORDER, lattes, token)
    assert confirmed.worker != proposal.worker == replayed.worker
    assert confirmed.structured["status"] == "success"
    assert replayed.code == "confirmation_used"
