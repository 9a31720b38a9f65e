import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from rest_framework.test import APIClient

from demo_project.coffee_shop.seeding import seed


@pytest.fixture
def shop(db):
    seed()


@pytest.fixture
def as_user(shop):
    def client_of(name):
        client = APIClient()
        client.force_authenticate(User.objects.get(username=name))
        return client

    return client_of


@pytest.fixture
def sam(as_user):
    return as_user("sam")


@pytest.fixture
def kim(as_user):
    return as_user("kim")


@pytest.fixture
def latte():
    return {"product_id": 7, "size": "Grande", "quantity": 2, "options": []}


@pytest.fixture
def place(sam, latte):
    """Place an order of Sam's for two Grande Oat Milk Lattes, changed as told; return the response."""

    def post(client=sam, customer_name="Sam", **changes):
        data = {"customer_name": customer_name, "items": [{**latte, **changes}]}
        return client.post(reverse("coffee-shop-order-list"), data, format="json")

    return post
