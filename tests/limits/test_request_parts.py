"""Paths and query strings are as long as a web server would take them."""

import pytest

from django_mcp.errors import ValidationFailed
from django_mcp.execution.request_parts import MAX_QUERY_BYTES, _require_short


@pytest.mark.parametrize(
    ("path", "query"),
    [("/x", {"search": "a" * MAX_QUERY_BYTES}), ("/x", {"search": ["é"] * 1000}), ("/" + "a" * MAX_QUERY_BYTES, {})],
)
def test_what_is_too_long_is_refused_with_its_size(path, query):
    with pytest.raises(ValidationFailed, match=f"at most {MAX_QUERY_BYTES} are taken"):
        _require_short(path, query)


def test_what_is_as_long_as_may_be_is_taken():
    _require_short("/x", {"q": "a" * (MAX_QUERY_BYTES - 2)})
