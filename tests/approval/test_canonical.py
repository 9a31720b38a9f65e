"""One text for every spelling of a value, another for every other value."""

import json
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.approval.canonical import args_hash, canonical, changed_paths
from django_mcp.errors import ValidationFailed

SAFE = 2**53 - 1
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = (
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | st.floats(allow_nan=False, allow_infinity=False) | texts
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4))


def spelled_by_rfc8785(value):
    return rfc8785.dumps(value).decode()


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: abs(number) < 2**53))
def test_a_float_is_spelled_as_rfc_8785_says(number):
    assert canonical(number) == spelled_by_rfc8785(number)


@given(st.floats(min_value=5e-324, max_value=1e-3) | st.floats(min_value=-1e-3, max_value=-5e-324))
def test_a_tiny_float_is_spelled_as_rfc_8785_says(number):
    assert canonical(number) == spelled_by_rfc8785(number)


@given(st.integers(-SAFE, SAFE))
def test_a_small_integer_is_spelled_as_rfc_8785_says(number):
    assert canonical(number) == spelled_by_rfc8785(number)


@given(texts)
def test_text_is_spelled_as_rfc_8785_says(text):
    assert canonical(text) == spelled_by_rfc8785(text)


@given(st.dictionaries(texts, texts))
def test_an_object_is_spelled_as_rfc_8785_says(value):
    assert canonical(value) == spelled_by_rfc8785(value)


@given(st.dictionaries(texts, values, max_size=5), st.randoms())
def test_the_order_of_keys_does_not_matter(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert args_hash(dict(items)) == args_hash(value)


@given(values)
def test_the_canonical_text_is_json_of_the_same_value(value):
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.integers(-(10**30), 10**30), st.integers(-(10**30), 10**30))
def test_every_digit_of_an_integer_matters(one, other):
    assert (args_hash({"n": one}) == args_hash({"n": other})) is (one == other)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_every_digit_of_a_float_matters(one, other):
    assert (canonical(one) == canonical(other)) is (one == other)


@given(st.integers(-(2**53), 2**53))
def test_a_number_has_one_text_whether_written_with_a_fraction_or_not(number):
    assert canonical(number) == canonical(float(number))


@pytest.mark.parametrize("spelling", ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000"])
def test_the_spelling_of_a_number_does_not_matter(spelling):
    assert args_hash(json.loads(f'{{"a":[{{"b":{spelling}}}]}}')) == args_hash({"a": [{"b": 1}]})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"), (1e-6, "0.000001"), (1.5e-6, "0.0000015"), (1e-7, "1e-7"), (-1.25e-7, "-1.25e-7"),
        (-0.0, "0"), (5e-324, "5e-324"), (1e21, "1000000000000000000000"), (123456.789, "123456.789"),
        (-0.00001, "-0.00001"), (2.0**60, "1152921504606846976"), (2**60 + 1, "1152921504606846977"),
    ],
)  # fmt: skip
def test_a_number_is_written_out(number, text):
    assert canonical(number) == text


def test_neighbouring_large_integers_differ():
    assert args_hash({"n": 2**60}) != args_hash({"n": 2**60 + 1})


def test_the_order_of_a_list_matters():
    assert args_hash({"a": [1, 2]}) != args_hash({"a": [2, 1]})


@pytest.mark.parametrize("other", [True, "1", None, [1], {"a": 1}, 1.5, 10])
def test_a_value_of_another_type_differs(other):
    assert args_hash({"a": 1}) != args_hash({"a": other})


def test_keys_are_sorted_by_utf_16_code_units():
    # U+FB33 comes after U+1F600 in UTF-16, before it by code point.
    assert canonical({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'


def test_only_what_json_demands_is_escaped():
    assert canonical('"\\/\b\f\n\r\t\x00\x1f\x7fü\u2028') == '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7fü\u2028"'


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, "\ud800", {"\udfff": 1}, [{"a": "\ud800x"}], 10**5000],
    ids=["NaN", "infinity", "minus infinity", "surrogate", "surrogate in a key", "surrogate inside", "5000 digits"],
)
def test_what_json_cannot_say_is_refused(value):
    with pytest.raises(ValidationFailed):
        canonical(value)


def test_endless_nesting_is_refused():
    value = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValidationFailed):
        canonical(value)


def test_a_value_that_is_no_json_is_a_programming_error():
    with pytest.raises(TypeError):
        canonical({"a": {1, 2}})


def test_no_arguments_have_an_empty_hash():
    assert args_hash({}) == ""


def test_arguments_have_a_sha_256_hex_digest():
    assert args_hash({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


def test_forwarded_headers_are_part_of_the_hash():
    hashes = {args_hash({}, {"X-Tenant": tenant}) for tenant in ("a", "b")} | {
        args_hash({}),
        args_hash({"x-tenant": "a"}),
    }
    assert len(hashes) == 4


def test_the_case_of_a_forwarded_headers_name_does_not_matter():
    assert args_hash({"a": 1}, {"X-Tenant": "a"}) == args_hash({"a": 1}, {"x-tenant": "a"})


BEFORE = {"customer_name": "Sam", "items": [{"quantity": 2, "options": ["a", "b"]}], "note": None}


@pytest.mark.parametrize(
    ("after", "paths"),
    [
        (BEFORE, []),
        ({**BEFORE, "customer_name": "Kim"}, ["customer_name"]),
        ({**BEFORE, "items": [{"quantity": 3, "options": ["a", "b"]}]}, ["items[0].quantity"]),
        ({**BEFORE, "items": [{"quantity": 2.0, "options": ["a", "b"]}]}, []),
        ({**BEFORE, "items": [{"quantity": True, "options": ["b", "a"]}]},
         ["items[0].options[0]", "items[0].options[1]", "items[0].quantity"]),
        ({**BEFORE, "items": []}, ["items"]),
        ({**BEFORE, "items": [{"quantity": 2, "options": ["a"]}]}, ["items[0].options"]),
        ({**BEFORE, "items": {"quantity": 2}}, ["items"]),
        ({**BEFORE, "extra": None}, ["extra"]),
        ({"customer_name": "Sam", "items": BEFORE["items"]}, ["note"]),
        ({**BEFORE, "note": ""}, ["note"]),
        ({}, ["customer_name", "items", "note"]),
    ],
)  # fmt: skip
def test_changes_are_named_by_path(after, paths):
    assert changed_paths(BEFORE, after) == paths


@given(st.dictionaries(texts, values, max_size=4), st.dictionaries(texts, values, max_size=4))
def test_a_change_is_named_exactly_where_the_hash_differs(before, after):
    assert bool(changed_paths(before, after)) is (args_hash(before) != args_hash(after))
