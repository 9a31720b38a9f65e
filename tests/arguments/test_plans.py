from django_mcp.arguments.normalise import normalise
from django_mcp.arguments.plans import argument_plan
from django_mcp.catalog.discovery import get_catalog
from django_mcp.schema.operations import schema_for
from django_mcp.tools.calls import plan_of
from tests.arguments.orders import ORDER, effective

CALLS = [
    {"items": [{"product_id": 7}]},
    {"items": [{"product_id": "7", "quantity": "2"}], "price": 5, "paid": "yes"},
    {"note": None, "meta": {"a": "1"}, "page": ""},
]


def test_a_plan_reads_each_call_as_a_new_one_would():
    plan = argument_plan(ORDER)

    assert [normalise(plan, call)[0] for call in CALLS * 2] == [effective(call) for call in CALLS * 2]


def test_a_default_that_a_caller_changes_is_the_same_in_the_next_call():
    plan = argument_plan({"properties": {"tags": {"type": "array", "default": []}}})
    normalise(plan, {})[0]["tags"].append("x")

    assert normalise(plan, {})[0] == {"tags": []}


def test_what_an_operation_takes_is_planned_once_for_all_calls():
    operation = get_catalog().get("CreateCoffeeShopOrder")

    assert schema_for(operation).derived(plan_of) is schema_for(operation).derived(plan_of)


def test_arguments_of_the_route_are_planned_as_such():
    operation = get_catalog().get("UpdateCoffeeShopOrder")

    assert plan_of(schema_for(operation)).route == {"id"}
