"""A user sees over MCP what the same user sees over REST."""

from urllib.parse import urlencode

import pytest

ORDERS = "/api/coffee-shop/orders/"


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"limit": 5},
        {"limit": 5, "offset": 10},
        {"limit": 5, "offset": 40},
        {"offset": 4000},
        {"status": "cancelled"},
        {"status": "collected", "limit": 3, "offset": 3},
        {"ordering": "total"},
        {"ordering": "-total,id", "limit": 7},
        {"ordering": "created_at", "limit": 2, "offset": 2},
        {"search": "latte"},
        {"search": "latte", "ordering": "id", "limit": 2},
        {"search": "Kim & co = ünï"},
    ],
    ids=urlencode,
)
@pytest.mark.parametrize("user", ["kim", "sam"])
def test_orders_are_those_of_the_rest_api(served, user, args):
    client = served.client(user)
    rest = client.rest(user, "GET", f"{ORDERS}?{urlencode(args)}" if args else ORDERS)
    content = client.read("ListCoffeeShopOrders", **args).structured
    assert content["status"] == "success"
    assert content["truncated"] is False
    assert content["response"]["results"] == rest.json["results"]
    assert content["response"]["count"] == rest.json["count"]


def test_reads_through_api_call_are_the_same(kim):
    called = kim.call("ListCoffeeShopOrders", {"limit": 3}).structured
    read = kim.read("ListCoffeeShopOrders", limit=3).structured
    assert called["response"] == read["response"]


def test_links_lead_to_the_public_host(served, kim):
    response = kim.read("ListCoffeeShopOrders", limit=3).structured["response"]
    assert response["next"] == kim.rest("kim", "GET", f"{ORDERS}?limit=3").json["next"]
    assert f"127.0.0.1:{served.server.port}" in response["next"]


def test_one_order_is_that_of_the_rest_api(kim):
    rest = kim.rest("kim", "GET", f"{ORDERS}1001/")
    assert kim.read("GetCoffeeShopOrder", id=1001).structured["response"] == rest.json


def test_a_wrong_filter_is_refused_as_over_rest(kim):
    rest = kim.rest("kim", "GET", f"{ORDERS}?status=lost")
    answer = kim.read("ListCoffeeShopOrders", status="lost")
    assert (rest.status, answer.code) == (400, "validation_error")
    assert answer.structured["httpStatus"] == 400


def test_the_menu_is_that_of_the_rest_api(sam):
    rest = sam.rest("sam", "GET", "/api/coffee-shop/menu/?search=tea")
    assert sam.read("GetCoffeeShopMenu", search="tea").structured["response"] == rest.json


def test_an_order_that_rest_refuses_gets_no_token(sam, lattes):
    lattes["items"][0]["size"] = "Regular"
    rest = sam.rest("sam", "POST", ORDERS, lattes)
    answer = sam.call("CreateCoffeeShopOrder", lattes)
    assert (rest.status, answer.code) == (400, "validation_error")
    assert "confirmationToken" not in answer.structured
