"""Schemas of operations made on the spot, and an API of items."""

import json

from django.urls import path
from jsonschema import Draft202012Validator
from rest_framework import filters, generics, pagination, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.test import APIRequestFactory
from rest_framework.viewsets import ModelViewSet

from tests.catalog.hosts import schema_of
from tests.host.models import Item


def view_with(serializer, **attributes):
    base = generics.CreateAPIView if "queryset" not in attributes else generics.ListCreateAPIView
    return type("View", (base,), {"serializer_class": serializer, "__module__": __name__, **attributes})


def input_of(**fields):
    """The input schema for one serializer with these fields."""
    serializer = type("Made", (serializers.Serializer,), fields)
    return described(serializer).input


def described(serializer, method="POST", **attributes):
    schema = schema_of(method, path("x/", view_with(serializer, **attributes).as_view()))
    check(schema)
    return schema


def check(schema):
    for part in (schema.input, schema.output):
        if part is not None:
            text = json.dumps(part, allow_nan=False)
            Draft202012Validator.check_schema(part)
            assert "$ref" not in text
            assert "x-" not in text.replace("x-y", "")
            assert not {"nullable", "readOnly", "writeOnly", "discriminator"} & keywords(part)
            assert not {"anyOf", "oneOf", "allOf"} & part.keys()
    assert schema.input["type"] == "object"
    assert schema.input["properties"].keys() == set(schema.placement)


def keywords(schema):
    names = set()
    if isinstance(schema, dict):
        names = set(schema) - ({"properties"} if "properties" in schema else set())
        for key, value in schema.items():
            for part in value.values() if key == "properties" else [value]:
                names |= keywords(part)
    elif isinstance(schema, list):
        for part in schema:
            names |= keywords(part)
    return names


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["id", "name", "price", "owner", "people"]


class Items(ModelViewSet):
    queryset = Item.objects.all()
    serializer_class = ItemSerializer
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    search_fields = ["name"]
    pagination_class = pagination.LimitOffsetPagination


def items(viewset=Items):
    router = SimpleRouter()
    router.register("items", viewset, basename="item")
    return router.urls


class Restock(serializers.Serializer):
    amount = serializers.IntegerField()


def view_as(operation, user, **kwargs):
    """Return a function that returns the operation's view with a request of that user."""
    view = operation.view_class()
    factory = getattr(APIRequestFactory(), operation.method.lower())
    view.request = Request(factory("/"))
    view.request.user = user
    view.args, view.kwargs, view.format_kwarg = (), kwargs, None
    return lambda: view


class Pin(serializers.Serializer):
    pin = serializers.CharField(write_only=True)
    note = serializers.CharField(required=False)


def posting(serializer, **attributes):
    attributes = {"serializer_class": serializer, "post": lambda view, request: Response(), **attributes}
    return path("x/", type("View", (generics.GenericAPIView,), attributes).as_view())
