"""Validators that fetch nothing and take linear time."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from django_mcp.protocol.json_schemas import validator

UNIQUE = {"type": "array", "uniqueItems": True}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@given(st.lists(VALUES, max_size=8))
def test_items_are_unique_exactly_where_the_library_says_so(items):
    assert validator(UNIQUE, Draft202012Validator).is_valid(items) == Draft202012Validator(UNIQUE).is_valid(items)


@pytest.mark.parametrize("items", [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], [[1], [1]], [None, None]])
def test_equal_json_values_are_found(items):
    assert not validator(UNIQUE, Draft202012Validator).is_valid(items)


@pytest.mark.parametrize("items", [[1, True], [0, False], ["1", 1], [[], {}], [{"a": 1}, {"a": 2}]])
def test_different_json_values_are_told_apart(items):
    assert validator(UNIQUE, Draft202012Validator).is_valid(items)


def test_many_items_take_no_quadratic_time():
    items = json.loads(json.dumps([[number] if number % 2 else {"n": number} for number in range(20_000)]))
    started = time.process_time()
    assert validator(UNIQUE, Draft202012Validator).is_valid(items)
    assert time.process_time() - started < 3


def test_nothing_is_fetched():
    remote = {"$ref": "http://127.0.0.1:1/schema.json"}
    with pytest.raises(Exception, match="Unresolvable"):
        list(validator(remote, Draft202012Validator).iter_errors({}))
