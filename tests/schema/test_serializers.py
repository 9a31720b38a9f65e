from django.urls import path
from drf_spectacular.utils import (
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework import pagination, serializers
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from tests.catalog.hosts import schema_of
from tests.host.models import Item
from tests.schema.cases import check, described, input_of


def test_nested_serializers_are_written_out_each_time():
    class Address(serializers.Serializer):
        """An address."""

        street = serializers.CharField()

    schema = input_of(
        home=Address(help_text="Home."), work=Address(required=False, allow_null=True), rest=Address(many=True)
    )
    home = {"type": "object", "description": "Home."}
    assert {key: schema["properties"]["home"][key] for key in home} == home
    assert schema["properties"]["work"]["type"] == ["object", "null"]
    assert schema["properties"]["rest"]["items"]["properties"].keys() == {"street"}
    assert schema["properties"]["rest"]["items"]["additionalProperties"] is False
    assert schema["required"] == ["home", "rest"]


def test_two_serializers_of_one_name_stay_apart():
    one = type("Line", (serializers.Serializer,), {"a": serializers.CharField()})
    other = type("Line", (serializers.Serializer,), {"b": serializers.CharField()})
    properties = input_of(one=one(), other=other())["properties"]
    assert (properties["one"]["properties"].keys(), properties["other"]["properties"].keys()) == ({"a"}, {"b"})


def test_two_instances_of_one_serializer_may_differ():
    class Dynamic(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()

        def __init__(self, *args, only=None, **kwargs):
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(only or self.fields):
                self.fields.pop(name)

    properties = input_of(one=Dynamic(only=["a"]), other=Dynamic())["properties"]
    assert (properties["one"]["properties"].keys(), properties["other"]["properties"].keys()) == ({"a"}, {"a", "b"})


class Category(serializers.Serializer):
    name = serializers.CharField()

    def get_fields(self):
        return {
            **super().get_fields(),
            "children": Category(many=True, required=False),
            "parent": Category(required=False),
        }


def test_a_recursion_ends_in_a_free_form_object_with_a_note():
    schema = described(Category)
    assert schema.input["properties"]["parent"]["additionalProperties"] is True
    assert schema.input["properties"]["children"]["items"]["additionalProperties"] is True
    assert schema.notes


def test_an_endless_serializer_degrades_alone():
    def deeper(depth):
        def get_fields(self):
            return {"a": serializers.CharField(), "next": deeper(depth + 1)()}

        return type(f"Deep{depth}", (serializers.Serializer,), {"get_fields": get_fields})

    assert described(deeper(0)).input["properties"].keys() == {"a", "next"}


def test_a_crashing_serializer_degrades_alone():
    class Crashing(serializers.Serializer):
        def get_fields(self):
            msg = "secret DSN"
            raise LookupError(msg)

    schema = described(Crashing)
    assert schema.input["additionalProperties"] is True
    assert schema.notes
    assert "secret" not in str(schema)


def test_a_crashing_nested_serializer_leaves_the_rest_described():
    class Crashing(serializers.Serializer):
        def get_fields(self):
            raise LookupError

    schema = input_of(a=serializers.CharField(), broken=Crashing())
    assert schema["properties"]["broken"] == {"type": "object", "properties": {}, "additionalProperties": True}
    assert "a" in schema["properties"]


def test_a_polymorphic_body_is_one_object_with_the_fields_of_all():
    class Cat(serializers.Serializer):
        name = serializers.CharField()
        lives = serializers.IntegerField()

    class Dog(serializers.Serializer):
        name = serializers.CharField()
        tricks = serializers.ListField(child=serializers.CharField())

    proxy = PolymorphicProxySerializer("Pet", {"cat": Cat, "dog": Dog}, resource_type_field_name="kind")

    class View(APIView):
        @extend_schema(request=proxy, responses=proxy)
        def post(self, request):
            return Response({})

    schema = schema_of("POST", path("x/", View.as_view()))
    check(schema)
    assert schema.input["properties"].keys() == {"name", "lives", "tricks", "kind"}
    assert schema.input["properties"]["kind"]["enum"] == ["cat", "dog"]
    assert set(schema.input["required"]) == {"name", "kind"}
    nested = input_of(pet=proxy)["properties"]["pet"]
    assert [variant["properties"]["kind"]["enum"] for variant in nested["anyOf"]] == [["cat"], ["dog"]]


def test_a_serializer_that_needs_what_only_the_url_tells_is_described_by_what_it_declares():
    class Seat(serializers.ModelSerializer):
        class Meta:
            model = Item
            fields = ["name", "owner"]

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.fields["owner"].queryset = self.context["event"].owners

    class Seats(ModelViewSet):
        queryset = Item.objects.all()
        serializer_class = Seat
        pagination_class = pagination.LimitOffsetPagination

    routed = path("seats/", Seats.as_view({"get": "list", "post": "create"}))
    assert schema_of("POST", routed).input["properties"].keys() == {"name", "owner"}
    rows = schema_of("GET", routed).output["properties"]["results"]
    assert rows["items"]["properties"].keys() == {"name", "owner"}
    assert any("'event'" in message for message in schema_of("POST", routed).warnings)
