import pytest

from django_mcp.search.index import SearchIndex
from django_mcp.search.words import slips
from tests.search.crm import CRM, first, names, operation


@pytest.mark.parametrize("query", ["inovice", "invioces", "invoic", "invoicee", "imvoice"])
def test_near_spelling_is_found_for_unknown_words(query):
    assert first(query).startswith("invoice")


def test_near_spelling_is_not_tried_for_known_words():
    operations = [operation("order_list"), operation("older_list")]

    assert names("older", operations) == ["older_list"]


def test_near_spelling_is_not_tried_for_short_words():
    assert names("manu", CRM) == []


def test_two_slips_are_forgiven_in_long_words_only():
    assert names("comxanx") == []
    assert first("orgnaistion").startswith("company")


def test_misspelt_word_of_the_same_meaning_is_found():
    assert first("colleauge", [operation("member_list"), operation("other_list")]) == "member_list"


@pytest.mark.parametrize(
    ("left", "right", "count"), [("", "ab", 2), ("abc", "acb", 1), ("abc", "abc", 0), ("abc", "xbcd", 2)]
)
def test_slips_are_counted(left, right, count):
    assert slips(left, right, 2) == count


def test_slips_of_words_that_are_far_apart_are_one_more_than_the_most():
    assert slips("abcdef", "ghijkl", 2) == 3
    assert slips("a", "abcdefgh", 2) == 3


def test_nearest_name_is_suggested_first():
    near = SearchIndex(CRM).nearest("CreateCofeeShopOrders")

    assert near[0].name == "CreateCoffeeShopOrder"


def test_nothing_is_suggested_for_noise():
    assert SearchIndex(CRM).nearest("qqqqqqqq") == []
