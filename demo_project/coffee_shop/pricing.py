"""What lines of an order cost, and whether the shop can make them at all. Nothing is written."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rest_framework.exceptions import ValidationError

from demo_project.coffee_shop.models import OrderItem, Product


def price_items(lines: Sequence[Mapping[str, Any]]) -> list[OrderItem]:
    """Return the lines as priced, unsaved order items.

    Raises ValidationError with one object of messages per line, the empty ones included, as nested serializers do.
    """
    products = (
        Product.objects.filter(pk__in={line["product_id"] for line in lines})
        .prefetch_related("sizes", "options")
        .in_bulk()
    )
    errors = [_faults(line, products.get(line["product_id"])) for line in lines]
    if any(errors):
        raise ValidationError(errors)
    return [_priced(line, products[line["product_id"]]) for line in lines]


def total_of(items: Sequence[OrderItem]) -> Decimal:
    return sum((item.total for item in items), Decimal("0.00"))


def _faults(line: Mapping[str, Any], product: Product | None) -> dict[str, list[str]]:
    if product is None:
        return {"product_id": [f"Product {line['product_id']} is not on the menu."]}
    faults = {}
    sizes = [price.size for price in product.sizes.all()]
    if line["size"] not in sizes:
        faults["size"] = [f"{product.name} is not on offer in size {line['size']}, only in: {', '.join(sizes)}."]
    on_offer = [option.name for option in product.options.all()]
    unknown = [name for name in line["options"] if name not in on_offer]
    if unknown:
        choices = ", ".join(on_offer) or "none"
        faults["options"] = [f"{product.name} has no option {name!r}. Its options: {choices}." for name in unknown]
    elif len(set(line["options"])) < len(line["options"]):
        faults["options"] = ["Each option can be chosen once."]
    return faults


def _priced(line: Mapping[str, Any], product: Product) -> OrderItem:
    price = next(price.price for price in product.sizes.all() if price.size == line["size"])
    extras = (option.price for option in product.options.all() if option.name in line["options"])
    return OrderItem(
        product=product,
        product_name=product.name,
        size=line["size"],
        quantity=line["quantity"],
        options=line["options"],
        unit_price=sum(extras, price),
    )
