"""Arguments that differ from those that were shown, and how the difference is named."""

import pytest

from django_mcp.approval import signing
from django_mcp.errors import ArgumentsChanged
from tests.approval.conftest import ORDER, make_call


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"customer_name": "Kim"}, ["customer_name"]),
        ({"items": [{"product_id": 7, "quantity": 3, "options": ["Oat Milk", "Vanilla"]}]}, ["items[0].quantity"]),
        ({"items": [{"product_id": 7, "quantity": 2, "options": ["Vanilla", "Oat Milk"]}]},
         ["items[0].options[0]", "items[0].options[1]"]),
        ({"items": []}, ["items"]),
        ({"note": "x"}, ["note"]),
    ],
)  # fmt: skip
def test_changed_arguments_are_named_by_path(flow, change, changed):
    token = flow.propose()[1]
    with pytest.raises(ArgumentsChanged, match=r"^Arguments have changed since confirmation was issued\.") as caught:
        flow.find(token, arguments={**ORDER, **change})
    assert caught.value.details == {"changed": changed}
    assert changed[0] in caught.value.text


def test_the_spelling_of_arguments_does_not_matter(flow):
    token = flow.propose()[1]
    items = [{"options": ["Oat Milk", "Vanilla"], "quantity": 2.0, "product_id": 0.7e1}]
    assert flow.find(token, arguments={"items": items, "customer_name": "Sam"})


@pytest.mark.parametrize("rotated", [False, True])
def test_sensitive_arguments_are_compared_by_name(flow, settings, rotated):
    flow.call = make_call({"login": "kim", "password": "hunter2", "roles": ["a"]})
    token = flow.propose()[1]
    if rotated:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    with pytest.raises(ArgumentsChanged) as caught:
        flow.find(token, arguments={"login": "kim", "password": "hunter3", "extra": 1})
    assert caught.value.details["changed"] == ["extra", "password", "roles"]
    assert "hunter" not in caught.value.text


def test_equal_secrets_of_two_confirmations_have_different_digests(flow):
    flow.call = make_call({"password": "hunter2"})
    digests = [flow.propose()[0].argument_digests["password"] for _ in range(2)]
    assert digests[0] != digests[1]
    assert signing.keys_for(signing.Purpose.DIGEST)[0].hex() not in digests


def test_a_flood_of_changes_is_named_in_part(flow):
    flow.call = make_call({f"a{number}": 1 for number in range(500)})
    token = flow.propose()[1]
    with pytest.raises(ArgumentsChanged) as caught:
        flow.find(token, arguments={f"a{number}": 2 for number in range(500)})
    assert len(caught.value.details["changed"]) == 50
    assert len(caught.value.text) < 500
