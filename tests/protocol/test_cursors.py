import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.protocol import serializers


@given(st.from_regex(r"[0-9][A-Za-z0-9_-]{1,64}", fullmatch=True).map(lambda text: text.rstrip("\n")))
def test_a_cursor_leads_back_to_its_position(position):
    assert serializers.decode_cursor(serializers.encode_cursor(position)) == position


@given(st.text())
def test_other_text_is_no_cursor_or_stands_for_one_position(text):
    try:
        position = serializers.decode_cursor(text)
    except ValueError:
        return
    assert serializers.encode_cursor(position) == text


@pytest.mark.parametrize(
    "text", ["", "=", "abc", "MXN0YW1w=", "MXN0YW1w\n", " MXN0YW1w", "MXN0YW1", "ü", "\0", "1" * 10_000]
)
def test_what_was_never_handed_out_is_refused(text):
    with pytest.raises(ValueError, match="no cursor of ours"):
        serializers.decode_cursor(text)
