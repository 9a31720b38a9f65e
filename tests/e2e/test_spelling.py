"""The spellings in which a redemption may differ from its proposal."""

import json

import pytest

from tests.e2e.client import ORDER


def test_key_order_and_spelling_of_numbers_do_not_matter(served, sam):
    token = sam.propose({"customer_name": "Sam", "items": [{"product_id": 7, "size": "Grande", "quantity": 2}]})
    arguments = (
        f'{{ "confirmationToken":"{token}", "args" : {{"items":[{{"quantity":2.0, "size":"Gr\\u0061nde",'
        f'"product_id":0.7e1}}],"customer_name":"Sam"}},"name":"{ORDER}"}}'
    )
    body = f'{{"params":{{"arguments":{arguments},"name":"api_call"}},"method":"tools/call","id":"x","jsonrpc":"2.0"}}'
    assert sam.post(body.encode()).structured["status"] == "success"


def test_text_for_a_number_does_not_matter(served, sam, lattes):
    token = sam.propose(lattes)
    lattes["items"][0].update(product_id="7", quantity="2")
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_json_text_for_a_list_does_not_matter(served, sam, lattes):
    token = sam.propose(lattes)
    assert sam.call(ORDER, {**lattes, "items": json.dumps(lattes["items"])}, token).structured["status"] == "success"


def test_json_text_for_the_arguments_does_not_matter(served, sam, lattes):
    token = sam.propose(json.dumps(lattes))
    assert sam.call(ORDER, lattes, token).structured["status"] == "success"


def test_the_token_alone_redeems_the_proposal(served, sam, lattes):
    content = sam.call(ORDER, None, sam.propose({**lattes, "customer_name": "Token only"})).structured
    assert content["status"] == "success"
    assert served.inside.order(pk=content["response"]["id"])["customer_name"] == "Token only"


def test_a_token_among_the_arguments_is_found(served, sam, lattes):
    token = sam.propose(lattes)
    assert sam.call(ORDER, {**lattes, "confirmationToken": token}).structured["status"] == "success"


@pytest.mark.parametrize("wrapped", ['"{}"', "`{}`", " {}\n", "'{}'", "``` {} ```"])
def test_quotes_and_blanks_around_a_token_do_not_matter(served, sam, lattes, wrapped):
    token = sam.propose(lattes)
    assert sam.call(ORDER, lattes, wrapped.format(token)).structured["status"] == "success"
