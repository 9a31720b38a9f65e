import pytest

from tests.arguments.orders import effective


def test_constant_default_is_filled_in_at_any_depth():
    assert effective({"items": [{"product_id": 7}]}) == {"items": [{"product_id": 7, "quantity": 1}]}


def test_default_is_not_filled_into_a_partial_update():
    assert effective({"items": [{"product_id": 7}]}, partial=True) == {"items": [{"product_id": 7}]}


def test_default_is_spelled_like_a_sent_value():
    schema = {"properties": {"price": {"type": ["string", "number"], "format": "decimal", "default": "1.50"}}}

    assert effective({}, schema) == effective({"price": 1.5}, schema) == {"price": "1.5"}


@pytest.mark.parametrize("default", [None, "x", ""])
def test_default_that_the_schema_refuses_is_left_to_the_view(default):
    assert effective({}, {"properties": {"page": {"type": "integer", "default": default}}}) == {}


def test_filled_default_is_a_copy():
    schema = {"properties": {"tags": {"type": "array", "default": []}}}
    effective({}, schema)["tags"].append(1)

    assert effective({}, schema) == {"tags": []}
