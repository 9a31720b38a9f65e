"""The coffee shop as agents meet it: what the human reads, and what is refused before a confirmation is proposed."""

import pytest

from demo_project.coffee_shop.models import Order


@pytest.fixture
def agent(make_mcp):
    from django_mcp.models import ToolGroup

    ToolGroup.objects.update_or_create(name="coffee-shop", defaults={"exposed": True})
    return make_mcp()


@pytest.fixture
def order(latte):
    return {"customer_name": "Sam", "items": [latte]}


def test_the_human_reads_for_whom_and_how_many(agent, order, latte):
    summary = "Create validated coffee shop order for Sam: "
    assert agent.call("CreateCoffeeShopOrder", order)["summary"] == f"{summary}2 items"
    single = {**order, "items": [{**latte, "quantity": 1}]}
    assert agent.call("CreateCoffeeShopOrder", single)["summary"] == f"{summary}1 item"


def test_a_wrong_order_is_refused_before_anyone_is_asked(agent, order, latte):
    answer = agent.call("CreateCoffeeShopOrder", {**order, "items": [{**latte, "product_id": 99}]})
    assert answer["code"] == "validation_error"
    assert "Product 99 is not on the menu." in str(answer)


def test_a_price_is_told_at_once(agent, order):
    answer = agent.call("PreviewCoffeeShopOrder", order)
    assert (answer["status"], answer["response"]["total"]) == ("success", "11.00")


def test_the_human_sees_what_is_cancelled(agent, order):
    number = agent.write("CreateCoffeeShopOrder", order)["response"]["id"]
    proposal = agent.call("CancelCoffeeShopOrder", {"id": number})
    assert proposal["summary"] == f"Cancel coffee shop order {number}"
    assert proposal["preview"] == {"cancels": number, "items": ["2 x Grande Oat Milk Latte"], "total": "11.00"}


def test_a_confirmed_cancellation_cancels(agent, order):
    number = agent.write("CreateCoffeeShopOrder", order)["response"]["id"]
    assert agent.write("CancelCoffeeShopOrder", {"id": number})["status"] == "success"
    assert Order.objects.get(pk=number).status == Order.Status.CANCELLED


def test_a_closed_order_is_refused_before_anyone_is_asked(agent, order):
    number = agent.write("CreateCoffeeShopOrder", order)["response"]["id"]
    Order.objects.filter(pk=number).update(status=Order.Status.PREPARED)
    for name in ("UpdateCoffeeShopOrder", "CancelCoffeeShopOrder"):
        assert agent.call(name, {"id": number})["code"] == "conflict"


def test_the_order_of_someone_else_does_not_exist(agent):
    assert agent.call("CancelCoffeeShopOrder", {"id": 1001})["code"] == "not_found"


def test_a_confirmed_change_is_summarised_and_applied(agent, order):
    number = agent.write("CreateCoffeeShopOrder", order)["response"]["id"]
    change = {"id": number, "customer_name": "Max"}
    proposal = agent.call("UpdateCoffeeShopOrder", change)
    assert proposal["summary"] == f"Change coffee shop order {number}: customer_name"
    done = agent.call("UpdateCoffeeShopOrder", change, confirmationToken=proposal["confirmationToken"])
    assert done["response"]["customer_name"] == "Max"
