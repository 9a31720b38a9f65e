from hypothesis import given
from hypothesis import strategies as st

from django_mcp.text import clean_text, nearest, one_line, quoted


def test_log_lines_cannot_be_forged():
    assert one_line("x\r\n[INFO] ok") == "x [INFO] ok"


def test_direction_marks_are_removed():
    assert one_line("abc\u202edef\u2066") == "abcdef"


def test_a_quoted_value_cannot_end_its_quotation():
    assert quoted('a" and "b') == '"a\\" and \\"b"'


@given(st.text())
def test_a_line_is_one_short_line(text):
    line = one_line(text)
    assert len(line) <= 200
    assert len(line.splitlines()) <= 1


@given(st.text())
def test_clean_text_can_be_stored_and_is_as_long(text):
    stored = clean_text(text + "\x00\ud800")
    assert "\x00" not in stored
    assert stored.encode()
    assert len(stored) == len(text) + 2


def test_the_nearest_name_is_found_in_any_case_and_far_ones_are_none():
    assert nearest("tool_group", ["TOOL_GROUPS", "TOOLS"]) == "TOOL_GROUPS"
    assert nearest("elicitation", ["TOOL_GROUPS", "TOOLS"]) == ""
