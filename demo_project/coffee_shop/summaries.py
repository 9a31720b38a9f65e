"""What a human reads before an order is placed, changed or cancelled."""

from collections.abc import Mapping
from typing import Any

from demo_project.coffee_shop.models import Order
from django_mcp.types import Caller


def place_order(caller: Caller, arguments: Mapping[str, Any]) -> str:
    count = sum(item["quantity"] for item in arguments["items"])
    items = "1 item" if count == 1 else f"{count} items"
    return f"Create validated coffee shop order for {arguments['customer_name']}: {items}"


def change_order(caller: Caller, arguments: Mapping[str, Any]) -> str:
    fields = ", ".join(sorted(set(arguments) - {"id"})) or "nothing"
    return f"Change coffee shop order {arguments['id']}: {fields}"


def cancel_order(caller: Caller, arguments: Mapping[str, Any]) -> str:
    return f"Cancel coffee shop order {arguments['id']}"


def show_cancelled(caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    order = Order.objects.prefetch_related("items").get(user=caller.user, pk=arguments["id"])
    return {"cancels": order.pk, "items": [str(item) for item in order.items.all()], "total": str(order.total)}
