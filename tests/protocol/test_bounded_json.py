"""What is kept is JSON that every database takes, and not too much of it."""

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
    ("value", "kept"),
    [
        ("a\x00b", "a\ufffdb"),
        ({"a\x00": ["\x00"]}, {"a\ufffd": ["\ufffd"]}),
        ("x\ud800y", "x?y"),
        ([math.nan, math.inf, 1.5], [None, None, 1.5]),
        ({"a": [1, True, None, "ü"]}, {"a": [1, True, None, "ü"]}),
    ],
)
def test_what_no_json_column_takes_is_replaced(value, kept):
    assert storable(value) == kept


def test_what_lies_too_deep_is_left_out():
    value = "bottom"
    for _ in range(60):
        value = {"a": [value]}
    text = json.dumps(storable(value))
    assert text.count("[") + text.count("{") <= 24
    assert "bottom" not in text


@given(values, st.integers(20, 300))
def test_an_excerpt_keeps_to_its_limit(value, limit):
    kept = bounded(storable(value), limit)
    assert size(kept) <= limit or (isinstance(kept, str) and len(kept) <= limit)


@given(values)
def test_an_excerpt_is_strict_json(value):
    json.dumps(bounded(storable(value)), allow_nan=False).encode()


def test_a_long_list_keeps_its_first_rows_whole():
    rows = [{"id": number, "name": "x" * 100} for number in range(200)]
    kept = bounded(rows)
    assert kept[:-1] == rows[: len(kept) - 1]
    assert kept[-1] == "…"
    assert 60 < len(kept) < 80


def test_a_large_object_keeps_what_fits_and_says_so():
    kept = bounded({"id": 1042, "lines": ["x" * MAX_BYTES], "total": "11.00"})
    assert kept == {"id": 1042, "total": "11.00", "truncated": True}


def test_what_is_small_is_kept_as_it_is():
    assert bounded({"id": 1042}) == {"id": 1042}


def test_a_long_text_keeps_its_beginning():
    kept = bounded("ü" * MAX_BYTES)
    assert kept.startswith("üüü")
    assert kept.endswith("…")
    assert size(kept) <= MAX_BYTES


def test_a_number_longer_than_the_limit_is_left_out():
    assert bounded(10**4000, 100) is None
