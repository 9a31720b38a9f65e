"""The state between a question and its answer: whose it is, how long it holds, and that it is spent once."""

import dataclasses
import json
import threading

import jwt
import pytest
from django.core.cache import caches
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from django_mcp.approval import questions, signing, tokens
from django_mcp.approval.questions import Binding, Exchange
from django_mcp.errors import ProtocolError, ToolError, Unavailable
from django_mcp.redaction import redact

BINDING = Binding(sub="key:1", host="testserver", tool="find_table", args_hash="a" * 64)
NAME = {
    "method": "elicitation/create",
    "params": {
        "message": "Who?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}
ROOTS = {"method": "roots/list", "params": {}}
ANSWER = {"action": "accept", "content": {"name": "Al"}}
CACHES = "tests.approval.caches"


def asking(**requests):
    return questions.sign(BINDING, requests or {"who": NAME}, {})


def redeem(state, responses=None, **other):
    return questions.redeem(state, responses or {}, dataclasses.replace(BINDING, **other))


def refused(state, responses=None, **other):
    with pytest.raises(ProtocolError) as caught:
        redeem(state, responses, **other)
    assert (caught.value.code, caught.value.http_status) == (-32602, 200)
    return caught.value.message


def payload_of(state):
    return jwt.decode(state.removeprefix(questions.PREFIX), options={"verify_signature": False})


def signed(payload, key=None, **headers):
    key = signing.keys_for(signing.Purpose.QUESTION)[0] if key is None else key
    return questions.PREFIX + jwt.encode(payload, key, algorithm="HS256", headers={"typ": questions.TYPE, **headers})


def test_an_answer_comes_back_with_what_was_asked():
    assert redeem(asking(), {"who": ANSWER}) == {"who": Exchange(request=NAME, result=ANSWER)}


def test_earlier_answers_are_kept():
    earlier = {"who": Exchange(request=NAME, result=ANSWER)}
    state = questions.sign(BINDING, {"where": ROOTS}, earlier)
    exchanges = redeem(state, {"where": {"roots": []}})
    assert exchanges == {**earlier, "where": Exchange(request=ROOTS, result={"roots": []})}


def test_an_earlier_answer_cannot_be_replaced():
    state = questions.sign(BINDING, {"where": ROOTS}, {"who": Exchange(request=NAME, result=ANSWER)})
    exchanges = redeem(state, {"who": {"action": "accept", "content": {"name": "Eve"}}})
    assert exchanges["who"].result == ANSWER


def test_answers_to_what_was_not_asked_are_ignored():
    assert redeem(asking(), {"who": ANSWER, "admin": ANSWER, "junk": 5}).keys() == {"who"}


def test_an_answer_that_is_missing_is_not_there():
    assert redeem(asking(who=NAME, where=ROOTS), {"who": ANSWER}).keys() == {"who"}


def test_what_does_not_fit_the_form_counts_as_not_given():
    assert redeem(asking(), {"who": {"action": "accept", "content": {"name": 5}}}) == {}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_is_an_answer(action):
    assert redeem(asking(), {"who": {"action": action}})["who"].result == {"action": action}


def test_what_is_no_result_at_all_is_an_error_that_names_it_and_spends_nothing():
    state = asking()
    assert "inputResponses.who: Must be a result of elicitation/create." in refused(state, {"who": 12345})
    assert redeem(state, {"who": ANSWER})


@pytest.mark.parametrize(
    "other", [{"sub": "key:2"}, {"host": "other.example"}, {"tool": "find_chair"}, {"args_hash": "b" * 64}]
)
def test_a_state_is_for_one_call_only(other):
    state = asking()
    assert refused(state, {"who": ANSWER}, **other) == questions.INVALID
    assert redeem(state, {"who": ANSWER})


def test_a_state_is_spent_once():
    state = asking()
    redeem(state, {"who": ANSWER})
    assert refused(state, {"who": ANSWER}) == questions.INVALID


def test_of_many_at_once_one_is_answered():
    state, answered = asking(), []
    barrier = threading.Barrier(8)

    def run():
        barrier.wait()
        try:
            answered.append(redeem(state, {"who": ANSWER}))
        except ProtocolError:
            pass

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answered) == 1


def test_a_state_expires(monkeypatch):
    state = asking()
    now = questions.time.time()
    monkeypatch.setattr(questions.time, "time", lambda: now + questions.LIFETIME - 2)
    assert redeem(state, {"who": ANSWER})
    state = signed({**payload_of(asking()), "exp": int(now)})
    assert refused(state, {"who": ANSWER}) == questions.INVALID


def test_the_mark_outlives_the_state(monkeypatch):
    timeouts = []
    cache = type(caches["default"])
    add = cache.add
    monkeypatch.setattr(
        cache, "add", lambda self, key, value, timeout: timeouts.append(timeout) or add(self, key, value)
    )
    redeem(asking())
    assert timeouts[0] > questions.LIFETIME


@pytest.mark.parametrize("backend", ["Down", "Ignored", "Unwritable", "LosesReply"])
def test_a_cache_that_does_not_answer_lets_nothing_through(settings, backend, caplog):
    settings.CACHES = {"default": {"BACKEND": f"{CACHES}.{backend}", "LOCATION": f"questions-{backend}"}}
    with pytest.raises(Unavailable):
        redeem(asking(), {"who": ANSWER})
    assert "password" not in caplog.text


def test_a_cache_that_keeps_nothing_lets_nothing_through(settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    with pytest.raises(Unavailable):
        redeem(asking(), {"who": ANSWER})


def test_the_cache_that_the_settings_name_is_used(settings):
    settings.CACHES = {
        "default": {"BACKEND": f"{CACHES}.Down"},
        "mcp": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "questions-mcp"},
    }
    settings.DJANGO_MCP = {**getattr(settings, "DJANGO_MCP", {}), "CACHE": "mcp"}
    assert redeem(asking(), {"who": ANSWER})


def test_what_grows_too_long_is_not_carried():
    with pytest.raises(ToolError, match="too long"):
        asking(who={"method": "roots/list", "params": {"x": "y" * questions.MAX_LENGTH}})
    assert refused(questions.PREFIX + "a" * questions.MAX_LENGTH) == questions.INVALID


# Keys


def test_a_confirmation_token_is_no_state_and_a_state_no_token():
    claims = tokens.Claims(sub="key:1", tool="t", target="t", args_hash="", iat=1, exp=2**40, jti="x")
    token = tokens.sign(claims)
    refused(token)
    refused(questions.PREFIX + token.removeprefix(tokens.PREFIX))
    with pytest.raises(ToolError):
        tokens.verify(tokens.PREFIX + asking().removeprefix(questions.PREFIX))


def test_a_state_survives_the_rotation_of_the_secret(settings):
    settings.DJANGO_MCP = {"SIGNING_SECRET": "o" * 40}
    state = asking()
    settings.DJANGO_MCP = {"SIGNING_SECRET": "n" * 40}
    assert refused(state, {"who": ANSWER})
    settings.DJANGO_MCP = {"SIGNING_SECRET": "n" * 40, "SIGNING_SECRET_FALLBACKS": ["o" * 40]}
    assert redeem(state, {"who": ANSWER})


@pytest.mark.parametrize("headers", [{"typ": "JWT"}, {"typ": "MCP+CONFIRM"}, {"kid": "1"}])
def test_only_our_own_header_is_taken(headers):
    refused(signed(payload_of(asking()), **headers))


def test_an_unsigned_state_is_refused():
    payload = payload_of(asking())
    refused(questions.PREFIX + jwt.encode(payload, None, algorithm="none", headers={"typ": questions.TYPE}))
    refused(signed(payload, key="x" * 40))
    refused(asking().rpartition(".")[0] + ".")


def test_a_signature_has_one_spelling():
    state = asking()
    spellings = {state[:-1] + last for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"}
    for other in spellings - {state}:
        refused(other, {"who": ANSWER})
    assert redeem(state, {"who": ANSWER})


def test_a_state_is_masked_where_it_is_shown():
    assert asking() not in json.dumps(redact({"note": f"state {asking()}"}))
    assert "mcp_ask_" not in redact(asking())


# Properties

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
objects = st.dictionaries(texts, values, max_size=3)
quick = hypothesis(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@quick
@given(st.dictionaries(texts, objects, max_size=4), st.dictionaries(texts, objects, max_size=3))
def test_whatever_is_answered_comes_back_as_it_is(responses, earlier):
    requests = {key: {"method": "com.example/any", "params": response} for key, response in responses.items()}
    before = {key: Exchange(request=ROOTS, result=result) for key, result in earlier.items() if key not in requests}
    exchanges = redeem(questions.sign(BINDING, requests, before), responses)
    new = {key: Exchange(request=requests[key], result=response) for key, response in responses.items()}
    assert exchanges == {**before, **new}


ALPHABET = st.characters(min_codepoint=0, max_codepoint=0x2FF)


@quick
@given(st.data())
def test_whatever_is_changed_is_refused(data):
    state = asking()
    at = data.draw(st.integers(0, len(state) - 1))
    to = data.draw(st.integers(at, min(at + 3, len(state))))
    changed = state[:at] + data.draw(st.text(ALPHABET | st.sampled_from(state), max_size=3)) + state[to:]
    if changed != state:
        assert refused(changed, {"who": ANSWER}) == questions.INVALID
    assert redeem(state, {"who": ANSWER})


@quick
@given(st.text() | st.text(st.sampled_from("abcXYZ019-_."), max_size=60).map(lambda text: questions.PREFIX + text))
def test_whatever_was_not_signed_here_is_refused(text):
    assert refused(text, {"who": ANSWER}) == questions.INVALID


@quick
@given(st.text(), st.text(), st.text(), st.text())
def test_whatever_call_it_was_not_issued_for_is_refused(sub, host, tool, args_hash):
    other = {"sub": sub, "host": host, "tool": tool, "args_hash": args_hash}
    if Binding(**other) != BINDING:
        refused(asking(), {"who": ANSWER}, **other)
