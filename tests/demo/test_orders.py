from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse_lazy

from demo_project.coffee_shop.models import Order, OrderItem

ORDERS = reverse_lazy("coffee-shop-order-list")


def test_first_new_order_is_1042_and_two_lattes_cost_eleven(place):
    response = place()
    assert response.status_code == 201
    assert response.data["id"] == 1042
    assert response.data["total"] == "11.00"
    assert response.data["status"] == "placed"


def test_an_order_belongs_to_the_user_who_placed_it(place):
    assert Order.objects.get(pk=place().data["id"]).user.username == "sam"


def test_options_add_to_the_unit_price(place):
    item = place(options=["Extra Shot", "Vanilla Syrup"]).data["items"][0]
    assert (item["unit_price"], item["total"]) == ("6.90", "13.80")


def test_lines_keep_their_price_when_the_menu_changes(place, sam):
    number = place().data["id"]
    item = OrderItem.objects.get(order_id=number)
    item.product.sizes.update(price=Decimal("99.00"))
    assert sam.get(f"{ORDERS}{number}/").data["total"] == "11.00"


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({"product_id": 99}, "product_id", "Product 99 is not on the menu."),
        ({"product_id": 10**30}, "product_id", "less than or equal"),
        ({"size": "Regular"}, "size", "Oat Milk Latte is not on offer in size Regular, only in: Tall, Grande, Venti."),
        ({"size": "Bucket"}, "size", "not a valid choice"),
        ({"product_id": 11}, "size", "Butter Croissant is not on offer in size Grande, only in: Regular."),
        ({"options": ["Gold Leaf"]}, "options", "Oat Milk Latte has no option 'Gold Leaf'."),
        ({"options": ["Decaf", "Decaf"]}, "options", "once"),
        ({"quantity": 0}, "quantity", "greater than or equal to 1"),
        ({"quantity": 21}, "quantity", "less than or equal to 20"),
    ],
)
def test_a_wrong_line_is_refused_naming_field_and_choices(place, changes, field, text):
    response = place(**changes)
    assert response.status_code == 400
    assert text in str(response.data["items"][0][field])
    assert not Order.objects.filter(pk__gt=1041).exists()


def test_only_the_wrong_line_of_several_is_named(sam, latte):
    items = [latte, {**latte, "product_id": 99}]
    response = sam.post(ORDERS, {"customer_name": "Sam", "items": items}, format="json")
    assert response.data["items"][0] == {}
    assert set(response.data["items"][1]) == {"product_id"}


@pytest.mark.parametrize("items", [[], None, "latte", [None]])
def test_an_order_without_proper_items_is_refused(sam, items):
    response = sam.post(ORDERS, {"customer_name": "Sam", "items": items}, format="json")
    assert response.status_code == 400
    assert "items" in response.data


def test_an_order_is_limited_to_twenty_lines(sam, latte):
    response = sam.post(ORDERS, {"customer_name": "Sam", "items": [latte] * 21}, format="json")
    assert response.status_code == 400


def test_an_order_needs_a_customer_name(place):
    assert "customer_name" in place(customer_name="").data


def test_preview_prices_without_writing(sam, latte):
    response = sam.post(f"{ORDERS}preview/", {"customer_name": "Sam", "items": [latte]}, format="json")
    assert response.status_code == 200
    assert response.data["total"] == "11.00"
    assert response.data["items"][0]["product_name"] == "Oat Milk Latte"
    assert not Order.objects.filter(pk__gt=1041).exists()


def test_preview_refuses_what_an_order_would(sam, latte):
    data = {"customer_name": "Sam", "items": [{**latte, "product_id": 99}]}
    assert sam.post(f"{ORDERS}preview/", data, format="json").status_code == 400


def test_a_user_sees_only_own_orders(sam, kim):
    assert sam.get(ORDERS).data["count"] == 0
    assert kim.get(ORDERS).data["count"] == 41


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
def test_the_order_of_someone_else_does_not_exist(sam, method):
    assert getattr(sam, method)(f"{ORDERS}1001/").status_code == 404


@pytest.mark.parametrize("method", ["patch", "delete"])
@pytest.mark.parametrize("number", [1001, 1010], ids=["collected", "cancelled"])
def test_a_closed_order_cannot_be_changed(kim, method, number):
    before = Order.objects.get(pk=number).status
    response = getattr(kim, method)(f"{ORDERS}{number}/", {"customer_name": "Kimberley"}, format="json")
    assert response.status_code == 409
    assert before in str(response.data["detail"])
    assert (Order.objects.get(pk=number).status, Order.objects.get(pk=number).customer_name) == (before, "Kim")


def test_a_prepared_order_cannot_be_cancelled(place, sam):
    number = place().data["id"]
    Order.objects.filter(pk=number).update(status=Order.Status.PREPARED)
    assert sam.delete(f"{ORDERS}{number}/").status_code == 409


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_an_order_prepared_since_it_was_read_cannot_be_changed(place, sam, monkeypatch, method):
    number = place().data["id"]
    Order.objects.filter(pk=number).update(status=Order.Status.PREPARED)
    # The first look still sees the order as placed, as a slower request would have.
    looks = iter([True, False])
    monkeypatch.setattr(Order, "is_open", property(lambda order: next(looks)))
    response = getattr(sam, method)(f"{ORDERS}{number}/", {"customer_name": "Max"}, format="json")
    assert response.status_code == 409
    assert Order.objects.get(pk=number).customer_name == "Sam"


def test_cancelling_keeps_the_order_as_cancelled(place, sam):
    number = place().data["id"]
    assert sam.delete(f"{ORDERS}{number}/").status_code == 204
    assert sam.get(f"{ORDERS}{number}/").data["status"] == "cancelled"


def test_changing_the_name_leaves_the_items_alone(place, sam):
    number = place().data["id"]
    response = sam.patch(f"{ORDERS}{number}/", {"customer_name": "Max"}, format="json")
    assert (response.data["customer_name"], response.data["total"]) == ("Max", "11.00")


def test_changing_items_replaces_them_and_prices_anew(place, sam, latte):
    number = place().data["id"]
    response = sam.patch(f"{ORDERS}{number}/", {"items": [{**latte, "quantity": 3}]}, format="json")
    assert [item["quantity"] for item in response.data["items"]] == [3]
    assert response.data["total"] == "16.50"


def test_a_line_of_a_change_must_be_complete(place, sam):
    number = place().data["id"]
    response = sam.patch(f"{ORDERS}{number}/", {"items": [{"product_id": 7}]}, format="json")
    assert response.status_code == 400
    assert set(response.data["items"][0]) == {"size", "quantity"}


def test_status_and_total_cannot_be_written(place, sam):
    number = place().data["id"]
    response = sam.patch(f"{ORDERS}{number}/", {"status": "collected", "total": "0.01"}, format="json")
    assert (response.data["status"], response.data["total"]) == ("placed", "11.00")


def test_orders_are_not_replaced_whole(place, sam):
    assert sam.put(f"{ORDERS}{place().data['id']}/", {}, format="json").status_code == 405


def test_orders_are_listed_in_pages(kim):
    page = kim.get(ORDERS, {"limit": 2, "offset": 1}).data
    assert [order["id"] for order in page["results"]] == [1040, 1039]


def test_orders_are_ordered_as_asked(kim):
    page = kim.get(ORDERS, {"ordering": "id", "limit": 1}).data
    assert page["results"][0]["id"] == 1001


def test_orders_are_filtered_by_status(kim):
    assert kim.get(ORDERS, {"status": "cancelled"}).data["count"] == 4


def test_an_unknown_status_is_refused_with_the_known_ones(kim):
    response = kim.get(ORDERS, {"status": "lost"})
    assert response.status_code == 400
    assert "cancelled" in str(response.data["status"])


def test_orders_are_found_by_product(kim):
    page = kim.get(ORDERS, {"search": "oat milk latte"}).data
    assert page["count"] == 4
    assert all(order["items"][0]["product_name"] == "Oat Milk Latte" for order in page["results"])


def test_a_list_takes_the_same_queries_however_long(kim):
    counts = []
    for limit in (2, 40):
        with CaptureQueriesContext(connection) as queries:
            kim.get(ORDERS, {"limit": limit})
        counts.append(len(queries))
    assert counts[0] == counts[1]
