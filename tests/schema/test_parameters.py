import pytest
from django.urls import path
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
)
from rest_framework import filters, serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.schema.operations import schema_for
from django_mcp.types import Argument
from tests.catalog.hosts import catalog_of, schema_of
from tests.host.models import Item
from tests.schema.cases import Items, ItemSerializer, check, items, view_with


def test_the_version_in_the_path_is_an_argument_with_the_versions_to_choose_from():
    class Versioned(URLPathVersioning):
        default_version = "v1"
        allowed_versions = ["v1", "v2"]

    class View(APIView):
        versioning_class = Versioned

        @extend_schema(parameters=[OpenApiParameter("one", int)], versions=["v1"])
        def get(self, request, version):
            return Response({})

    schema = schema_of("GET", path("<version>/x/", View.as_view()))
    check(schema)
    assert schema.input["properties"]["version"]["enum"] == ["v1", "v2"]
    assert schema.input["required"] == ["version"]
    assert "one" in schema.input["properties"]


def test_a_plain_view_may_read_any_option_unless_it_says_which():
    @api_view(["GET"])
    def view(request, pk):
        return Response({})

    schema = schema_of("GET", path("x/<int:pk>/", view))
    assert schema.input["additionalProperties"] is True
    assert "days" not in schema.placement
    assert schema.notes

    described = extend_schema(parameters=[OpenApiParameter("days", int)])(view)
    schema = schema_of("GET", path("x/<int:pk>/", described))
    assert schema.input["properties"].keys() == {"id", "days"}
    assert schema.input["additionalProperties"] is False


def test_filters_search_ordering_and_pagination_are_query_arguments():
    operation = catalog_of(*items()).get("item_list")
    schema = schema_for(operation)
    check(schema)
    assert schema.input["properties"].keys() == {"limit", "offset", "search", "ordering"}
    assert {argument.location for argument in schema.placement.values()} == {"query"}
    assert schema.output["properties"]["results"]["items"]["properties"].keys() == {
        "id",
        "name",
        "price",
        "owner",
        "people",
    }


def test_a_broken_filter_leaves_the_rest_described():
    class Broken(filters.BaseFilterBackend):
        def get_schema_operation_parameters(self, view):
            raise LookupError

    viewset = type("Some", (Items,), {"filter_backends": [Broken]})
    schema = schema_for(catalog_of(*items(viewset)).get("item_list"))
    assert schema.input["properties"].keys() == {"limit", "offset"}
    assert any("filters" in note for note in schema.notes)


def test_the_type_of_a_path_argument_is_that_of_the_key():
    schema = schema_of("PUT", *items())
    assert schema.input["properties"]["id"]["type"] == "integer"
    assert schema.placement["id"] == Argument(location="path", wire="id")
    assert schema.route == "/items/{id}/"


def test_a_converter_gives_a_path_argument_its_type():
    @api_view(["GET"])
    def view(request, number, key, name):
        return Response({})

    properties = schema_of("GET", path("x/<int:number>/<uuid:key>/<name>/", view)).input["properties"]
    assert [properties[name]["type"] for name in ("number", "key", "name")] == ["integer", "string", "string"]
    assert properties["key"]["format"] == "uuid"


def test_on_a_clash_the_body_keeps_the_name():
    class Clash(serializers.Serializer):
        id = serializers.IntegerField()
        path_id = serializers.IntegerField()
        page = serializers.CharField()

    class View(APIView):
        @extend_schema(request=Clash, parameters=[OpenApiParameter("page", int), OpenApiParameter("id", int)])
        def put(self, request, id):
            return Response({})

    schema = schema_of("PUT", path("x/<int:id>/", View.as_view()))
    check(schema)
    assert {name: (place.location, place.wire) for name, place in schema.placement.items()} == {
        "id": ("body", "id"),
        "path_id": ("body", "path_id"),
        "page": ("body", "page"),
        "path_path_id": ("path", "id"),
        "query_page": ("query", "page"),
        "query_id": ("query", "id"),
    }
    assert schema.route == "/x/{path_path_id}/"
    assert "path_path_id" in schema.input["required"]


def test_headers_are_no_arguments_and_comma_lists_are_text():
    class View(APIView):
        @extend_schema(
            parameters=[
                OpenApiParameter("X-Trace", str, OpenApiParameter.HEADER),
                OpenApiParameter("ids", int, many=True, explode=False),
                OpenApiParameter("tags", str, many=True, enum=["b", "a"]),
                OpenApiParameter("must", bool, required=True),
            ]
        )
        def get(self, request):
            return Response({})

    schema = schema_of("GET", path("x/", View.as_view()))
    check(schema)
    properties = schema.input["properties"]
    assert properties.keys() == {"ids", "tags", "must"}
    assert properties["ids"] == {"type": "string", "description": "Comma-separated list."}
    assert properties["tags"] == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    assert schema.input["required"] == ["must"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (["name", "price"], "One or more of name, -name, price, -price, separated by commas; - is descending."),
        ([("name", "By name")], "One or more of name, -name, separated by commas; - is descending."),
    ],
)
def test_the_fields_to_order_by_are_named_in_both_directions(fields, sentence):
    assert ordering(fields).endswith(sentence)


@pytest.mark.parametrize("fields", ["__all__", None, []])
def test_fields_to_order_by_that_are_not_listed_are_not_named(fields):
    assert "One or more" not in ordering(fields)


def ordering(fields):
    view = view_with(
        ItemSerializer, queryset=Item.objects.all(), filter_backends=[filters.OrderingFilter], ordering_fields=fields
    )
    return schema_of("GET", path("x/", view.as_view())).input["properties"]["ordering"]["description"]
