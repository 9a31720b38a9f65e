from collections.abc import Sequence
from typing import Any

from django.db import transaction
from rest_framework import serializers

from demo_project.coffee_shop.models import Option, Order, OrderItem, Price, Product, Size
from demo_project.coffee_shop.pricing import price_items, total_of


class PriceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Price
        fields = ["size", "price"]


class OptionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Option
        fields = ["name", "price"]


class ProductSerializer(serializers.ModelSerializer):
    sizes = PriceSerializer(many=True, read_only=True)
    options = OptionSerializer(many=True, read_only=True, help_text="Extras, with what each adds to the price.")

    class Meta:
        model = Product
        fields = ["id", "name", "description", "category", "sizes", "options"]


class OrderItemSerializer(serializers.ModelSerializer):
    product_id = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="The product's id on the menu.")
    size = serializers.ChoiceField(choices=Size.choices)
    quantity = serializers.IntegerField(min_value=1, max_value=20)
    options = serializers.ListField(
        child=serializers.CharField(max_length=40), max_length=10, default=list, help_text="Names from the menu."
    )
    total = serializers.DecimalField(max_digits=8, decimal_places=2, read_only=True)

    class Meta:
        model = OrderItem
        fields = ["product_id", "product_name", "size", "quantity", "options", "unit_price", "total"]
        read_only_fields = ["product_name", "unit_price"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        # DRF lets a PATCH leave out fields of nested lines too, but lines are replaced whole.
        missing = [name for name in ("product_id", "size", "quantity") if name not in attrs]
        if missing:
            raise serializers.ValidationError({name: ["This field is required."] for name in missing})
        return {"options": [], **attrs}


class OrderPreviewSerializer(serializers.ModelSerializer):
    """An order as it would be: checked and priced."""

    items = OrderItemSerializer(many=True, allow_empty=False, max_length=20)

    class Meta:
        model = Order
        fields = ["customer_name", "items", "total"]
        read_only_fields = ["total"]

    def validate_items(self, lines: Sequence[dict[str, Any]]) -> list[OrderItem]:
        return price_items(lines)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "items" in attrs:
            attrs["total"] = total_of(attrs["items"])
        return attrs


class OrderSerializer(OrderPreviewSerializer):
    """An order with its lines, at the prices of the day it was placed."""

    class Meta:
        model = Order
        fields = ["id", "customer_name", "status", "items", "total", "created_at"]
        read_only_fields = ["status", "total", "created_at"]

    @transaction.atomic
    def create(self, validated_data: dict[str, Any]) -> Order:
        items = validated_data.pop("items")
        order = super().create(validated_data)
        self._add(items, order)
        return order

    @transaction.atomic
    def update(self, instance: Order, validated_data: dict[str, Any]) -> Order:
        items = validated_data.pop("items", None)
        order = super().update(instance, validated_data)
        if items is not None:
            order.items.all().delete()
            self._add(items, order)
        return order

    def _add(self, items: Sequence[OrderItem], order: Order) -> None:
        for item in items:
            item.order = order
        OrderItem.objects.bulk_create(items)
