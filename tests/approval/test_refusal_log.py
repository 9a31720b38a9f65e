"""The operator's line for every refused token and question state: its reason and jti, never the token or a value."""

import dataclasses
import logging
import uuid
from unittest import mock

import jwt
import pytest

from django_mcp.approval import confirmations, questions, tokens
from django_mcp.approval.questions import Binding
from django_mcp.approval.signing import Purpose, keys_for
from django_mcp.choices import ApprovalMode, Channel, State
from django_mcp.errors import ConfirmationUsed, ProtocolError, ToolError
from django_mcp.models import Confirmation
from tests.approval.conftest import CREATED, age


@pytest.fixture
def lines(caplog):
    """Return a function that returns (level, line) of each refusal that was logged."""
    caplog.set_level(logging.INFO, logger="django_mcp")
    return lambda: [
        (record.levelname, record.getMessage()) for record in caplog.records if "was refused" in record.getMessage()
    ]


def expired(flow, row, token):
    age(row)
    return token


def spent(flow, row, token):
    flow.settle(flow.claim(token), CREATED)
    return token


def declined(flow, row, token):
    Confirmation.objects.update(state=State.DECLINED)
    return token


def removed(flow, row, token):
    Confirmation.objects.all().delete()
    return token


def of_no_uuid(flow, row, token):
    return tokens.sign(dataclasses.replace(tokens.verify(token), jti="x\ny"))


def unsigned(flow, row, token):
    return tokens.PREFIX + jwt.encode({"jti": "x"}, None, algorithm="none", headers={"typ": "MCP+CONFIRM"})


def untouched(flow, row, token):
    return token


CASES = {
    "malformed": (lambda flow, row, token: "mcp_cf_evil\nline", {}, "INFO", False),
    "header": (lambda flow, row, token: f"{unsigned(flow, row, token)}AAAA", {}, "WARNING", False),
    "signature": (lambda flow, row, token: token[:-8] + "A" * 8, {}, "WARNING", False),
    "claims": (of_no_uuid, {}, "WARNING", False),
    "wrong_tool": (untouched, {"tool": "other_tool"}, "INFO", True),
    "wrong_target": (untouched, {"target": "CancelOrder"}, "INFO", True),
    "no_row": (removed, {}, "WARNING", True),
    "used": (spent, {}, "INFO", True),
    "declined": (declined, {}, "INFO", True),
    "expired": (expired, {}, "INFO", True),
}


@pytest.mark.parametrize("reason", CASES)
def test_a_refused_token_has_one_line_with_its_reason(flow, lines, reason):
    make, values, level, verified = CASES[reason]
    row, issued = flow.propose()
    token = make(flow, row, issued)
    with pytest.raises(ToolError):
        flow.find(token, **values)
    jti = row.jti if verified else "not verified"
    assert lines() == [(level, f"A confirmation token was refused: {reason} (jti {jti}).")]


@pytest.mark.parametrize(("values", "reason"), [({"subject": "key:2"}, "other_caller"), ({"host": "b"}, "context")])
def test_a_token_of_another_caller_or_host_says_which(flow, lines, values, reason):
    row, token = flow.propose()
    with pytest.raises(ToolError):
        flow.another(**values).find(token)
    assert [line for _level, line in lines()] == [f"A confirmation token was refused: {reason} (jti {row.jti})."]


def test_changed_arguments_are_logged_without_their_values(flow, lines):
    row, token = flow.propose()
    with pytest.raises(ToolError):
        flow.find(token, arguments={"customer_name\n": "hunter2"})
    assert lines() == [("INFO", f"A confirmation token was refused: arguments (jti {row.jti}).")]


def test_a_confirmation_that_nobody_reviewed_is_logged(flow, lines):
    row, token = flow.propose(mode=ApprovalMode.REVIEW)
    with pytest.raises(ToolError):
        flow.claim(token)
    assert lines() == [("INFO", f"A confirmation token was refused: not_reviewed (jti {row.jti}).")]


def test_the_loser_of_a_race_is_logged(flow, lines):
    rows = [flow.find(flow.propose()[1])] * 2
    confirmations.claim(rows[0], channel=Channel.AGENT, caller=flow.caller)
    with pytest.raises(ToolError):
        confirmations.claim(rows[1], channel=Channel.AGENT, caller=flow.caller)
    assert lines() == [("INFO", f"A confirmation token was refused: used (jti {rows[0].jti}).")]


def test_a_rotated_secret_is_told_from_a_token_of_another_make(flow, lines, settings):
    token = flow.propose()[1]
    settings.DJANGO_MCP = {"SIGNING_SECRET": "n" * 40}
    for text in (token, f"{unsigned(flow, None, token)}AAAA"):
        with pytest.raises(ToolError):
            flow.find(text)
    assert ["signature" in line for _level, line in lines()] == [True, False]


def test_looking_up_a_tokens_confirmation_for_the_record_logs_nothing(flow, lines):
    assert tokens.confirmation_of(flow.propose()[1][:-2]) is None
    assert lines() == []


def test_what_goes_well_is_no_refusal(flow, lines):
    flow.settle(flow.claim(flow.propose()[1]), CREATED)
    assert lines() == []


def test_no_log_line_has_a_token_in_it(flow, caplog):
    caplog.set_level(logging.DEBUG)
    token = flow.propose()[1]
    claim = flow.claim(token)
    with mock.patch("django_mcp.audit.record", side_effect=ValueError(token)):
        flow.settle(claim, CREATED)
    with pytest.raises(ConfirmationUsed):
        flow.find(token)
    lines = [record.getMessage() for record in caplog.records if record.name == "django_mcp"]
    assert lines
    assert token not in "\n".join(lines)


# Question states

BINDING = Binding(sub="key:1", host="testserver", tool="find_table", args_hash="a" * 64)
ROOTS = {"where": {"method": "roots/list", "params": {}}}


def state_of(**changes):
    state = questions.sign(BINDING, ROOTS, {})
    payload = jwt.decode(state.removeprefix(questions.PREFIX), options={"verify_signature": False}) | changes
    headers = {"typ": questions.TYPE}
    return questions.PREFIX + jwt.encode(payload, keys_for(Purpose.QUESTION)[0], algorithm="HS256", headers=headers)


STATES = {
    "malformed": ("mcp_ask_evil\nline", {}, "INFO", False),
    "signature": (state_of()[:-8] + "A" * 8, {}, "WARNING", False),
    "other_caller": (state_of(jti="x"), {"sub": "key:2"}, "WARNING", True),
    "other_host": (state_of(jti="x"), {"host": "other.example"}, "INFO", True),
    "wrong_tool": (state_of(jti="x"), {"tool": "find_chair"}, "INFO", True),
    "arguments": (state_of(jti="x"), {"args_hash": "b" * 64}, "INFO", True),
    "expired": (state_of(jti="x", exp=1), {}, "INFO", True),
}


@pytest.mark.parametrize("reason", STATES)
def test_a_refused_state_has_one_line_with_its_reason(lines, reason):
    state, values, level, verified = STATES[reason]
    with pytest.raises(ProtocolError):
        questions.redeem(state, {}, dataclasses.replace(BINDING, **values))
    assert lines() == [(level, f"A requestState was refused: {reason} (jti {'x' if verified else 'not verified'}).")]


def test_a_state_that_was_spent_is_logged_as_used(lines):
    jti = uuid.uuid4().hex
    state = state_of(jti=jti)
    questions.redeem(state, {}, BINDING)
    with pytest.raises(ProtocolError):
        questions.redeem(state, {}, BINDING)
    assert lines() == [("INFO", f"A requestState was refused: used (jti {jti}).")]


def test_a_jti_is_one_short_line(lines):
    state = state_of(jti="x\ny" * 1000, exp=1)
    with pytest.raises(ProtocolError):
        questions.redeem(state, {}, BINDING)
    (_level, line) = lines()[0]
    assert "\n" not in line
    assert len(line) < 120
