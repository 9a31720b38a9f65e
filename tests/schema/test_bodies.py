import pytest
from django.urls import path
from drf_spectacular.utils import (
    OpenApiRequest,
    extend_schema,
)
from rest_framework import generics, serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.types import Argument
from tests.catalog.hosts import schema_of
from tests.schema.cases import Items, ItemSerializer, check, described, items


def test_a_body_that_is_an_array_is_the_argument_items():
    class Line(serializers.Serializer):
        a = serializers.IntegerField()
        secret = serializers.CharField(write_only=True)

    class View(APIView):
        @extend_schema(request=Line(many=True, min_length=1, max_length=9), responses=None)
        def post(self, request):
            return Response([])

    schema = schema_of("POST", path("x/", View.as_view()))
    check(schema)
    assert schema.input["required"] == ["items"]
    assert schema.placement["items"] == Argument(location="body", wire="")
    items = schema.input["properties"]["items"]
    assert (items["minItems"], items["maxItems"], items["items"]["required"]) == (1, 9, ["a", "secret"])
    assert schema.sensitive == {"items.secret"}
    assert schema.output is None


def test_a_body_field_called_items_is_itself():
    schema = described(type("Made", (serializers.Serializer,), {"items": serializers.ListField()}))
    assert schema.placement["items"] == Argument(location="body", wire="items")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_view_without_serializer_takes_a_free_form_body(method):
    @api_view([method])
    def view(request, pk):
        return Response({})

    schema = schema_of(method, path("x/<int:pk>/", view))
    assert schema.input["additionalProperties"] is True
    assert schema.input["required"] == ["id"]
    assert schema.placement == {"id": Argument(location="path", wire="id")}
    assert schema.notes


def test_a_view_that_says_it_takes_no_body_takes_none():
    @extend_schema(request=None)
    @api_view(["POST"])
    def view(request):
        return Response({})

    schema = schema_of("POST", path("x/", view))
    assert schema.input == {"type": "object", "properties": {}, "additionalProperties": False}
    assert schema.notes == ()


def test_a_delete_without_words_takes_only_its_path():
    @api_view(["DELETE"])
    def view(request, pk):
        return Response({})

    schema = schema_of("DELETE", path("x/<int:pk>/", view))
    assert schema.input["properties"].keys() == {"id"}
    assert schema.input["additionalProperties"] is False


def test_a_partial_update_requires_the_path_arguments_only():
    class Line(serializers.Serializer):
        a = serializers.IntegerField()

    class Nested(ItemSerializer):
        lines = Line(many=True)

        class Meta(ItemSerializer.Meta):
            fields = [*ItemSerializer.Meta.fields, "lines"]

    viewset = type("Some", (Items,), {"serializer_class": Nested})
    patch, put = schema_of("PATCH", *items(viewset)), schema_of("PUT", *items(viewset))
    assert patch.input["required"] == ["id"]
    assert "required" not in patch.input["properties"]["lines"]["items"]
    assert {"id", "name", "lines"} <= set(put.input["required"])


class Order(serializers.Serializer):
    email = serializers.CharField()
    positions = serializers.ListField(read_only=True)


def order_created(**attributes):
    view = type("Orders", (generics.CreateAPIView,), {"serializer_class": Order, **attributes})
    return schema_of("POST", path("orders/", view.as_view()))


def test_a_read_only_field_is_the_serializers_to_ignore_where_nobody_else_reads_the_body():
    schema = order_created(perform_create=lambda self, serializer: None)
    assert (schema.read_only, schema.lenient) == ({"positions"}, frozenset())


@pytest.mark.parametrize("name", ["create", "post"])
def test_a_read_only_field_may_be_what_a_handler_of_the_hosts_own_reads(name):
    schema = order_created(**{name: lambda self, request: Response(request.data)})
    assert (schema.read_only, schema.lenient) == (frozenset(), {"positions"})
    assert schema.input["properties"].keys() == {"email"}


class Line(serializers.Serializer):
    a = serializers.IntegerField()


def deletion(request):
    class View(generics.DestroyAPIView):
        serializer_class = Line

        @extend_schema(request=request)
        def delete(self, request):
            return Response(status=204)

    return schema_of("DELETE", path("x/", View.as_view()))


@pytest.mark.parametrize(
    "request_", [Line, {"application/json": Line}, OpenApiRequest(Line), {"application/json": OpenApiRequest(Line)}]
)
def test_a_deletion_has_the_body_that_is_declared_for_it(request_):
    schema = deletion(request_)
    assert schema.input["properties"] == {"a": {"type": "integer"}}
    assert schema.input["required"] == ["a"]
    assert schema.placement["a"].location == "body"


def test_a_deletion_of_several_takes_a_list():
    schema = deletion(Line(many=True))
    assert schema.input["properties"]["items"]["items"]["properties"] == {"a": {"type": "integer"}}
    assert schema.placement["items"].wire == ""


def test_a_deletion_without_a_declared_body_takes_nothing():
    assert deletion(None).input["properties"] == {}
    view = type("View", (generics.DestroyAPIView,), {"serializer_class": Line})
    schema = schema_of("DELETE", path("x/", view.as_view()))
    assert (schema.input["properties"], schema.input["additionalProperties"]) == ({}, False)
