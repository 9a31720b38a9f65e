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
