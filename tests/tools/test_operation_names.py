"""The names of the tools of operations."""

import re

import pytest

from django_mcp.tools.operation_tools import tool_names

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@pytest.mark.parametrize(
    ("operations", "taken", "expected"),
    [
        (["orders"], (), ["orders"]),
        (["shop.orders:list all"], (), ["shop_orders_list_all"]),
        (["Öffnen"], (), ["Offnen"]),
        (["菜单"], (), ["operation_4ce4cafd"]),
        (["a.b", "a_b"], (), ["a_b_2e7336dc", "a_b"]),
        (["a.b", "a:b"], (), ["a_b_2e7336dc", "a_b_6783a31e"]),
        (["api_call"], ("api_call",), ["api_call_0972a104"]),
        (["stamp"], ("Stamp",), ["stamp_e0afcdbf"]),
        (["x" * 40], (), ["x" * 40]),
        (["x" * 41], (), ["x" * 31 + "_3164596d"]),
    ],
)
def test_a_name_fits_every_client_and_no_other_tool(operations, taken, expected):
    names = [tool_names(operations, taken)[name] for name in operations]
    assert names == expected
    assert all(NAME.fullmatch(name) for name in names)


def test_a_name_does_not_depend_on_the_order_of_the_operations():
    names = ["a.b", "a:b", "a_b", "é", "e", "x" * 41, "x" * 42]
    assert tool_names(names, ()) == tool_names(names[::-1], ())
    assert len({name.casefold() for name in tool_names(names, ()).values()}) == len(names)


def test_even_a_hash_that_is_taken_finds_another_name():
    (hashed,) = tool_names(["菜单"], ()).values()
    (name,) = tool_names(["菜单"], (hashed,)).values()
    assert name != hashed
    assert NAME.fullmatch(name)
