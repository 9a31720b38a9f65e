import re
import unicodedata

import inflection
import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.search.words import split, stem


def test_words_of_names_are_split():
    assert split("GetHTTPMenu_item-list v2") == ["get", "http", "menu", "item", "list", "v2"]


@given(st.text(alphabet="AaBb12_- \u00e9\u00c9\u03a3\u00df\ufb01\u213b\u65e5", max_size=12))
def test_names_are_split_where_the_library_puts_underscores(text):
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))

    assert split(text) == re.findall(r"[^\W_]+", inflection.underscore(plain).casefold())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders", "order"),
        ("companies", "company"),
        ("cancelled", "cancel"),
        ("creating", "create"),
        ("deletion", "delete"),
        ("shipping", "ship"),
        ("addresses", "address"),
        ("statuses", "status"),
    ],
)
def test_inflections_have_one_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("note", "not"), ("option", "opt"), ("user", "use"), ("string", "str")])
def test_different_words_keep_apart(one, other):
    assert stem(one) != stem(other)
