"""Operations that fail, hang or die after they wrote."""

import http.client
import os
import signal
import threading
import time

import pytest

from tests.e2e import tokens
from tests.faults.conftest import BACKENDS


def orders(shop, lattes):
    return shop.inside.orders_named(customer_name=lattes["customer_name"])


def test_an_exception_in_a_transaction_undoes_the_order_and_is_on_the_record(faulty, lattes):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Raise"
    token = sam.propose(lattes, "PlaceThenRaise")
    answer = sam.call("PlaceThenRaise", lattes, token)
    assert answer.code == "internal_error"
    assert answer.structured["errorId"] in faulty.server.log.read_text()
    assert orders(faulty, lattes) == []
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "rejected"
    assert faulty.inside.events(jti=tokens.jti(token)) == ["token_issued", "token_consumed", "executed"]
    replay = sam.call("PlaceThenRaise", lattes, token)
    assert replay.code == "confirmation_used"
    assert replay.structured["outcome"]["status"] == "rejected"


def test_a_refusal_after_writing_undoes_the_order(faulty, lattes):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Refuse"
    token = sam.propose(lattes, "PlaceThenRefuse")
    answer = sam.call("PlaceThenRefuse", lattes, token)
    assert (answer.code, answer.structured["httpStatus"]) == ("validation_error", 400)
    assert "Not today." in str(answer.structured)
    assert orders(faulty, lattes) == []
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "rejected"
    assert faulty.inside.events(jti=tokens.jti(token)) == ["token_issued", "token_consumed", "executed"]


def test_an_exception_outside_a_transaction_may_have_been_applied(faulty, lattes):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Outside"
    token = sam.propose(lattes, "PlaceThenRaiseOutside")
    answer = sam.call("PlaceThenRaiseOutside", lattes, token)
    assert answer.code == "outcome_unknown"
    assert answer.structured["errorId"]
    assert len(orders(faulty, lattes)) == 1
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "unknown"
    assert sam.call("PlaceThenRaiseOutside", lattes, token).code == "confirmation_used"
    assert len(orders(faulty, lattes)) == 1


@pytest.mark.parametrize("operation", ["PlaceThenRaise", "PlaceThenRaiseOutside"])
def test_the_text_of_an_exception_stays_in_the_log(faulty, lattes, operation):
    sam = faulty.client("sam")
    answer = sam.call(operation, lattes, sam.propose(lattes, operation))
    assert b"sam_secret_plan" not in answer.body
    assert b"Traceback" not in answer.body
    assert "sam_secret_plan" in faulty.server.log.read_text()


def until(path):
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(path.read_text())


@pytest.mark.parametrize(("operation", "survive"), [("PlaceSlowly", 0), ("PlaceSlowlyOutside", 1)])
def test_a_killed_worker_leaves_an_unknown_outcome(faulty, lattes, running, operation, survive):
    sam = faulty.client("sam")
    lattes["customer_name"] = f"Killed {operation}"
    token = sam.propose(lattes, operation)
    broken = []

    def redeem():
        try:
            with faulty.client("sam") as client:
                broken.append(client.call(operation, lattes, token))
        except (http.client.HTTPException, OSError) as error:
            broken.append(error)

    thread = threading.Thread(target=redeem)
    thread.start()
    os.kill(until(running), signal.SIGKILL)
    thread.join(60)
    assert isinstance(broken[0], Exception)
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "executing"
    replay = sam.call(operation, lattes, token)
    assert replay.code == "confirmation_used"
    assert replay.structured["outcome"]["status"] == "unknown"
    assert len(orders(faulty, lattes)) == survive


def test_a_replay_while_it_still_runs_runs_nothing(faulty, lattes, running):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Slow"
    token = sam.propose(lattes, "PlaceSlowlyOutside")
    answers = []

    def redeem():
        with faulty.client("sam") as client:
            answers.append(client.call("PlaceSlowlyOutside", lattes, token))

    thread = threading.Thread(target=redeem)
    thread.start()
    until(running)
    replay = sam.call("PlaceSlowlyOutside", lattes, token)
    running.with_name("go").touch()
    thread.join(60)
    assert replay.code == "confirmation_used"
    assert replay.structured["outcome"]["status"] == "unknown"
    assert answers[0].structured["status"] == "success"
    assert len(orders(faulty, lattes)) == 1


@pytest.mark.parametrize("faulty", BACKENDS[1:], indirect=True)
def test_a_database_that_restarts_before_the_commit_undoes_the_order_and_has_it_on_the_record(faulty, lattes, running):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Cut off"
    token = sam.propose(lattes, "PlaceSlowly")
    answers = []

    def redeem():
        with faulty.client("sam") as client:
            answers.append(client.call("PlaceSlowly", lattes, token))

    thread = threading.Thread(target=redeem)
    thread.start()
    until(running)
    faulty.inside.break_connections()
    running.with_name("go").touch()
    thread.join(60)
    assert answers[0].code == "internal_error"
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "rejected"
    assert faulty.inside.events(jti=tokens.jti(token)) == ["token_issued", "token_consumed", "executed"]
    assert sam.call("PlaceSlowly", lattes, token).code == "confirmation_used"
    assert orders(faulty, lattes) == []


@pytest.mark.parametrize("faulty", BACKENDS[1:], indirect=True)
def test_a_database_that_restarted_between_proposal_and_redemption_is_not_noticed(faulty, lattes):
    sam = faulty.client("sam")
    lattes["customer_name"] = "Restarted"
    token = sam.propose(lattes)
    faulty.inside.break_connections()
    assert sam.call("CreateCoffeeShopOrder", lattes, token).structured["status"] == "success"
    assert len(orders(faulty, lattes)) == 1
