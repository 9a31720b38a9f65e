"""What an agent, or whoever steals its token, may try; over HTTP, against two worker processes."""

import contextlib
import json
import os
import signal
import time
import uuid

import pytest

from tests.e2e import tokens

UPDATE = "UpdateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"
ORDER = "CreateCoffeeShopOrder"


@contextlib.contextmanager
def asleep(pid):
    """Keep one worker from answering, so that the other must."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture
def nothing_ran(served):
    """A check, to be called at the end, that no order was placed since."""
    before = served.inside.order_count()

    def check():
        assert served.inside.order_count() == before

    return check


def placed(served, sam, lattes):
    """Place an order through a confirmed call; return its id."""
    content = sam.call(ORDER, lattes, sam.propose(lattes)).structured
    assert content["status"] == "success", content
    return content["response"]["id"]


# What was shown is what runs


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


def test_the_order_of_a_list_is_part_of_what_was_shown(sam, lattes, nothing_ran):
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


def test_a_token_of_another_operation_is_refused(served, sam, lattes):
    number = placed(served, sam, lattes)
    answer = sam.call(CANCEL, {"id": number}, sam.propose(lattes))
    assert answer.code == "confirmation_wrong_operation"
    assert answer.structured["error"].startswith("Target operation mismatch for confirmation token.")
    assert served.inside.order(pk=number)["status"] == "placed"


def test_a_token_for_one_order_does_not_cancel_another(served, sam, lattes):
    first, second = placed(served, sam, lattes), placed(served, sam, lattes)
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


@pytest.fixture
def short_expiry(served):
    served.inside.configure(confirmation_expiry=1)
    yield
    served.inside.configure(confirmation_expiry=None)


def test_an_expired_token_is_refused(served, sam, lattes, nothing_ran, short_expiry):
    token = sam.propose(lattes)
    time.sleep(1.2)
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "confirmation_expired"
    assert answer.structured["error"].startswith("Confirmation token has expired.")
    assert served.inside.confirmation(jti=tokens.jti(token))["state"] == "expired"
    assert served.inside.events(jti=tokens.jti(token))[:2] == ["token_issued", "expired"]
    nothing_ran()


def test_the_life_of_a_token_is_said_and_signed(sam, lattes):
    content = sam.call(ORDER, lattes).structured
    claims = tokens.claims(content["confirmationToken"])
    assert claims["exp"] - claims["iat"] == content["expiresInSeconds"] == 300


def test_an_expiry_in_the_token_that_its_row_does_not_have_does_not_help(sam, lattes, nothing_ran, short_expiry):
    token = sam.propose(lattes)
    longer = tokens.signed({**tokens.claims(token), "exp": int(time.time()) + 3600})
    time.sleep(1.2)
    assert sam.call(ORDER, lattes, longer).code in {"confirmation_expired", "confirmation_invalid"}
    nothing_ran()


# Forgeries


FORGERIES = {
    "other signature": lambda token: tokens.with_signature(token, "A" * 43),
    "no signature": lambda token: tokens.with_signature(token, ""),
    "other claims, old signature": lambda token: tokens.with_claims(token, jti=str(uuid.uuid4())),
    "longer life, old signature": lambda token: tokens.with_claims(token, exp=int(time.time()) + 10**6),
    "other secret": lambda token: tokens.signed(
        tokens.claims(token), key="another secret of more than 32 bytes, of which nobody knows anything"
    ),
    "the raw SECRET_KEY": lambda token: tokens.signed(tokens.claims(token), key="only-for-tests-" + "x" * 50),
    "alg none": lambda token: tokens.unsigned(tokens.claims(token)),
    "alg None": lambda token: tokens.unsigned(tokens.claims(token), alg="None"),
    "alg HS512": lambda token: tokens.signed(tokens.claims(token), alg="HS512"),
    "typ JWT": lambda token: tokens.signed(tokens.claims(token), typ="JWT"),
    "no typ": lambda token: tokens.signed(tokens.claims(token), typ=None),
    "typ in another case": lambda token: tokens.signed(tokens.claims(token), typ="mcp+confirm"),
    "claims missing": lambda token: tokens.signed({"jti": tokens.jti(token)}),
    "jti that is no UUID": lambda token: tokens.signed({**tokens.claims(token), "jti": "1 OR 1=1"}),
    "claims of wrong types": lambda token: tokens.signed({**tokens.claims(token), "target": ["a"], "args_hash": 5}),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_token_runs_nothing(sam, lattes, nothing_ran, forge):
    token = sam.propose(lattes)
    answer = sam.call(ORDER, lattes, forge(token))
    assert answer.code in {"confirmation_invalid", "confirmation_malformed"}
    assert answer.structured["error"].startswith(("Invalid token signature.", "Invalid token format."))
    nothing_ran()


GARBAGE = {
    "prefix only": "mcp_cf_",
    "no dots": "mcp_cf_abc",
    "dots only": "mcp_cf_..",
    "too many dots": "mcp_cf_a.b.c.d",
    "no base64": "mcp_cf_é.ü.✓",
    "NUL": "mcp_cf_\x00.\x00.\x00",
    "long": "mcp_cf_" + "a" * 100_000,
    "no prefix": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
    "lone JSON": 'mcp_cf_{"alg":"none"}',
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_for_a_token_runs_nothing(sam, lattes, nothing_ran, garbage):
    answer = sam.call(ORDER, lattes, garbage)
    assert answer.code in {"confirmation_malformed", "confirmation_invalid"}
    nothing_ran()


@pytest.mark.parametrize("word", ["yes", "confirm", "true", "", True, 1, "  ", "Yes, do it.", None, {}, []], ids=repr)
def test_a_word_of_consent_is_no_token_but_a_first_call(sam, lattes, nothing_ran, word):
    arguments = {"name": ORDER, "args": lattes, "confirmationToken": word}
    assert sam.tool("api_call", arguments).structured["status"] == "requires_confirmation"
    nothing_ran()


def test_consent_inside_the_arguments_is_no_token(sam, lattes, nothing_ran):
    answer = sam.call(ORDER, {**lattes, "confirm": True})
    assert answer.code == "validation_error" or answer.structured["status"] == "requires_confirmation"
    nothing_ran()


# Single use


def test_a_replay_runs_nothing_and_tells_what_became_of_it(served, sam, lattes):
    token = sam.propose(lattes)
    first = sam.call(ORDER, lattes, token).structured
    count = served.inside.order_count()
    answer = sam.call(ORDER, lattes, token)
    assert answer.code == "confirmation_used"
    assert answer.structured["error"].startswith("Confirmation token has already been used.")
    assert answer.structured["outcome"] == {"status": "succeeded", "httpStatus": 201, "response": first["response"]}
    assert served.inside.order_count() == count


def test_a_replay_with_other_arguments_tells_what_became_of_it(served, sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    count = served.inside.order_count()
    assert sam.call(ORDER, {**lattes, "customer_name": "Mallory"}, token).code == "confirmation_used"
    assert served.inside.order_count() == count


def test_a_replayed_cancellation_does_nothing(served, sam, lattes):
    number = placed(served, sam, lattes)
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


def test_a_replay_after_expiry_still_tells_what_became_of_it(sam, lattes, short_expiry):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    time.sleep(1.2)
    assert sam.call(ORDER, lattes, token).code == "confirmation_used"


def test_a_refused_operation_spends_its_token(served, sam, lattes):
    number = placed(served, sam, lattes)
    token = sam.propose({"id": number}, CANCEL)
    served.inside.set_status(pk=number, status="collected")
    assert sam.call(CANCEL, {"id": number}, token).code in {"conflict", "target_changed"}
    assert served.inside.order(pk=number)["status"] == "collected"


def test_a_changed_order_is_not_cancelled_as_it_was_shown(served, sam, lattes):
    number = placed(served, sam, lattes)
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


# What does not matter


def test_key_order_and_spelling_of_numbers_do_not_matter(served, sam):
    token = sam.propose({"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]})
    arguments = (
        f'{{ "confirmationToken":"{token}", "args" : {{"items":[{{"quantity":2.0, "size":"Gr\\u0061nde",'
        f'"product_id":0.7e1}}],"customer_name":"Sam"}},"name":"{ORDER}"}}'
    )
    body = f'{{"params":{{"arguments":{arguments},"name":"api_call"}},"method":"tools/call","id":"x","jsonrpc":"2.0"}}'
    assert sam.post(body.encode()).structured["status"] == "success"


def test_text_for_a_number_does_not_matter(served, sam, lattes):
    token = sam.propose(lattes)
    lattes["items"][0].update(product_id="7", quantity="2")
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_json_text_for_a_list_does_not_matter(served, sam, lattes):
    token = sam.propose(lattes)
    assert sam.call(ORDER, {**lattes, "items": json.dumps(lattes["items"])}, token).structured["status"] == "success"


def test_json_text_for_the_arguments_does_not_matter(served, sam, lattes):
    token = sam.propose(json.dumps(lattes))
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_the_token_alone_redeems_what_was_shown(served, sam, lattes):
    content = sam.call(ORDER, None, sam.propose({**lattes, "customer_name": "Token only"})).structured
    assert content["status"] == "success"
    assert served.inside.order(pk=content["response"]["id"])["customer_name"] == "Token only"


def test_a_token_among_the_arguments_is_found(served, sam, lattes):
    token = sam.propose(lattes)
    assert sam.call(ORDER, {**lattes, "confirmationToken": token}).structured["status"] == "success"


@pytest.mark.parametrize("wrapped", ['"{}"', "`{}`", " {}\n", "'{}'", "``` {} ```"])
def test_quotes_and_blanks_around_a_token_do_not_matter(served, sam, lattes, wrapped):
    token = sam.propose(lattes)
    assert sam.call(ORDER, lattes, wrapped.format(token)).structured["status"] == "success"


# The record


def test_a_confirmed_write_leaves_its_trail(served, sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    assert served.inside.events(jti=tokens.jti(token)) == ["token_issued", "token_consumed", "executed"]
    row = served.inside.confirmation(jti=tokens.jti(token))
    assert (row["state"], row["channel"], row["target"]) == ("succeeded", "agent", ORDER)


def test_a_refused_redemption_is_on_the_record(served, sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, {**lattes, "customer_name": "Mallory"}, token)
    assert "token_refused" in served.inside.events(jti=tokens.jti(token))


def test_no_secret_is_in_the_servers_log(served, sam, lattes):
    token = sam.propose(lattes)
    sam.call(ORDER, lattes, token)
    sam.call(ORDER, lattes, tokens.with_signature(token, "A" * 43))
    log = served.server.log.read_text()
    assert token not in log
    assert served.keys["sam"] not in log


def test_writes_switched_off_stop_a_token_that_is_already_out(served, sam, lattes, nothing_ran):
    token = sam.propose(lattes)
    served.inside.configure(writes_enabled=False)
    try:
        answer = sam.call(ORDER, lattes, token)
        assert answer.code == "unavailable"
        assert answer.structured["error"].startswith("Writes are switched off.")
        nothing_ran()
    finally:
        served.inside.configure(writes_enabled=True)
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_an_operation_hidden_after_the_proposal_is_gone(served, sam, lattes, nothing_ran):
    token = sam.propose(lattes)
    served.inside.rule(name=ORDER, exposure="hidden")
    try:
        assert sam.call(ORDER, lattes, token).code == "not_found"
        nothing_ran()
    finally:
        served.inside.unrule(name=ORDER)
