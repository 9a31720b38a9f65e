import html
import json
import tracemalloc
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.redaction import MASK, redact


def test_secrets_are_masked_at_any_depth_and_in_any_case():
    data = {"user": {"Password": "x", "c": [{"api_key": "y", "n": 1}]}}
    assert redact(data) == {"user": {"Password": MASK, "c": [{"api_key": MASK, "n": 1}]}}


@pytest.mark.parametrize("name", ["apiKey", "API-KEY", "x_api_key", "cardNumber", "PassWord", "client-secret"])
def test_a_secret_is_known_however_it_is_spelled(name):
    assert redact({name: "x"}) == {name: MASK}


def test_a_file_is_cut_to_its_type_name_and_length():
    photo = redact({"photo": "data:text/plain;name=a.txt;base64," + "QUJD" * 1000})["photo"]
    assert photo == "data:text/plain;name=a.txt;base64,… (4034 characters)"


def test_a_field_named_sensitive_is_masked_wherever_lists_stand_between():
    assert redact({"rows": [{"pin": 1}, {"pin": 2}]}, {"rows.pin"}) == {"rows": [{"pin": MASK}, {"pin": MASK}]}


@pytest.mark.parametrize("form", [json.dumps, lambda value: [json.dumps(value)], lambda value: json.dumps([value])])
def test_an_object_as_json_text_is_no_hiding_place(form):
    sent = {"row": form({"pin": "1234", "password": "hunter2", "note": "x"})}
    assert redact(sent, {"row.pin"}) == {"row": as_redacted(form, {"pin": MASK, "password": MASK, "note": "x"})}


def as_redacted(form, value):
    """As `redact` writes JSON text that it has changed: compact."""
    return json.loads(json.dumps(form(value)).replace(": ", ":").replace(", ", ","))


@pytest.mark.parametrize("text", ['{"a": 1}', '{"pin": ', "[" * 100_000, '[{"b": "x"}]', "{NaN}"])
def test_text_without_a_secret_stays_as_it_is(text):
    assert redact({"note": text}, {"other.pin"}) == {"note": text}


def test_an_absent_secret_is_not_made_up():
    assert redact({"password": None}) == {"password": None}


def test_own_keys_and_tokens_are_masked_inside_text():
    text = redact("key ak-abcdefgh123 and mcp_cf_eyJh.eyJz.c2ln end")
    assert text == f"key {MASK} and {MASK} end"


def test_the_host_names_its_own_secrets(settings):
    settings.DJANGO_MCP = {"REDACT_FIELDS": ["salary"]}
    assert redact({"base_salary": 5, "password": "seen"}) == {"base_salary": MASK, "password": "seen"}


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_redacting_twice_changes_nothing(value):
    assert redact(redact(value)) == redact(value)


def test_what_nests_absurdly_deep_is_left_out():
    value = "bottom"
    for _ in range(400):
        value = {"a": [value]}
    assert "bottom" not in str(redact(value))


@pytest.mark.parametrize("secret", ["hunter2", "boom\\hun'ter\n2", 'quo"te'])
@pytest.mark.parametrize("quote", [str, repr, json.dumps, html.escape, urllib.parse.quote])
def test_the_values_of_sensitive_arguments_are_masked_in_text_however_they_are_quoted(secret, quote):
    text = f"Bad value: {quote(secret)}."
    assert secret not in redact(text, secrets=[secret])
    assert MASK in redact(text, secrets=[secret])


@pytest.mark.parametrize("before", ["Bearer%20", "key_", "x", ""])
def test_a_key_is_known_wherever_it_stands(before):
    key = "ak-" + "A1" * 21
    assert key not in redact(before + key)


def test_what_is_agreed_to_by_yes_or_no_is_shown():
    assert redact({"discard_all": True, "card": "4111"}) == {"discard_all": True, "card": MASK}


def test_long_names_are_masked_and_do_not_stay_in_memory():
    long = "x" * 100_000
    assert redact({f"{long}_password": "hush", long: "seen"}) == {f"{long}_password": MASK, long: "seen"}
    tracemalloc.start()
    for number in range(50):
        redact({f"{number}{long}": "seen"})
    remaining, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert remaining < 10 * len(long)
