import time

import pytest

from django_mcp.search.index import SearchIndex
from django_mcp.search.words import Spelling, split
from tests.search.crm import CRM, names, viewset

TEXTS = {
    "capitals": "A" * 20_000,
    "kelvin signs": "\u212a" * 20_000,
    "signs that are words": "\u213b" * 20_000,
    "signs that are sentences": "\ufdfa" * 2**20,
    "marks out of order": ("\u0345\u0300\u0316" * 2**19)[: 2**20],
    "one word": "o" * 2**20,
    "humps": "aA" * 2**19,
    "one-letter words": "a b " * 2**18,
    "known words": "list create company invoice " * 2**15,
    "misspelt words": "compnay inovice orgnaistion interfcae colurs " * 2**15,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_split_is_bounded_before_and_after_it_is_folded(text):
    parts = split(text, longest=500, most=32)

    assert 0 <= len(parts) <= 32
    assert sum(map(len, parts)) <= 500


def test_text_is_cut_after_signs_that_stand_for_many():
    assert len("".join(split("\ufdfa" * 500, longest=500))) <= 500


def test_a_text_of_more_words_than_count_is_searched_by_the_first():
    assert names("menu " + "zzz " * 100_000) == ["GetCoffeeShopMenu"]
    assert names("zzz " * 40 + "menu") == []


def test_only_a_few_unknown_words_are_looked_up_by_their_spelling(monkeypatch):
    guessed = []
    monkeypatch.setattr(Spelling, "near", lambda self, stem, word: guessed.append(word) or [])

    SearchIndex(CRM).search(" ".join(f"unknown{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"))

    assert len(guessed) == 8


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_query_is_answered_at_once(text):
    index = SearchIndex([one for number in range(170) for one in viewset(f"thing{number}_company")])
    began = time.perf_counter()
    index.search(text)
    index.nearest(text)

    assert time.perf_counter() - began < 1
