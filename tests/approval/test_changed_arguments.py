"""Arguments that differ from those that were shown, and how the difference is named."""

import pytest

from django_mcp.approval import confirmations, signing
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
    row = flow.find(flow.propose()[1])
    with pytest.raises(ArgumentsChanged, match=r"^Arguments have changed since confirmation was issued\.") as caught:
        confirmations.check_arguments(row, make_call({**ORDER, **change}))
    assert caught.value.details == {"changed": changed}
    assert changed[0] in caught.value.text


def test_the_spelling_of_arguments_does_not_matter(flow):
    row = flow.find(flow.propose()[1])
    items = [{"options": ["Oat Milk", "Vanilla"], "quantity": 2.0, "product_id": 0.7e1}]
    assert confirmations.check_arguments(row, make_call({"items": items, "customer_name": "Sam"})) is None


@pytest.mark.parametrize("rotated", [False, True])
def test_sensitive_arguments_are_compared_by_name(flow, settings, rotated):
    flow.call = make_call({"login": "kim", "password": "hunter2", "roles": ["a"]})
    token = flow.propose()[1]
    if rotated:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    row = flow.find(token)
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call({"login": "kim", "password": "hunter3", "extra": 1}))
    assert caught.value.details["changed"] == ["extra", "password", "roles"]
    assert "hunter" not in caught.value.text


def test_equal_secrets_of_two_confirmations_have_different_digests(flow):
    flow.call = make_call({"password": "hunter2"})
    digests = [flow.propose()[0].argument_digests["password"] for _ in range(2)]
    assert digests[0] != digests[1]
    assert signing.keys_for(signing.Purpose.DIGEST)[0].hex() not in digests


def test_another_forwarded_header_is_a_change(flow):
    flow.call = make_call(forwarded={"X-Tenant": "a"})
    row = flow.find(flow.propose()[1])
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call(forwarded={"X-Tenant": "b"}))
    assert caught.value.details["changed"] == ["request headers"]


def test_a_flood_of_changes_is_named_in_part(flow):
    flow.call = make_call({f"a{number}": 1 for number in range(500)})
    row = flow.find(flow.propose()[1])
    with pytest.raises(ArgumentsChanged) as caught:
        confirmations.check_arguments(row, make_call({f"a{number}": 2 for number in range(500)}))
    assert len(caught.value.details["changed"]) == 50
    assert len(caught.value.text) < 500
