"""Operations that fail after they wrote, in a transaction or outside, and operations that take their time."""

import os
import time
from pathlib import Path

from django.db import transaction
from django.utils.decorators import method_decorator
from rest_framework import generics
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated

from demo_project.coffee_shop.models import Order
from demo_project.coffee_shop.serializers import OrderSerializer
from django_mcp.decorators import mcp_operation
from tests.faults import witness

INNER_TEXT = "Column sam_secret_plan does not exist"


class Place(generics.CreateAPIView):
    queryset = Order.objects.all()
    serializer_class = OrderSerializer
    permission_classes = [IsAuthenticated]

    def perform_create(self, serializer):
        serializer.save(user=self.request.user)
        self.after()

    def after(self):
        raise NotImplementedError


@mcp_operation(group="faults", name="PlaceThenRaise")
class PlaceThenRaise(Place):
    def after(self):
        raise RuntimeError(INNER_TEXT)


@mcp_operation(group="faults", name="PlaceThenRefuse")
class PlaceThenRefuse(Place):
    def after(self):
        raise ValidationError({"customer_name": ["Not today."]})


@mcp_operation(group="faults", name="PlaceThenRaiseOutside")
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class PlaceThenRaiseOutside(PlaceThenRaise):
    """Fails without a transaction to undo."""


@mcp_operation(group="faults", name="PlaceSlowly")
class PlaceSlowly(Place):
    """Says which process it runs in, then waits until it may go on."""

    def after(self):
        directory = Path(os.environ["FAULT_DIRECTORY"])
        (directory / "running").write_text(str(os.getpid()))
        deadline = time.monotonic() + 60
        while not (directory / "go").exists() and time.monotonic() < deadline:
            time.sleep(0.02)


@mcp_operation(group="faults", name="PlaceSlowlyOutside")
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class PlaceSlowlyOutside(PlaceSlowly):
    """The same without a transaction."""


@mcp_operation(group="faults", name="PlaceWitnessed")
class PlaceWitnessed(Place):
    """Each execution is counted, whatever becomes of its transaction."""

    def perform_create(self, serializer):
        witness.testify(serializer.validated_data["customer_name"])
        serializer.save(user=self.request.user)


@mcp_operation(group="faults", name="AmendWitnessed")
class AmendWitnessed(generics.UpdateAPIView):
    """The same for a change of a row."""

    http_method_names = ["patch"]
    queryset = Order.objects.all()
    serializer_class = OrderSerializer
    permission_classes = [IsAuthenticated]

    def perform_update(self, serializer):
        witness.testify(serializer.validated_data["customer_name"])
        serializer.save()
