"""The coffee shop's REST API: DRF as usual, plus what `mcp_operation` tells agents about it."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import APIException
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from demo_project.coffee_shop import summaries
from demo_project.coffee_shop.filters import StatusFilter
from demo_project.coffee_shop.models import Order, Product
from demo_project.coffee_shop.serializers import OrderPreviewSerializer, OrderSerializer, ProductSerializer
from django_mcp import Safety, mcp_operation

TWO_LATTES = {
    "customer_name": "Sam",
    "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}],
}


class OrderClosed(APIException):
    status_code = 409
    default_code = "order_closed"

    def __init__(self, order: Order) -> None:
        super().__init__(f"Order {order.pk} is {order.status}; only orders that are placed can be changed.")


class Pages(LimitOffsetPagination):
    default_limit = 25
    max_limit = 100


@mcp_operation(group="coffee-shop")
@mcp_operation(
    actions=["list"],
    name="GetCoffeeShopMenu",
    description="List drinks and food with their ids, sizes, options and prices.",
    when_to_use="To learn the ids, sizes, options and prices of drinks and food before ordering.",
    keywords=["drinks", "coffee", "tea", "bakery", "prices", "products"],
    follow_ups=["PreviewCoffeeShopOrder", "CreateCoffeeShopOrder"],
)
class MenuViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """What the coffee shop sells."""

    queryset = Product.objects.prefetch_related("sizes", "options")
    serializer_class = ProductSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = Pages
    filter_backends = [SearchFilter]
    search_fields = ["name", "description", "category"]


@mcp_operation(group="coffee-shop")
@mcp_operation(
    actions=["create"],
    name="CreateCoffeeShopOrder",
    description="Place an order.",
    when_to_use="To place an order for the user, once they have chosen from the menu.",
    keywords=["buy", "coffee", "drink"],
    aliases=["PlaceCoffeeShopOrder"],
    prerequisites=["GetCoffeeShopMenu"],
    preview="PreviewCoffeeShopOrder",
    follow_ups=["GetCoffeeShopOrder", "UpdateCoffeeShopOrder", "CancelCoffeeShopOrder"],
    examples=[TWO_LATTES],
    summary=summaries.place_order,
)
@mcp_operation(
    actions=["retrieve"],
    name="GetCoffeeShopOrder",
    description="Show one of the user's own orders.",
    when_to_use="To see what became of an order, or what is in it.",
)
@mcp_operation(
    actions=["list"],
    name="ListCoffeeShopOrders",
    description="List the user's own orders, the newest first.",
    when_to_use="To find the user's own orders, present and past.",
    keywords=["history"],
    follow_ups=["GetCoffeeShopOrder"],
)
@mcp_operation(
    actions=["partial_update"],
    name="UpdateCoffeeShopOrder",
    description="Change the name or the items of an order that is still placed.",
    when_to_use="To change a placed order. A list of items replaces the whole list.",
    prerequisites=["GetCoffeeShopOrder"],
    summary=summaries.change_order,
)
@mcp_operation(
    actions=["destroy"],
    name="CancelCoffeeShopOrder",
    description="Cancel an order that is still placed.",
    when_to_use="To cancel a placed order. It stays in the list as cancelled.",
    prerequisites=["GetCoffeeShopOrder"],
    summary=summaries.cancel_order,
    dry_run=summaries.show_cancelled,
)
class OrderViewSet(viewsets.ModelViewSet):
    """The user's own orders."""

    queryset = Order.objects.prefetch_related("items")
    serializer_class = OrderSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = Pages
    filter_backends = [StatusFilter, SearchFilter, OrderingFilter]
    search_fields = ["customer_name", "items__product_name"]
    ordering_fields = ["id", "total", "created_at"]
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Order]:
        return super().get_queryset().filter(user=self.request.user)

    def get_object(self) -> Order:
        order = super().get_object()
        if self.request.method not in SAFE_METHODS and not order.is_open:
            raise OrderClosed(order)
        return order

    def perform_create(self, serializer: OrderSerializer) -> None:
        serializer.save(user=self.request.user)

    @transaction.atomic
    def perform_update(self, serializer: OrderSerializer) -> None:
        self._lock(serializer.instance)
        serializer.save()

    @transaction.atomic
    def perform_destroy(self, instance: Order) -> None:
        self._lock(instance)
        instance.status = Order.Status.CANCELLED
        instance.save(update_fields=["status"])

    @mcp_operation(
        name="PreviewCoffeeShopOrder",
        safety=Safety.READ_ONLY,
        when_to_use="To check an order and learn its price without placing it.",
        prerequisites=["GetCoffeeShopMenu"],
        follow_ups=["CreateCoffeeShopOrder"],
        examples=[TWO_LATTES],
    )
    @extend_schema(request=OrderPreviewSerializer, responses=OrderPreviewSerializer, filters=False)
    @action(detail=False, methods=["post"], serializer_class=OrderPreviewSerializer, pagination_class=None)
    def preview(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Check and price an order; nothing is stored."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)

    def _lock(self, order: Order) -> None:
        """Look again with the row locked: the counter may have started on the order since it was read."""
        current = Order.objects.select_for_update().get(pk=order.pk)
        if not current.is_open:
            raise OrderClosed(current)
