"""What is stored is JSON that every database takes, and an excerpt of it is bounded."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.protocol.json import MAX_BYTES, bounded, size, storable

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=60,
)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("a\x00b", "a\ufffdb"),
        ({"a\x00": ["\x00"]}, {"a\ufffd": ["\ufffd"]}),
        ("x\ud800y", "x?y"),
        ([math.nan, math.inf, 1.5], [None, None, 1.5]),
        ({"a": [1, True, None, "ü"]}, {"a": [1, True, None, "ü"]}),
    ],
)
def test_what_no_json_column_takes_is_replaced(value, stored):
    assert storable(value) == stored


def test_what_lies_too_deep_is_left_out():
    value = "bottom"
    for _ in range(60):
        value = {"a": [value]}
    text = json.dumps(storable(value))
    assert text.count("[") + text.count("{") <= 24
    assert "bottom" not in text


@given(values, st.integers(20, 300))
def test_an_excerpt_keeps_to_its_limit(value, limit):
    excerpt = bounded(storable(value), limit)
    assert size(excerpt) <= limit or (isinstance(excerpt, str) and len(excerpt) <= limit)


@given(values)
def test_an_excerpt_is_strict_json(value):
    json.dumps(bounded(storable(value)), allow_nan=False).encode()


def test_a_long_list_keeps_its_first_rows_whole():
    rows = [{"id": number, "name": "x" * 100} for number in range(200)]
    excerpt = bounded(rows)
    assert excerpt[:-1] == rows[: len(excerpt) - 1]
    assert excerpt[-1] == "…"
    assert 60 < len(excerpt) < 80


def test_a_large_object_keeps_what_fits_and_says_so():
    excerpt = bounded({"id": 1042, "lines": ["x" * MAX_BYTES], "total": "11.00"})
    assert excerpt == {"id": 1042, "total": "11.00", "truncated": True}


def test_what_is_small_is_excerpt_as_it_is():
    assert bounded({"id": 1042}) == {"id": 1042}


def test_a_long_text_keeps_its_beginning():
    excerpt = bounded("ü" * MAX_BYTES)
    assert excerpt.startswith("üüü")
    assert excerpt.endswith("…")
    assert size(excerpt) <= MAX_BYTES


def test_a_number_longer_than_the_limit_is_left_out():
    assert bounded(10**4000, 100) is None
