"""Tokens: signed here, unchanged, of this kind, or worth nothing."""

import base64
import json
import uuid

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.approval import signing, tokens
from django_mcp.errors import ConfirmationInvalid, ConfirmationMalformed

CLAIMS = tokens.Claims(
    sub="key:1",
    tool="api_call",
    target="CreateOrder",
    args_hash="ab" * 32,
    iat=1_700_000_000,
    exp=1_700_000_300,
    jti="0f8fad5b-d9cb-469f-a165-70867728950e",
)
PAYLOAD = {name: getattr(CLAIMS, name) for name in tokens.Claims.__slots__}


def signed(payload=PAYLOAD, *, key=None, algorithm="HS256", headers=None):
    key = signing.keys_for(signing.Purpose.CONFIRMATION)[0] if key is None else key
    headers = {"typ": "MCP+CONFIRM"} if headers is None else headers
    return "mcp_cf_" + jwt.encode(payload, key, algorithm=algorithm, headers=headers)


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@given(
    st.builds(
        tokens.Claims,
        sub=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        tool=st.text("abc_", max_size=20),
        target=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        args_hash=st.just("") | st.text("0123456789abcdef", min_size=64, max_size=64),
        iat=st.integers(0, 2**40),
        exp=st.integers(0, 2**40),
        jti=st.uuids().map(str),
    )
)
def test_a_token_says_what_was_signed(claims):
    assert tokens.verify(tokens.sign(claims)) == claims


@given(st.data())
def test_any_changed_character_is_refused(data):
    token = tokens.sign(CLAIMS)
    place = data.draw(st.integers(0, len(token) - 1))
    char = data.draw(st.sampled_from("ABCwxyz0189-_.=+/ \n") | st.characters(exclude_categories=["Cs"]))
    changed = token[:place] + char + token[place + 1 :]
    if changed != token:
        with pytest.raises((ConfirmationInvalid, ConfirmationMalformed)):
            tokens.verify(changed)


def test_the_last_characters_spare_bits_are_part_of_the_token():
    token = tokens.sign(CLAIMS)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for char in set(alphabet) - {token[-1]}:
        with pytest.raises(ConfirmationInvalid):
            tokens.verify(token[:-1] + char)


@given(st.data())
def test_a_lost_character_is_refused(data):
    token = tokens.sign(CLAIMS)
    place = data.draw(st.integers(0, len(token) - 1))
    with pytest.raises((ConfirmationInvalid, ConfirmationMalformed)):
        tokens.verify(token[:place] + token[place + 1 :])


def test_a_token_has_the_header_and_claims_of_its_format():
    head, payload, _signature = tokens.sign(CLAIMS).removeprefix("mcp_cf_").split(".")
    assert json.loads(base64.urlsafe_b64decode(head + "==")) == {"alg": "HS256", "typ": "MCP+CONFIRM"}
    assert json.loads(base64.urlsafe_b64decode(payload + "==")) == PAYLOAD


@pytest.mark.parametrize(
    "text",
    ["mcp_cf_", "mcp_cf_abc", "mcp_cf_..", "mcp_cf_a.b.c.d", "mcp_cf_é.ü.✓", "mcp_cf_\x00.\x00.\x00",
     "mcp_cf_" + "a" * 100_000, "mcp_cf_" + "a." * 3000, "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "mcp_cf_a.b.c",
     'mcp_cf_{"alg":"none"}', "MCP_CF_a.b.c", "", "mcp_cf_" + encoded([1])[:-1] + ".e30.AAAA",
     f"mcp_cf_{base64.urlsafe_b64encode(b'[' * 2900).rstrip(b'=').decode()}.e30.AAAA"],
)  # fmt: skip
def test_what_is_no_token_is_malformed(text):
    with pytest.raises(ConfirmationMalformed, match=r"^Invalid token format\."):
        tokens.verify(text)


FORGED = {
    "another key": lambda: signed(key=b"another key of more than 32 bytes"),
    "the raw secret": lambda: signed(key="x" * 50),
    "no signature": lambda: signed().rpartition(".")[0] + ".",
    "alg none": lambda: f"mcp_cf_{encoded({'alg': 'none', 'typ': 'MCP+CONFIRM'})}.{encoded(PAYLOAD)}.",
    "alg HS512": lambda: signed(key=signing.keys_for(signing.Purpose.CONFIRMATION)[0] * 2, algorithm="HS512"),
    "typ JWT": lambda: signed(headers={"typ": "JWT"}),
    "typ in small letters": lambda: signed(headers={"typ": "mcp+confirm"}),
    "no typ": lambda: signed(headers={"typ": None}),
    "more in the header": lambda: signed(headers={"typ": "MCP+CONFIRM", "kid": "1"}),
    "header no object": lambda: f"mcp_cf_{encoded([])}.{encoded(PAYLOAD)}.AAAA",
    "claims missing": lambda: signed({"jti": CLAIMS.jti}),
    "exp true": lambda: signed({**PAYLOAD, "exp": True}),
    "exp a text": lambda: signed({**PAYLOAD, "exp": "1700000300"}),
    "iat a float": lambda: signed({**PAYLOAD, "iat": 1.5}),
    "target a list": lambda: signed({**PAYLOAD, "target": ["a"]}),
    "sub a number": lambda: signed({**PAYLOAD, "sub": 1}),
    "hash too short": lambda: signed({**PAYLOAD, "args_hash": "ab"}),
    "jti no UUID": lambda: signed({**PAYLOAD, "jti": "1 OR 1=1"}),
    "jti in another spelling": lambda: signed({**PAYLOAD, "jti": CLAIMS.jti.upper()}),
}


@pytest.mark.filterwarnings("ignore:The HMAC key is")
@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forged_token_is_invalid(forge):
    with pytest.raises(ConfirmationInvalid) as caught:
        tokens.verify(forge())
    assert caught.value.text == tokens.INVALID
    assert caught.value.text.startswith("Invalid token signature.")


def test_a_token_from_a_fast_clock_is_fresh():
    later = {**PAYLOAD, "iat": 4_000_000_000, "exp": 4_000_000_300}
    assert tokens.verify(signed(later)).iat == 4_000_000_000


def test_expiry_is_not_the_signatures_business():
    assert tokens.verify(signed({**PAYLOAD, "exp": 1})).exp == 1


def test_unknown_claims_of_jwt_do_not_matter():
    assert tokens.verify(signed({**PAYLOAD, "nbf": 4_000_000_000, "aud": "x", "iss": "y"})) == CLAIMS


SECRET, OLD = "s" * 40, "o" * 40


def test_the_signing_secret_is_the_key_itself(settings):
    settings.DJANGO_MCP = {"SIGNING_SECRET": SECRET}
    assert jwt.decode(tokens.sign(CLAIMS).removeprefix("mcp_cf_"), SECRET.encode(), ["HS256"], {"verify_exp": False})


def test_without_a_signing_secret_the_key_is_not_the_raw_secret_key(settings):
    settings.SECRET_KEY = SECRET
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(tokens.sign(CLAIMS).removeprefix("mcp_cf_"), SECRET, ["HS256"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"DJANGO_MCP": {"SIGNING_SECRET": OLD}},
         {"DJANGO_MCP": {"SIGNING_SECRET": SECRET, "SIGNING_SECRET_FALLBACKS": [OLD]}}),
        ({"SECRET_KEY": OLD}, {"SECRET_KEY": SECRET, "SECRET_KEY_FALLBACKS": [OLD]}),
        ({"DJANGO_MCP": {"SIGNING_SECRET": OLD}}, {"DJANGO_MCP": {"SIGNING_SECRET_FALLBACKS": [OLD]}}),
    ],
)  # fmt: skip
def test_a_rotated_secret_still_verifies_and_no_longer_signs(settings, before, after):
    for name, value in before.items():
        setattr(settings, name, value)
    token = tokens.sign(CLAIMS)
    for name, value in after.items():
        setattr(settings, name, value)
    assert tokens.verify(token) == CLAIMS
    assert tokens.sign(CLAIMS) != token


def test_a_forgotten_secret_no_longer_verifies(settings):
    token = tokens.sign(CLAIMS)
    settings.DJANGO_MCP = {"SIGNING_SECRET": SECRET}
    with pytest.raises(ConfirmationInvalid):
        tokens.verify(token)


@pytest.mark.parametrize("blank", ["", None])
def test_a_blank_signing_secret_is_none(settings, blank):
    token = tokens.sign(CLAIMS)
    settings.DJANGO_MCP = {"SIGNING_SECRET": blank}
    assert tokens.verify(token) == CLAIMS


@pytest.mark.parametrize(
    "key", ["-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "ssh-rsa AAAAB3NzaC1yc2E"]
)
def test_a_fallback_that_cannot_sign_makes_no_token_valid_and_none_an_error(settings, key):
    settings.DJANGO_MCP = {"SIGNING_SECRET": OLD}
    foreign = tokens.sign(CLAIMS)
    settings.DJANGO_MCP = {"SIGNING_SECRET": SECRET, "SIGNING_SECRET_FALLBACKS": [key]}
    assert tokens.verify(tokens.sign(CLAIMS)) == CLAIMS
    with pytest.raises(ConfirmationInvalid):
        tokens.verify(foreign)


@pytest.mark.parametrize(
    "wrapped", [" {} ", '"{}"', "'{}'", "`{}`", "``` {}\n```", "\n{}\n", "\u201c{}\u201d", "\ufeff{}", "{}"]
)
def test_what_is_put_around_a_token_does_not_matter(wrapped):
    token = tokens.sign(CLAIMS)
    assert tokens.clean(wrapped.format(token)) == token


@pytest.mark.parametrize(
    "word",
    ["yes", "Yes", "true", "confirm", "Confirmed.", "ok", "approved", "1", "", "  ", '""', "null", "Yes, do it.",
     "I confirm", "the user said yes", True, False, None, 1, 0, {}, [], ["yes"], {"confirm": True}, 1.5],
)  # fmt: skip
def test_consent_is_no_token(word):
    assert tokens.clean(word) is None


@pytest.mark.parametrize("attempt", ["mcp_cf_abc", "mcp_cf_yes", "garbage", "a.b.c", str(uuid.UUID(int=1)), "<token>"])
def test_an_attempt_at_a_token_is_kept_to_be_refused(attempt):
    assert tokens.clean(attempt) == attempt
    with pytest.raises(ConfirmationMalformed):
        tokens.verify(attempt)
