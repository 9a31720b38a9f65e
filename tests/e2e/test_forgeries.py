"""Forged tokens and garbage for tokens run nothing; over HTTP, against two workers."""

import time
import uuid

import pytest

from tests.e2e import tokens
from tests.e2e.client import ORDER

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


@pytest.mark.parametrize(
    "consent", ["yes", "confirm", "true", "", True, 1, "  ", "Yes, do it.", None, {}, []], ids=repr
)
def test_consent_for_a_token_is_a_first_call(sam, lattes, nothing_ran, consent):
    arguments = {"name": ORDER, "args": lattes, "confirmationToken": consent}
    assert sam.tool("api_call", arguments).structured["status"] == "requires_confirmation"
    nothing_ran()


def test_consent_inside_the_arguments_is_no_token(sam, lattes, nothing_ran):
    answer = sam.call(ORDER, {**lattes, "confirm": True})
    assert answer.code == "validation_error" or answer.structured["status"] == "requires_confirmation"
    nothing_ran()
