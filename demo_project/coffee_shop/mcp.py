"""What agents can ask the barista: tools that no endpoint of the REST API stands behind."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Min, Q, Sum
from rest_framework import serializers

from demo_project.coffee_shop import ambience, latte_art
from demo_project.coffee_shop.models import Order, Product
from django_mcp import Safety, ToolError, mcp_tool
from django_mcp.errors import NotFound
from django_mcp.tools.media import File, Image, Text
from django_mcp.types import Caller

GROUP = "barista"


class Taste(serializers.Serializer[Any]):
    category = serializers.ChoiceField(choices=Product.Category.choices, required=False)
    budget = serializers.DecimalField(max_digits=6, decimal_places=2, min_value=0, help_text="The most it may cost.")


class OrderNumber(serializers.Serializer[Any]):
    order_id = serializers.IntegerField(min_value=1, help_text="The id of an order of the user's that is placed.")


class Pattern(serializers.Serializer[Any]):
    pattern = serializers.ChoiceField(choices=sorted(latte_art.PATTERNS), default="heart")


class Statistics(serializers.Serializer[Any]):
    orders = serializers.IntegerField(help_text="All of the user's orders.")
    waiting = serializers.IntegerField(help_text="Those that are placed and not yet prepared.")
    spent = serializers.DecimalField(max_digits=10, decimal_places=2, help_text="What they cost, cancelled ones aside.")
    first_order_at = serializers.DateTimeField(allow_null=True)


@mcp_tool(group=GROUP, safety=Safety.READ_ONLY, input=Taste, title="Recommend something")
def recommend(caller: Caller, data: Mapping[str, Any]) -> dict[str, Any]:
    """Recommend what to drink or eat within a budget, the best value first."""
    products = Product.objects.annotate(from_price=Min("sizes__price")).filter(from_price__lte=data["budget"])
    if "category" in data:
        products = products.filter(category=data["category"])
    best = products.order_by("-from_price", "id").values("id", "name", "description", "from_price")[:3]
    return {"recommended": list(best)}


def _summary(caller: Caller, arguments: Mapping[str, Any]) -> str:
    order = Order.objects.filter(user=caller.user, pk=arguments["order_id"]).first()
    return f"Prepare order {arguments['order_id']}" + (f" for {order.customer_name}: {order.total}" if order else "")


@mcp_tool(group=GROUP, safety=Safety.WRITE, input=OrderNumber, summary=_summary, atomic=True)
def prepare_order(caller: Caller, data: Mapping[str, Any]) -> dict[str, Any]:
    """Let the barista prepare an order that is placed. It cannot be changed or cancelled afterwards."""
    order = Order.objects.select_for_update().filter(user=caller.user, pk=data["order_id"]).first()
    if order is None:
        raise NotFound(f"The user has no order {data['order_id']}; ListCoffeeShopOrders has those that there are.")
    if not order.is_open:
        raise ToolError(f"Order {order.pk} is {order.status}; only orders that are placed can be prepared.")
    order.status = Order.Status.PREPARED
    order.save(update_fields=["status"])
    return {"order_id": order.pk, "status": order.status}


@mcp_tool(group=GROUP, safety=Safety.READ_ONLY, input=Pattern)
def draw_latte_art(caller: Caller, data: Mapping[str, Any]) -> list[Any]:
    """Draw a cup with latte art, as a PNG picture."""
    pattern = data["pattern"]
    return [Text(f"A cup with a {pattern}."), Image(latte_art.draw(pattern), "image/png", f"{pattern}.png")]


@mcp_tool(group=GROUP, safety=Safety.READ_ONLY)
def record_ambience(caller: Caller, data: Mapping[str, Any]) -> File:
    """Record the shop's espresso machine: a WAV file of 40 MB, as a link."""
    return File(ambience.recorded(), media_type="audio/wav")


@mcp_tool(group=GROUP, safety=Safety.READ_ONLY, output=Statistics)
def order_statistics(caller: Caller, data: Mapping[str, Any]) -> dict[str, Any]:
    """Sum up the user's orders: how many, how many are waiting, what was spent."""
    return Order.objects.filter(user=caller.user).aggregate(
        orders=Count("id"),
        waiting=Count("id", filter=Q(status=Order.Status.PLACED)),
        spent=Sum("total", filter=~Q(status=Order.Status.CANCELLED), default=0),
        first_order_at=Min("created_at"),
    )
