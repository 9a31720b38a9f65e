"""Rows as awkward as those of real projects."""

from django.conf import settings
from django.db import models


class Person(models.Model):
    email = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        return self.email


class Item(models.Model):
    name = models.CharField(max_length=100)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    active = models.BooleanField(default=True)
    pin = models.CharField(max_length=20, blank=True)
    views = models.IntegerField(default=0)
    changed_at = models.DateTimeField(auto_now=True)
    # The app has no migrations, so its tables are made before those of auth.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+", db_constraint=False
    )
    people = models.ManyToManyField(Person, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"Item\n{self.name}"


class Project(models.Model):
    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=60)
    tenant = models.CharField(max_length=20, default="acme")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title


class Ticket(models.Model):
    class Kind(models.TextChoices):
        BUG = "bug", "A bug"
        WISH = "wish", "A wish"

    project = models.ForeignKey(Project, models.CASCADE, related_name="tickets")
    title = models.CharField(max_length=30)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.BUG)
    weight = models.PositiveSmallIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=6, decimal_places=2, null=True, blank=True)
    due = models.DateField(null=True, blank=True)
    details = models.JSONField(default=dict, blank=True)
    open = models.BooleanField(default=True)
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="children")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+", db_constraint=False
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.title


class Shape(models.Model):
    """A circle has a radius, a box a width and a height."""

    kind = models.CharField(max_length=10)
    radius = models.IntegerField(null=True, blank=True)
    width = models.IntegerField(null=True, blank=True)
    height = models.IntegerField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.kind


class Account(models.Model):
    """Its numbers are longer than those that JavaScript can hold."""

    number = models.BigIntegerField(primary_key=True)
    label = models.CharField(max_length=20, unique=True)
    master = models.ForeignKey("self", models.CASCADE, null=True, blank=True)

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return self.label


class Reading(models.Model):
    """Lives in a database of its own, where the project has one."""

    meter = models.CharField(max_length=20)
    value = models.FloatField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.meter


class Scan(models.Model):
    title = models.CharField(max_length=30)
    public = models.BooleanField(default=True)
    size = models.IntegerField(default=0)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.title
