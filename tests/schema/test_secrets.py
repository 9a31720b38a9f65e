import pytest
from django.urls import path
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import schema_of
from tests.host import schemas
from tests.schema.cases import Items, Pin, described, posting, view_with


def test_read_only_fields_are_no_inputs_and_write_only_fields_no_outputs():
    class Account(serializers.Serializer):
        id = serializers.IntegerField(read_only=True)
        password = serializers.CharField(write_only=True)
        pin = serializers.CharField(style={"input_type": "password"})
        level = serializers.IntegerField(default=3)

    schema = described(Account)
    assert schema.input["properties"].keys() == {"password", "pin", "level"}
    assert schema.input["required"] == ["password", "pin"]
    assert schema.input["additionalProperties"] is False
    assert schema.output["properties"].keys() == {"id", "pin", "level"}
    assert "password" not in schema.output["required"]
    assert schema.read_only == {"id"}
    assert schema.sensitive == {"password", "pin"}


def test_sensitive_paths_reach_into_lists_and_objects_and_take_the_declared_ones():
    class Card(serializers.Serializer):
        number = serializers.CharField(write_only=True)

    class Order(serializers.Serializer):
        cards = Card(many=True)
        card = Card()

    view = mcp_operation(sensitive_fields=["note"])(view_with(Order))
    assert schema_of("POST", path("x/", view.as_view())).sensitive == {"cards.number", "card.number", "note"}


def test_a_password_that_may_be_empty_is_sensitive_all_the_same():
    field = serializers.CharField(style={"input_type": "password"}, allow_blank=True, min_length=4)
    assert described(type("Made", (serializers.Serializer,), {"pin": field})).sensitive == {"pin"}


@pytest.mark.parametrize("cls", ["HandwrittenSchema", "AloneSchema", "MalformedSchema"])
def test_a_secret_stays_one_whatever_a_schema_class_makes_of_the_body(cls):
    schema = schema_of("POST", posting(Pin, schema=getattr(schemas, cls)()))
    assert schema.sensitive == {"pin"}
    assert "pin" in schema.input["properties"]


def test_a_secret_of_a_row_is_one_in_its_actions_that_nobody_described():
    class Pins(Items):
        serializer_class = Pin

        @action(detail=True, methods=["post"])
        def change(self, request, pk):
            return Response()

    schema = schema_of("POST", path("x/<int:pk>/", Pins.as_view({"post": "change"})))
    assert schema.input["additionalProperties"] is True
    assert schema.sensitive == {"pin"}


class Shy(Pin):
    """Cannot be described without URL arguments."""

    class Meta:
        extra_kwargs = {"code": {"write_only": True}, "note": {"required": False}, "odd": None}

    def get_fields(self):
        raise KeyError("project")


@pytest.mark.parametrize(
    ("serializer", "secret"),
    [
        (Shy, {"pin", "code"}),
        (type("Outer", (serializers.Serializer,), {"inner": Shy(many=True)}), {"inner.pin", "inner.code"}),
        (type("Both", (Shy,), {"inner": serializers.ListField(child=Pin())}), {"pin", "code", "inner.pin"}),
    ],
)
def test_the_declared_secrets_of_a_serializer_that_cannot_be_described_are_secret(serializer, secret):
    schema = schema_of("POST", posting(serializer))
    assert schema.sensitive == secret
