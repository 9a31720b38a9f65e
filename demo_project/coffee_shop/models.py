"""The coffee shop: a menu, and orders whose lines keep the names and prices of the day they were placed."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Size(models.TextChoices):
    TALL = "Tall", _("Tall")
    GRANDE = "Grande", _("Grande")
    VENTI = "Venti", _("Venti")
    REGULAR = "Regular", _("Regular")


class Option(models.Model):
    name = models.CharField(_("name"), max_length=40, unique=True)
    price = models.DecimalField(_("extra price"), max_digits=6, decimal_places=2)

    class Meta:
        ordering = ["name"]
        verbose_name = _("option")
        verbose_name_plural = _("options")

    def __str__(self) -> str:
        return self.name


class Product(models.Model):
    class Category(models.TextChoices):
        COFFEE = "coffee", _("Coffee")
        TEA = "tea", _("Tea")
        BAKERY = "bakery", _("Bakery")

    name = models.CharField(_("name"), max_length=80, unique=True)
    description = models.CharField(_("description"), max_length=200)
    category = models.CharField(_("category"), max_length=10, choices=Category.choices)
    options = models.ManyToManyField(Option, verbose_name=_("options"), blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name = _("product")
        verbose_name_plural = _("products")

    def __str__(self) -> str:
        return self.name


class Price(models.Model):
    product = models.ForeignKey(Product, models.CASCADE, related_name="sizes", verbose_name=_("product"))
    size = models.CharField(_("size"), max_length=10, choices=Size.choices)
    price = models.DecimalField(_("price"), max_digits=6, decimal_places=2)

    class Meta:
        ordering = ["price"]
        constraints = [models.UniqueConstraint(fields=["product", "size"], name="one_price_per_size")]
        verbose_name = _("price")
        verbose_name_plural = _("prices")

    def __str__(self) -> str:
        return f"{self.size}: {self.price}"


class Order(models.Model):
    class Status(models.TextChoices):
        PLACED = "placed", _("placed")
        PREPARED = "prepared", _("prepared")
        COLLECTED = "collected", _("collected")
        CANCELLED = "cancelled", _("cancelled")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="coffee_orders", verbose_name=_("user")
    )
    customer_name = models.CharField(_("customer name"), max_length=80)
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.PLACED)
    total = models.DecimalField(_("total"), max_digits=8, decimal_places=2)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "-id"], name="orders_of_a_user")]
        verbose_name = _("order")
        verbose_name_plural = _("orders")

    def __str__(self) -> str:
        return f"{self.pk}: {self.customer_name}"

    @property
    def is_open(self) -> bool:
        """Tell whether it can still be changed: from the counter on it cannot."""
        return self.status == self.Status.PLACED


class OrderItem(models.Model):
    order = models.ForeignKey(Order, models.CASCADE, related_name="items", verbose_name=_("order"))
    product = models.ForeignKey(Product, models.PROTECT, related_name="+", verbose_name=_("product"))
    product_name = models.CharField(_("product name"), max_length=80)
    size = models.CharField(_("size"), max_length=10, choices=Size.choices)
    quantity = models.PositiveSmallIntegerField(_("quantity"))
    options = models.JSONField(_("options"), default=list, blank=True)
    unit_price = models.DecimalField(_("unit price"), max_digits=6, decimal_places=2)

    class Meta:
        ordering = ["id"]
        verbose_name = _("order item")
        verbose_name_plural = _("order items")

    def __str__(self) -> str:
        return f"{self.quantity} x {self.size} {self.product_name}"

    @property
    def total(self) -> Decimal:
        return self.unit_price * self.quantity
