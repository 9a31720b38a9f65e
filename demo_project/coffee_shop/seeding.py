"""The demo's data. Seeding twice changes nothing, and nothing that exists is overwritten."""

from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.utils import timezone

from demo_project.coffee_shop.models import Option, Order, OrderItem, Price, Product, Size
from demo_project.coffee_shop.pricing import price_items, total_of

USERS = ["admin", "sam", "kim"]
PAST_ORDERS = range(1001, 1042)

OPTIONS = {
    "Decaf": "0.00",
    "Extra Shot": "0.90",
    "Oat Milk": "0.60",
    "Vanilla Syrup": "0.50",
    "Caramel Syrup": "0.50",
    "Whipped Cream": "0.70",
    "Lemon": "0.00",
    "Warmed Up": "0.00",
    "Butter": "0.40",
}
COFFEE = ["Decaf", "Extra Shot", "Oat Milk", "Vanilla Syrup", "Caramel Syrup", "Whipped Cream"]
TEA = ["Oat Milk", "Vanilla Syrup", "Lemon"]
BAKERY = ["Warmed Up", "Butter"]
CHOICES = {Product.Category.COFFEE: COFFEE, Product.Category.TEA: TEA, Product.Category.BAKERY: BAKERY}

# In the order of their ids, which start at 1: name, description, category, prices from the smallest size up.
MENU = [
    ("Espresso", "Short and strong.", Product.Category.COFFEE, ["2.60", "3.10", "3.60"]),
    ("Americano", "Espresso and hot water.", Product.Category.COFFEE, ["3.20", "3.70", "4.20"]),
    ("Cappuccino", "Espresso, steamed milk and foam.", Product.Category.COFFEE, ["3.90", "4.50", "5.10"]),
    ("Caffè Latte", "Espresso and steamed milk.", Product.Category.COFFEE, ["4.10", "4.70", "5.30"]),
    ("Flat White", "Two ristretto shots and silky milk.", Product.Category.COFFEE, ["4.20", "4.80", "5.40"]),
    ("Mocha", "Espresso, chocolate and steamed milk.", Product.Category.COFFEE, ["4.60", "5.20", "5.80"]),
    ("Oat Milk Latte", "Espresso and steamed oat milk.", Product.Category.COFFEE, ["4.90", "5.50", "6.10"]),
    ("Cold Brew", "Steeped for 18 hours, over ice.", Product.Category.COFFEE, ["4.30", "4.90", "5.50"]),
    ("Chai Latte", "Spiced black tea and steamed milk.", Product.Category.TEA, ["4.20", "4.80", "5.40"]),
    ("Green Tea", "Sencha.", Product.Category.TEA, ["3.10", "3.50", "3.90"]),
    ("Butter Croissant", "Baked this morning.", Product.Category.BAKERY, ["2.90"]),
    ("Blueberry Muffin", "With real blueberries.", Product.Category.BAKERY, ["3.40"]),
]


@transaction.atomic
def seed() -> None:
    _users()
    if not Product.objects.exists():
        _menu()
        _reset_sequences(Product)
    if not Order.objects.filter(pk__in=PAST_ORDERS).exists():
        _past_orders(User.objects.get(username="kim"))
        _reset_sequences(Order)


def _users() -> None:
    for name in USERS:
        if not User.objects.filter(username=name).exists():
            create = User.objects.create_superuser if name == "admin" else User.objects.create_user
            create(name, f"{name}@example.com", name)


def _menu() -> None:
    options = {
        name: Option.objects.get_or_create(name=name, defaults={"price": price})[0] for name, price in OPTIONS.items()
    }
    for number, (name, description, category, prices) in enumerate(MENU, start=1):
        product = Product.objects.create(pk=number, name=name, description=description, category=category)
        product.options.set(options[choice] for choice in CHOICES[category])
        sizes = [Size.REGULAR] if category == Product.Category.BAKERY else [Size.TALL, Size.GRANDE, Size.VENTI]
        Price.objects.bulk_create(
            Price(product=product, size=size, price=Decimal(price)) for size, price in zip(sizes, prices, strict=True)
        )


def _past_orders(user: User) -> None:
    now = timezone.now()
    for number in PAST_ORDERS:
        line = {"product_id": 1 + number % 10, "size": Size.GRANDE, "quantity": 1 + number % 3, "options": []}
        items = price_items([line])
        order = Order.objects.create(
            pk=number,
            user=user,
            customer_name="Kim",
            status=Order.Status.CANCELLED if number % 10 == 0 else Order.Status.COLLECTED,
            total=total_of(items),
            created_at=now - timedelta(days=PAST_ORDERS.stop - number),
        )
        for item in items:
            item.order = order
        OrderItem.objects.bulk_create(items)


def _reset_sequences(model: type[models.Model]) -> None:
    """Let the next row follow the ones with explicit ids. SQLite and MySQL do so by themselves and name no SQL."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
