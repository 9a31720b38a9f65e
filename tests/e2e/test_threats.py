"""A call runs as it was proposed, for its caller alone and within its time; over HTTP, against two workers."""

import time
import uuid

import pytest

from tests.e2e import tokens
from tests.e2e.client import ORDER

CANCEL = "CancelCoffeeShopOrder"


# As it was proposed


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda args: args.update(customer_name="Mallory"), "customer_name"),
        (lambda args: args["items"][0].update(quantity=3), "items[0].quantity"),
        (lambda args: args["items"][0].update(size="Venti"), "items[0].size"),
        (lambda args: args["items"][0]["options"].__setitem__(1, "Oat Milk"), "items[0].options[1]"),
        (lambda args: args["items"][0]["options"].append("Oat Milk"), "items[0].options"),
        (lambda args: args["items"].append({**args["items"][0]}), "items"),
    ],
    ids=["top level", "nested", "nested text", "in a list", "longer list", "another item"],
)
def test_a_changed_argument_is_refused_and_named(served, sam, lattes, nothing_ran, change, path):
    token = sam.propose(lattes)
    change(lattes)
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "arguments_changed"
    assert answer.structured["error"].startswith("Arguments have changed since confirmation was issued.")
    assert answer.structured["changed"] == [path]
    nothing_ran()


def test_the_order_of_a_list_is_part_of_the_proposal(sam, lattes, nothing_ran):
    token = sam.propose(lattes)
    lattes["items"][0]["options"].reverse()
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "arguments_changed"
    assert answer.structured["changed"] == ["items[0].options[0]", "items[0].options[1]"]
    nothing_ran()


def test_a_dropped_argument_is_refused(sam, lattes, nothing_ran):
    token = sam.propose(lattes)
    del lattes["items"][0]["options"]
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "arguments_changed"
    nothing_ran()


def test_explicitly_empty_arguments_are_compared(sam, lattes, nothing_ran):
    answer = sam.call(ORDER, {}, sam.propose(lattes))
    assert answer.code == "arguments_changed"
    assert answer.structured["changed"] == ["customer_name", "items"]
    nothing_ran()


def test_a_token_survives_a_call_with_changed_arguments(sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, {**lattes, "customer_name": "Mallory"}, token)
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


# Only for its caller and operation


def test_another_callers_token_reads_like_an_unknown_one(served, sam, kim, lattes, nothing_ran):
    token = sam.propose(lattes)
    unknown = tokens.signed({**tokens.claims(token), "jti": str(uuid.uuid4())})
    stolen, made_up = kim.call(ORDER, lattes, token, request_id=1), sam.call(ORDER, lattes, unknown, request_id=1)
    assert stolen.code == "confirmation_invalid"
    assert stolen.body == made_up.body
    nothing_ran()
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_another_key_of_the_same_user_is_another_caller(served, sam, lattes, nothing_ran):
    second = served.client(key=served.inside.issue_key(user="sam"))
    assert second.call(ORDER, lattes, sam.propose(lattes)).code == "confirmation_invalid"
    nothing_ran()


def test_a_replay_by_another_caller_learns_no_outcome(sam, kim, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    answer = kim.call(ORDER, lattes, token)
    assert answer.code == "confirmation_invalid"
    assert "outcome" not in answer.structured


def test_a_token_of_another_operation_is_refused(served, sam, lattes, placed):
    number = placed()
    answer = sam.call(CANCEL, {"id": number}, sam.propose(lattes))
    assert answer.code == "confirmation_wrong_operation"
    assert answer.structured["error"].startswith("Target operation mismatch for confirmation token.")
    assert served.inside.order(pk=number)["status"] == "placed"


def test_a_token_for_one_order_does_not_cancel_another(served, sam, lattes, placed):
    first, second = placed(), placed()
    answer = sam.call(CANCEL, {"id": second}, sam.propose({"id": first}, CANCEL))
    assert answer.code == "arguments_changed"
    assert answer.structured["changed"] == ["id"]
    assert served.inside.order(pk=second)["status"] == "placed"


def test_a_token_of_a_revoked_key_is_worthless(served, lattes, nothing_ran):
    key = served.inside.issue_key(user="sam")
    client = served.client(key=key)
    token = client.propose(lattes)
    served.inside.revoke(secret=key)
    assert client.call(ORDER, lattes, token).status == 401
    nothing_ran()


# Time


def test_an_expired_token_is_refused(served, sam, lattes, nothing_ran, short_expiry):
    token = sam.propose(lattes)
    time.sleep(1.2)
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "confirmation_expired"
    assert answer.structured["error"].startswith("Confirmation token has expired.")
    assert served.inside.confirmation(jti=tokens.jti(token))["state"] == "expired"
    assert served.inside.events(jti=tokens.jti(token))[:2] == ["token_issued", "expired"]
    nothing_ran()


def test_the_life_of_a_token_is_in_the_answer_and_in_the_token(sam, lattes):
    content = sam.call(ORDER, lattes).structured
    claims = tokens.claims(content["confirmationToken"])
    assert claims["exp"] - claims["iat"] == content["expiresInSeconds"] == 300


def test_an_expiry_in_the_token_that_its_row_does_not_have_does_not_help(sam, lattes, nothing_ran, short_expiry):
    token = sam.propose(lattes)
    longer = tokens.signed({**tokens.claims(token), "exp": int(time.time()) + 3600})
    time.sleep(1.2)
    assert sam.call(ORDER, lattes, longer).code in {"confirmation_expired", "confirmation_invalid"}
    nothing_ran()
