from hypothesis import given
from hypothesis import strategies as st

from django_mcp.protocol.json import size
from django_mcp.tools.truncation import fit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


def test_what_fits_is_left_alone():
    assert fit({"a": [1, 2]}, 100) == ({"a": [1, 2]}, False, "")


def test_rows_are_cut_from_the_end_and_counted():
    data = {"count": 100, "results": [{"id": number, "name": "x" * 20} for number in range(100)]}
    cut, truncated, hint = fit(data, 1000)
    assert truncated
    assert cut["count"] == 100
    assert cut["results"] == data["results"][: len(cut["results"])]
    assert f"first {len(cut['results'])} of 100 rows of results" in hint
    assert size(cut) <= 1000


def test_as_many_rows_as_fit_are_kept():
    rows = ["x" * 8] * 10
    cut, _, _ = fit(rows, size(rows[:4]))
    assert cut == rows[:4]


def test_no_string_is_cut():
    data = {"title": "short", "body": "x" * 5000}
    cut, truncated, hint = fit(data, 1000)
    assert cut == {"title": "short"}
    assert truncated
    assert "body" in hint


def test_one_enormous_row_is_named_not_broken():
    cut, truncated, hint = fit(["x" * 5000, "y"], 1000)
    assert (cut, truncated) == (None, True)
    assert "bytes" in hint


def test_the_longest_of_several_lists_is_cut():
    data = {"short": [1, 2, 3], "nested": {"long": list(range(1000))}}
    cut, _, _ = fit(data, 500)
    assert cut["short"] == [1, 2, 3]
    assert 0 < len(cut["nested"]["long"]) < 1000


@given(JSON, st.integers(min_value=60, max_value=400))
def test_what_remains_always_fits(data, limit):
    cut, truncated, _ = fit(data, limit)
    assert size(cut) <= limit
    assert truncated or cut == data


def test_what_nests_absurdly_deep_is_cut_without_breaking():
    data = {"rows": ["x" * 50_000]}
    for _ in range(250):
        data = {"a": data}
    cut, truncated, _ = fit(data, 1000)
    assert truncated
    assert size(cut) <= 1000
