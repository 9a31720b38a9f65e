"""What a proposal commits, and what it must not hold."""

import json
import uuid

import pytest

from django_mcp.approval import effective_arguments, tokens
from django_mcp.approval.preview import Effect, Preview
from django_mcp.errors import ValidationFailed
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.signals import confirmation_issued, confirmation_settled
from tests.approval.conftest import CREATED, ORDER, make_call


def buried(value):
    """Put a value deeper than the stored arguments go."""
    for _ in range(30):
        value = {"a": [value]}
    return value


def test_a_proposal_is_a_row_an_event_and_a_token(flow, states, events):
    row, token = flow.propose()
    claims = tokens.verify(token)
    assert (claims.sub, claims.tool, claims.target, claims.jti) == ("key:1", "api_call", "CreateOrder", str(row.jti))
    assert claims.exp - claims.iat == 300
    assert states() == ["issued"]
    assert events() == ["token_issued"]


def test_a_proposal_keeps_what_was_shown(flow):
    row, _token = flow.propose(
        preview=Preview(summary="Order for Sam", arguments=ORDER, effect=Effect(details={"deletes": "Order 1"})),
        target_state={"columns": {"name": "ab" * 16}},
    )
    row.refresh_from_db()
    assert row.arguments == ORDER
    assert row.preview == {"deletes": "Order 1"}
    assert (row.summary, row.target_state, row.group, row.safety) == (
        "Order for Sam",
        {"columns": {"name": "ab" * 16}},
        "shop",
        "Write",
    )
    assert row.caller["username"] == "sam"


def test_stored_arguments_are_the_effective_ones(flow):
    _row, token = flow.propose()
    assert effective_arguments.stored(flow.find(token)) == ORDER


@pytest.mark.parametrize(
    ("arguments", "sensitive"),
    [
        ({"name": "x", "password": "hunter2"}, ()),
        ({"name": "x", "pin": "hunter2"}, ("pin",)),
        ({"users": [{"login": {"secret": "hunter2"}}]}, ()),
        ({"users": [{"pin": "hunter2"}]}, ("users.pin",)),
        ({"note": "use ak-hunter2hunter2"}, ()),
        (buried({"password": "hunter2"}), ()),
    ],
)
def test_sensitive_arguments_are_stored_nowhere(flow, arguments, sensitive):
    flow.call = make_call(arguments, sensitive=frozenset(sensitive))
    row, token = flow.propose()
    row.refresh_from_db()
    assert effective_arguments.stored(row) is None
    everything = Confirmation.objects.values().get(), list(AuditEvent.objects.values())
    assert "hunter2" not in repr(everything)
    flow.find(token, arguments=arguments)


def test_text_that_postgresql_cannot_store_is_no_trouble(flow):
    flow.call = make_call({"note": "a\x00b"})
    _row, token = flow.propose(
        preview=Preview(summary="a\x00b", arguments=flow.call.arguments, effect=Effect(details={"to": "\x00"}))
    )
    row = flow.find(token)
    assert "\x00" not in json.dumps([row.arguments, row.preview]) + row.summary
    assert effective_arguments.stored(row) == {"note": "a\x00b"}
    flow.find(token, arguments=flow.call.arguments)


def test_arguments_that_json_cannot_say_are_refused(flow, states):
    flow.call = make_call({"a": float("nan")})
    with pytest.raises(ValidationFailed):
        flow.propose()
    assert states() == []


def test_two_equal_proposals_are_two_confirmations(flow, states):
    first, second = flow.propose()[1], flow.propose()[1]
    for token in (first, second):
        flow.settle(flow.claim(token), CREATED)
    assert states() == ["succeeded", "succeeded"]
    assert len({tokens.verify(token).jti for token in (first, second)}) == 2
    assert uuid.UUID(tokens.verify(first).jti).version == 4


def test_hosts_hear_of_a_proposal_and_its_outcome(flow):
    heard = []

    def listen(signal, confirmation, **_more):
        heard.append(confirmation.state)

    for signal in (confirmation_issued, confirmation_settled):
        signal.connect(listen)
    try:
        flow.settle(flow.claim(flow.propose()[1]), CREATED)
    finally:
        for signal in (confirmation_issued, confirmation_settled):
            signal.disconnect(listen)
    assert heard == ["issued", "succeeded"]
