from functools import partial

import pytest

from django_mcp.search import words
from tests.benchmarks.relevance import typos
from tests.benchmarks.relevance.questions import MEASURED, TUNING
from tests.benchmarks.relevance.questions.github import STRANGERS, USERS
from tests.benchmarks.relevance.scores import rank


class Fixed:
    """Finds the same things whatever it is asked."""

    name = "fixed"

    def __init__(self, *names):
        self.found = [type("Found", (), {"name": name})() for name in names]

    def ranked(self, query):
        return self.found


def test_the_rank_is_that_of_the_first_right_operation():
    right = frozenset({"issues/create", "issues/update"})
    assert rank(Fixed("issues_get", "issues_update", "issues_create"), "?", right) == 2
    assert rank(Fixed("issues_get"), "?", right) is None


def test_there_are_as_many_questions_of_each_kind_and_each_has_an_answer():
    for sets in (*MEASURED.values(), *TUNING.values()):
        assert len(sets["users"]) == len(sets["strangers"]) >= 12
        assert not sets["users"].keys() & sets["strangers"].keys()
        assert all(right for questions in sets.values() for right in questions.values())


def test_no_api_is_measured_that_weights_are_chosen_by():
    assert not MEASURED.keys() & TUNING.keys()


@pytest.mark.parametrize("question", [*USERS, *STRANGERS])
def test_a_slip_spoils_longer_words_only_and_is_the_same_for_a_seed(question):
    spoilt = typos.every(question, 3)
    assert spoilt == typos.every(question, 3)
    pairs = list(zip(question.split(), spoilt.split(), strict=True))
    assert any(before != after for before, after in pairs)
    for before, after in pairs:
        letters = "".join(char for char in before if char.isalpha())
        assert (before != after) == (len(letters) >= typos.LEAST and letters == before)


@pytest.mark.parametrize("make", [typos.one, typos.every])
def test_a_spoilt_word_is_one_slip_away(make):
    for seed in range(20):
        spoilt = partial(make, seed=seed)("vulnerable dependencies")
        distances = [
            words.slips(*pair, most=3) for pair in zip(["vulnerable", "dependencies"], spoilt.split(), strict=True)
        ]
        assert sum(distances) in ({1} if make is typos.one else {2})
