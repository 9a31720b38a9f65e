"""What the host reads by code of its own, or describes by hand, is not bound by its description."""

import pytest
from django.urls import path
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.catalog.hosts import schema_of
from tests.schema.cases import Items, described


class Plain(serializers.Serializer):
    id = serializers.IntegerField()


class Massaging(Plain):
    def to_internal_value(self, data):
        return super().to_internal_value(data if isinstance(data, dict) else {"id": data})


class Looking(serializers.PrimaryKeyRelatedField):
    def to_internal_value(self, data):
        return data


@extend_schema_field(Plain)
class ByHand(serializers.JSONField):
    pass


class Foreign(Plain):
    pass


class ForeignExtension(OpenApiSerializerExtension):
    target_class = Foreign

    def map_serializer(self, auto_schema, direction):
        return {"type": "object", "properties": {"id": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("field", "lenient"),
    [
        (Plain(), False),
        (Plain(many=True), False),
        (serializers.DictField(child=serializers.IntegerField()), False),
        (Massaging(), True),
        (Massaging(many=True), True),
        (serializers.ListField(child=Massaging()), True),
        (Looking(queryset=Items.queryset), True),
        (Looking(queryset=Items.queryset, many=True), True),
        (ByHand(), True),
        (Foreign(), True),
    ],
)
def test_a_field_that_the_host_reads_by_its_own_code_or_describes_by_hand_is_lenient(field, lenient):
    schema = described(type("Made", (serializers.Serializer,), {"f": field}))
    assert schema.lenient == ({"f"} if lenient else set())
    part = schema.input["properties"]["f"]
    part = part.get("items", part)
    if part.get("properties"):
        assert part.get("additionalProperties", True) is lenient


def test_lenient_paths_reach_into_objects_and_into_a_body_that_is_a_list():
    outer = type("Outer", (serializers.Serializer,), {"inner": Massaging()})
    assert described(type("Made", (serializers.Serializer,), {"outer": outer(many=True)})).lenient == {"outer.inner"}

    class View(APIView):
        @extend_schema(request=Massaging(many=True))
        def post(self, request):
            return Response()

    assert schema_of("POST", path("x/", View.as_view())).lenient == {"items"}
