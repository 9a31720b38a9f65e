"""The positions of a listing, and the cursors that stand for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.errors import ProtocolError
from django_mcp.tools.registry import Position

NAMES = st.text("ABCXYZabcxyz0189_-", min_size=1, max_size=64)


def test_a_cursor_that_a_client_holds_stays_valid():
    assert Position(2, "CreateOrder").cursor == "MkNyZWF0ZU9yZGVy"
    assert Position.of("MkNyZWF0ZU9yZGVy") == (2, "CreateOrder")


@given(st.builds(Position, st.integers(0, 9), NAMES))
def test_a_cursor_leads_back_to_its_position(position):
    assert Position.of(position.cursor) == position


@given(st.text())
def test_other_text_is_no_cursor_or_stands_for_one_position(text):
    try:
        position = Position.of(text)
    except ProtocolError:
        return
    assert position.cursor == text


@pytest.mark.parametrize(
    "text", ["", "=", "abc", "MXN0YW1w=", "MXN0YW1w\n", " MXN0YW1w", "MXN0YW1", "ü", "\0", "1" * 10_000]
)
def test_a_cursor_that_was_never_handed_out_is_refused(text):
    with pytest.raises(ProtocolError) as refused:
        Position.of(text)
    assert (refused.value.code, refused.value.message) == (
        ProtocolError.PARAMS,
        "Invalid params. cursor: Unknown cursor; leave it out.",
    )


@given(st.lists(st.builds(Position, st.integers(0, 9), NAMES)))
def test_positions_are_in_the_order_of_their_parts_and_names(positions):
    assert sorted(positions) == sorted(positions, key=lambda position: f"{position.part}{position.name}")
