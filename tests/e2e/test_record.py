"""Confirmed calls on the record and in the log, and under switches that are turned between the two calls."""

from tests.e2e import tokens
from tests.e2e.client import ORDER


def test_a_confirmed_write_is_on_the_record(served, sam, lattes):
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
