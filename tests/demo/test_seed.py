from django.contrib.auth.models import User
from django.core.management import call_command

from demo_project.coffee_shop.models import Option, Order, OrderItem, Price, Product


def counts():
    return [model.objects.count() for model in (User, Option, Product, Price, Order, OrderItem)]


def test_seeding_twice_changes_nothing(shop):
    before = counts()
    call_command("seed")
    assert counts() == before


def test_seeding_keeps_what_was_changed_by_hand(shop):
    Product.objects.filter(pk=7).update(name="Barista Oat Latte")
    Order.objects.filter(pk=1001).delete()
    call_command("seed")
    assert Product.objects.get(pk=7).name == "Barista Oat Latte"
    assert not Order.objects.filter(pk=1001).exists()


def test_seeded_users_log_in_with_their_names(client, shop):
    assert all(client.login(username=name, password=name) for name in ("admin", "sam", "kim"))


def test_only_admin_is_staff(shop):
    assert [user.username for user in User.objects.filter(is_staff=True)] == ["admin"]


def test_past_orders_are_kims_and_closed(shop):
    orders = Order.objects.filter(pk__range=(1001, 1041))
    assert orders.count() == 41
    assert {order.user.username for order in orders.select_related("user")} == {"kim"}
    assert not any(order.is_open for order in orders)


def test_the_total_of_a_past_order_is_that_of_its_lines(shop):
    for order in Order.objects.prefetch_related("items"):
        assert order.total == sum(item.total for item in order.items.all())
