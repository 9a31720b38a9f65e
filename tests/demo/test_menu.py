import pytest
from django.urls import reverse_lazy
from rest_framework.test import APIClient

MENU = reverse_lazy("coffee-shop-menu-list")
ORDERS = reverse_lazy("coffee-shop-order-list")


def test_product_seven_is_the_oat_milk_latte(sam):
    latte = next(product for product in sam.get(MENU).data["results"] if product["id"] == 7)
    assert latte["name"] == "Oat Milk Latte"
    assert {size["size"]: size["price"] for size in latte["sizes"]} == {
        "Tall": "4.90",
        "Grande": "5.50",
        "Venti": "6.10",
    }


def test_every_drink_comes_in_three_sizes(sam):
    drinks = [product for product in sam.get(MENU).data["results"] if product["category"] != "bakery"]
    assert all([size["size"] for size in drink["sizes"]] == ["Tall", "Grande", "Venti"] for drink in drinks)


def test_the_menu_comes_in_pages(sam):
    page = sam.get(MENU, {"limit": 2, "offset": 6}).data
    assert page["count"] == 12
    assert [product["id"] for product in page["results"]] == [7, 8]


def test_the_menu_can_be_searched(sam):
    assert {product["name"] for product in sam.get(MENU, {"search": "oat"}).data["results"]} == {"Oat Milk Latte"}


@pytest.mark.parametrize("path", [MENU, ORDERS])
def test_the_shop_is_closed_to_strangers(shop, path):
    assert APIClient().get(path).status_code in {401, 403}
