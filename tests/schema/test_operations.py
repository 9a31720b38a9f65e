import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace

import drf_spectacular
import pytest
from django.contrib.auth.models import Group, User
from django.core.validators import RegexValidator
from django.db.models import TextChoices
from django.test import override_settings
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext_lazy, override
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
)
from jsonschema import Draft202012Validator
from rest_framework import filters, generics, pagination, serializers
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.test import APIRequestFactory
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from django_mcp.decorators import mcp_operation
from django_mcp.schema import operations
from django_mcp.schema.operations import CACHE_SIZE, UNDESCRIBED_BODY, forget, schema_for
from django_mcp.schema.per_user import variant
from django_mcp.types import Argument, Operation
from tests.catalog.hosts import catalog_of, operation_of, schema_of
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
    found = set()
    if isinstance(schema, dict):
        found = set(schema) - ({"properties"} if "properties" in schema else set())
        for key, value in schema.items():
            for part in value.values() if key == "properties" else [value]:
                found |= keywords(part)
    elif isinstance(schema, list):
        for part in schema:
            found |= keywords(part)
    return found


FIELDS = [
    (serializers.CharField(max_length=5), {"type": "string", "maxLength": 5}),
    (serializers.EmailField(), {"type": "string", "format": "email"}),
    (serializers.URLField(), {"type": "string", "format": "uri"}),
    (serializers.SlugField(), {"type": "string"}),
    (serializers.UUIDField(allow_null=True), {"type": ["string", "null"], "format": "uuid"}),
    (serializers.IPAddressField(protocol="ipv4"), {"type": "string", "format": "ipv4"}),
    (serializers.DateField(), {"type": "string", "format": "date"}),
    (serializers.BooleanField(default=True), {"type": "boolean", "default": True}),
    (serializers.IntegerField(min_value=1, max_value=9), {"type": "integer", "minimum": 1, "maximum": 9}),
    (serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1), {"type": "integer"}),
    (serializers.FloatField(min_value=0.5), {"type": "number", "minimum": 0.5}),
    (serializers.FloatField(default=float), {"type": "number"}),
    (serializers.FloatField(default=float("nan")), {"type": "number"}),
    (serializers.DateTimeField(default=timezone.now), {"type": "string", "format": "date-time"}),
    (serializers.JSONField(), {}),
    (serializers.JSONField(allow_null=True), {}),
    (serializers.RegexField(r"^a+$"), {"type": "string", "pattern": "^a+$"}),
    (
        serializers.RegexField(r"^(?P<a>x)\Z"),
        {"type": "string", "description": "Must match the Python regular expression ^(?P<a>x)$"},
    ),
    (serializers.CharField(validators=[RegexValidator("^a", flags=2)]), {"type": "string"}),
    (serializers.CharField(validators=[RegexValidator("^a", inverse_match=True)]), {"type": "string"}),
    (
        serializers.DecimalField(max_digits=6, decimal_places=2, min_value=Decimal("0.5")),
        {
            "type": ["string", "number"],
            "format": "decimal",
            "description": "Decimal number, at most 6 digits, at most 2 after the point, at least 0.5.",
        },
    ),
    (
        serializers.DecimalField(max_digits=None, decimal_places=None, allow_null=True),
        {"type": ["string", "number", "null"], "format": "decimal", "description": "Decimal number."},
    ),
    (serializers.ChoiceField(["a", "b"]), {"type": "string", "enum": ["a", "b"]}),
    (serializers.ChoiceField([1, 2], allow_null=True), {"type": ["integer", "null"], "enum": [1, 2, None]}),
    (serializers.ChoiceField([]), {}),
    (serializers.MultipleChoiceField(choices=["a"]), {"type": "array", "items": {"type": "string", "enum": ["a"]}}),
    (
        serializers.ListField(child=serializers.IntegerField(), min_length=1),
        {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    ),
    (
        serializers.DictField(child=serializers.IntegerField()),
        {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
    ),
    (serializers.DictField(), {"type": "object", "properties": {}, "additionalProperties": True}),
]


@pytest.mark.parametrize(("field", "expected"), FIELDS, ids=lambda value: type(value).__name__)
def test_a_field_becomes_plain_json_schema(field, expected):
    found = input_of(f=field)["properties"]["f"]
    found.pop("minLength", None)
    if "enum" in expected:
        found.pop("description", None)
        found.get("items", {}).pop("description", None)
    if "array" in str(expected.get("type")):
        found["items"].pop("description", None)
    assert found == expected


@pytest.mark.skipif(
    drf_spectacular.__version__ < "0.30", reason="drf-spectacular before 0.30 does not tell that a text may be empty"
)
@pytest.mark.parametrize(
    ("field", "said"),
    [
        (serializers.CharField(allow_blank=True, min_length=2), "May be empty."),
        (serializers.EmailField(allow_blank=True), "Format: email. May be empty."),
    ],
)
def test_a_text_that_may_be_empty_says_so(field, said):
    assert input_of(f=field)["properties"]["f"] == {"type": "string", "description": said}


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_the_hosts_openapi_settings_do_not_matter(split, version):
    from drf_spectacular.settings import spectacular_settings

    def all_of_it():
        class Nested(serializers.Serializer):
            a = serializers.CharField(allow_blank=True, allow_null=True)
            b = serializers.IntegerField(read_only=True)
            c = serializers.CharField(write_only=True)

        made = {f"f{number}": field for number, (field, _expected) in enumerate(FIELDS)}
        made |= {
            "nested": Nested(allow_null=True),
            "many": Nested(many=True, read_only=True),
            "file": serializers.FileField(),
        }
        return described(type("All", (serializers.Serializer,), made))

    usual = all_of_it()
    spectacular_settings.apply_patches({"COMPONENT_SPLIT_REQUEST": split, "OAS_VERSION": version})
    try:
        other = all_of_it()
    finally:
        spectacular_settings.clear_patches()

    def without_lengths(schema):
        if isinstance(schema, dict):
            return {key: without_lengths(value) for key, value in schema.items() if key != "minLength"}
        return [without_lengths(part) for part in schema] if isinstance(schema, list) else schema

    assert without_lengths(other.input) == without_lengths(usual.input)
    assert other.output["properties"].keys() == usual.output["properties"].keys()
    assert other.read_only == usual.read_only
    assert other.sensitive == usual.sensitive


def test_grouped_choices_with_blank_keep_their_labels_and_the_empty_text():
    choices = [("Hot", [("t", "Tea"), ("c", "Coffee")]), ("x", gettext_lazy("Yes"))]
    found = input_of(f=serializers.ChoiceField(choices, allow_blank=True))["properties"]["f"]
    assert found["enum"] == ["t", "c", "x", ""]
    assert "`t` - Tea" in found["description"]
    assert "`x` - Yes" in found["description"]


def test_labels_that_only_repeat_the_values_are_left_out():
    assert "description" not in input_of(f=serializers.ChoiceField(["Tall", "Grande"]))["properties"]["f"]


def test_members_of_enumerations_are_their_values():
    class Size(TextChoices):
        TALL = "tall"

    found = input_of(f=serializers.ChoiceField(Size.choices, default=Size.TALL))["properties"]["f"]
    assert (found["enum"], found["default"]) == (["tall"], "tall")
    assert type(found["default"]) is str


def test_a_choice_that_json_cannot_hold_leaves_the_field_open():
    class Size(Enum):
        TALL = object()

    assert input_of(f=serializers.ChoiceField([(Size.TALL, "Tall")]))["properties"]["f"] == {}


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


def test_a_model_instance_is_no_default():
    field = serializers.PrimaryKeyRelatedField(queryset=User.objects.all(), default=User(), allow_null=True)
    assert "default" not in input_of(f=field)["properties"]["f"]


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


def test_a_view_that_an_extension_describes_is_described_by_it():
    class Foreign(APIView):
        def post(self, request):
            return Response({})

    class Extension(OpenApiViewExtension):
        target_class = Foreign

        def view_replacement(self):
            class Described(self.target_class):
                @extend_schema(request=ItemSerializer, responses=ItemSerializer)
                def post(self, request):
                    return Response({})

            return Described

    try:
        operation = operation_of("POST", path("x/", Foreign.as_view()))
        schema = schema_for(operation, bare_view(operation, SimpleNamespace(pk=1)))
    finally:
        OpenApiViewExtension._registry.remove(Extension)
    assert "name" in schema.input["properties"]
    assert "id" in schema.output["properties"]


def test_a_whole_operation_may_be_given_by_hand():
    raw = {
        "parameters": [{"in": "query", "name": "q", "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/json": {"schema": {"allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "exclusiveMinimum": True, "minimum": 1}}},
            {"type": "object", "properties": {"b": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}, "required": ["b"]},
        ]}}}},
        "responses": {"200": {"content": {"text/csv": {"schema": {"type": "string"}}}}},
    }  # fmt: skip

    class View(APIView):
        @extend_schema(operation=raw)
        def post(self, request):
            return Response({})

    schema = schema_of("POST", path("x/", View.as_view()))
    check(schema)
    assert schema.input == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "exclusiveMinimum": 1},
            "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "q": {"type": "string"},
        },
        "required": ["b"],
        "additionalProperties": False,
    }
    assert schema.output == {"type": "string"}


def test_an_operation_made_by_hand_is_described_by_its_route():
    made = operation_of("PUT", *items())
    by_hand = Operation(**{name: getattr(made, name) for name in Operation.__dataclass_fields__})
    assert schema_for(by_hand).input == schema_for(made).input


def test_what_cannot_be_inspected_at_all_stays_callable():
    class Awkward(APIView):
        def put(self, request, key):
            return Response({})

        def initialize_request(self, request, *args, **kwargs):
            raise LookupError

    schema = schema_of("PUT", path("x/<key>/", Awkward.as_view()))
    assert schema.input["required"] == ["key"]
    assert schema.input["additionalProperties"] is True
    assert schema.output is None


def test_hidden_fields_do_not_exist():
    found = input_of(owner=serializers.HiddenField(default=serializers.CurrentUserDefault()), a=serializers.CharField())
    assert found["properties"].keys() == {"a"}


def test_nested_serializers_are_written_out_each_time():
    class Address(serializers.Serializer):
        """An address."""

        street = serializers.CharField()

    found = input_of(
        home=Address(help_text="Home."), work=Address(required=False, allow_null=True), rest=Address(many=True)
    )
    home = {"type": "object", "description": "Home."}
    assert {key: found["properties"]["home"][key] for key in home} == home
    assert found["properties"]["work"]["type"] == ["object", "null"]
    assert found["properties"]["rest"]["items"]["properties"].keys() == {"street"}
    assert found["properties"]["rest"]["items"]["additionalProperties"] is False
    assert found["required"] == ["home", "rest"]


def test_two_serializers_of_one_name_stay_apart():
    one = type("Line", (serializers.Serializer,), {"a": serializers.CharField()})
    other = type("Line", (serializers.Serializer,), {"b": serializers.CharField()})
    found = input_of(one=one(), other=other())["properties"]
    assert (found["one"]["properties"].keys(), found["other"]["properties"].keys()) == ({"a"}, {"b"})


def test_two_instances_of_one_serializer_may_differ():
    class Dynamic(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()

        def __init__(self, *args, only=None, **kwargs):
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(only or self.fields):
                self.fields.pop(name)

    found = input_of(one=Dynamic(only=["a"]), other=Dynamic())["properties"]
    assert (found["one"]["properties"].keys(), found["other"]["properties"].keys()) == ({"a"}, {"a", "b"})


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

    found = input_of(a=serializers.CharField(), broken=Crashing())
    assert found["properties"]["broken"] == {"type": "object", "properties": {}, "additionalProperties": True}
    assert "a" in found["properties"]


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


class Restock(serializers.Serializer):
    amount = serializers.IntegerField()


class GuessedSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username"]


class Shelf(ModelViewSet):
    queryset = User.objects.all()
    serializer_class = GuessedSerializer

    @action(detail=True, methods=["post"])
    def guess(self, request, pk): ...

    @action(detail=True, methods=["post"], serializer_class=Restock)
    def named(self, request, pk): ...

    @extend_schema(request=Restock)
    @action(detail=True, methods=["post"])
    def declared(self, request, pk): ...

    @action(detail=True, methods=["post"])
    def switched(self, request, pk): ...

    def get_serializer_class(self):
        return Restock if self.action == "switched" else super().get_serializer_class()


def test_an_action_without_a_serializer_of_its_own_takes_what_it_likes():
    schema = shelf("guess")
    assert schema.input["properties"].keys() == {"id"}
    assert schema.input["additionalProperties"] is True
    assert schema.output is None
    assert schema.notes


@pytest.mark.parametrize("name", ["named", "declared", "switched"])
def test_an_action_that_says_what_it_takes_is_described(name):
    assert shelf(name).input["properties"].keys() == {"id", "amount"}


def shelf(action):
    router = SimpleRouter()
    router.register("shelf", Shelf)
    pattern = next(item for item in router.urls if item.name == f"user-{action}")
    return schema_of("POST", pattern)


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
    found = schema.input["properties"]
    assert found.keys() == {"ids", "tags", "must"}
    assert found["ids"] == {"type": "string", "description": "Comma-separated list."}
    assert found["tags"] == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    assert schema.input["required"] == ["must"]


def test_files_are_data_uris():
    class Upload(serializers.Serializer):
        photo = serializers.FileField(allow_null=True, help_text="A photo.")
        pages = serializers.ListField(child=serializers.FileField())
        name = serializers.CharField()

    schema = described(Upload)
    assert {name: place.file for name, place in schema.placement.items()} == {
        "photo": True,
        "pages": True,
        "name": False,
    }
    photo = schema.input["properties"]["photo"]
    assert photo["type"] == ["string", "null"]
    assert photo["description"].startswith("A photo. A file as a data URI")
    assert "format" not in photo
    assert "data URI" not in json.dumps(schema.output)


@pytest.mark.parametrize(("coerced", "kind"), [(True, "string"), (False, "number")])
def test_a_decimal_in_the_answer_is_what_the_host_writes(coerced, kind):
    field = serializers.DecimalField(max_digits=6, decimal_places=2, coerce_to_string=coerced)
    schema = described(type("Made", (serializers.Serializer,), {"f": field}))
    assert schema.output["properties"]["f"]["type"] == kind
    assert schema.input["properties"]["f"]["type"] == ["string", "number"]


def test_raw_schemas_of_the_host_are_cleaned():
    @extend_schema_field({"type": "string", "nullable": True, "example": "x", "x-nullable": True, "xml": {}})
    class Odd(serializers.Field):
        pass

    assert input_of(f=Odd())["properties"]["f"] == {"type": ["string", "null"]}


def test_any_value_stays_any_value():
    @extend_schema_field(OpenApiTypes.ANY)
    class Odd(serializers.Field):
        pass

    assert input_of(f=Odd())["properties"]["f"] == {}


@pytest.mark.django_db
def test_describing_asks_no_database(django_assert_num_queries):
    class Bare(serializers.PrimaryKeyRelatedField):
        def get_queryset(self):
            return Group.objects.all()

    class Related(serializers.Serializer):
        owner = serializers.PrimaryKeyRelatedField(queryset=User.objects.all())
        owners = serializers.PrimaryKeyRelatedField(queryset=User.objects.all(), many=True)
        name = serializers.SlugRelatedField("username", queryset=User.objects.all())
        group = Bare()

    with django_assert_num_queries(0):
        found = described(Related).input["properties"]
        schemas = [schema_for(operation) for operation in catalog_of(*items()).operations]
    assert [found[name]["type"] for name in ("owner", "name", "group")] == ["integer", "string", "integer"]
    assert found["owners"]["items"]["type"] == "integer"
    assert len(schemas) == 6


def test_texts_are_in_the_active_language_and_kept_per_language():
    class Polite(serializers.Serializer):
        f = serializers.ChoiceField(
            [("y", gettext_lazy("Yes"))], help_text=gettext_lazy("No"), label=gettext_lazy("Yes")
        )

    operation = operation_of("POST", path("x/", view_with(Polite).as_view()))
    texts = {}
    for language in ("en", "cs", "en"):
        with override(language):
            texts[language] = json.dumps(schema_for(operation).input, ensure_ascii=False)
    assert "Yes" in texts["en"]
    assert "Ano" in texts["cs"]


def bare_view(operation, user, **kwargs):
    """What gives the operation's view as that user meets it."""
    view = operation.view_class()
    factory = getattr(APIRequestFactory(), operation.method.lower())
    view.request = Request(factory("/"))
    view.request.user = user
    view.args, view.kwargs, view.format_kwarg = (), kwargs, None
    return lambda: view


def test_the_serializer_is_the_callers_own():
    class Basic(serializers.Serializer):
        a = serializers.CharField()

    class Premium(Basic):
        b = serializers.CharField()

    class View(generics.CreateAPIView):
        def get_serializer_class(self):
            return Premium if self.request.user.is_premium else Basic

    operation = operation_of("POST", path("x/", View.as_view()))
    fields = [
        set(schema_for(operation, bare_view(operation, SimpleNamespace(pk=1, is_premium=premium))).input["properties"])
        for premium in (True, False, True)
    ]
    assert fields == [{"a", "b"}, {"a"}, {"a", "b"}]
    assert schema_for(operation).input["additionalProperties"] is True  # nobody's: free-form, with a note


def test_fields_that_depend_on_the_user_are_not_shared():
    class Own(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()

        def get_fields(self):
            fields = super().get_fields()
            if not self.context["request"].user.is_staff:
                del fields["b"]
            return fields

    operation = operation_of("POST", path("x/", view_with(Own).as_view()))
    staff, other = SimpleNamespace(pk=1, is_staff=True), SimpleNamespace(pk=2, is_staff=False)
    assert "b" in schema_for(operation, bare_view(operation, staff)).input["properties"]
    assert "b" not in schema_for(operation, bare_view(operation, other)).input["properties"]


class StaffFields(serializers.Serializer):
    b = serializers.CharField()

    def get_fields(self):
        fields = super().get_fields()
        if not self.context["request"].user.is_staff:
            del fields["b"]
        return fields


class StaffList(serializers.ListSerializer):
    @property
    def fields(self):
        return {}


class StaffListed(serializers.Serializer):
    class Meta:
        list_serializer_class = StaffList


class StaffInside(serializers.Serializer):
    inner = StaffFields()


@pytest.mark.parametrize(
    "field",
    [
        StaffFields(),
        StaffFields(many=True),
        StaffInside(many=True),
        serializers.ListField(child=StaffFields()),
        serializers.DictField(child=StaffInside()),
    ],
)
def test_nested_fields_that_depend_on_the_user_are_not_shared(field):
    outer = type("Outer", (serializers.Serializer,), {"field": field})
    operation = operation_of("POST", path("x/", view_with(outer).as_view()))
    staff, other = SimpleNamespace(pk=1, is_staff=True), SimpleNamespace(pk=2, is_staff=False)
    assert '"b"' in json.dumps(schema_for(operation, bare_view(operation, staff)).input)
    assert '"b"' not in json.dumps(schema_for(operation, bare_view(operation, other)).input)


def test_a_plain_view_that_chooses_its_serializer_is_not_shared():
    class View(APIView):
        def get_serializer_class(self):
            return ItemSerializer if self.request.user.is_staff else Restock

        def post(self, request): ...

    operation = operation_of("POST", path("x/", View.as_view()))
    staff, other = SimpleNamespace(pk=1, is_staff=True), SimpleNamespace(pk=2, is_staff=False)
    assert "name" in schema_for(operation, bare_view(operation, staff)).input["properties"]
    assert "name" not in schema_for(operation, bare_view(operation, other)).input["properties"]


@pytest.mark.parametrize(
    "field", [StaffListed(many=True), type("Chosen", (serializers.ChoiceField,), {"choices": {}})(choices=[])]
)
def test_what_may_depend_on_the_user_has_a_schema_for_each_request(field):
    outer = type("Outer", (serializers.Serializer,), {"field": field})
    operation = operation_of("POST", path("x/", view_with(outer).as_view()))
    view = bare_view(operation, SimpleNamespace(pk=1))
    assert variant(operation, view).personal
    assert schema_for(operation, view) is not schema_for(operation, view)


def test_plain_serializers_within_each_other_are_shared_by_users():
    class Tree(serializers.Serializer):
        items = ItemSerializer(many=True)
        restock = Restock()
        by_name = serializers.DictField(child=Restock())

    operation = operation_of("POST", path("x/", view_with(Tree).as_view()))
    first = schema_for(operation, bare_view(operation, SimpleNamespace(pk=1)))
    assert schema_for(operation, bare_view(operation, SimpleNamespace(pk=2))) is first


class Summed(serializers.Serializer):
    bare = serializers.SerializerMethodField()
    odd = serializers.SerializerMethodField()
    number = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField()
    declared = serializers.SerializerMethodField()

    def get_bare(self, item):
        return {"a": 1}

    def get_odd(self, item) -> SimpleNamespace: ...

    def get_number(self, item) -> int: ...

    def get_text(self, item) -> str: ...

    @extend_schema_field(OpenApiTypes.BOOL)
    def get_declared(self, item): ...


def test_a_computed_field_without_a_hint_gives_anything():
    fields = described(Summed).output["properties"]
    assert fields == {
        "bare": {},
        "odd": {},
        "number": {"type": "integer"},
        "text": {"type": "string"},
        "declared": {"type": "boolean"},
    }


def test_a_field_that_nobody_knows_takes_anything():
    class Point(serializers.Field):
        def to_internal_value(self, data):
            return data

    assert input_of(point=Point(help_text="Where."))["properties"] == {"point": {"description": "Where."}}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (["name", "price"], "One or more of name, -name, price, -price, separated by commas; - is descending."),
        ([("name", "By name")], "One or more of name, -name, separated by commas; - is descending."),
    ],
)
def test_the_fields_to_order_by_are_named_in_both_directions(fields, said):
    assert ordering(fields).endswith(said)


@pytest.mark.parametrize("fields", ["__all__", None, []])
def test_fields_to_order_by_that_are_not_listed_are_not_named(fields):
    assert "One or more" not in ordering(fields)


def ordering(fields):
    view = view_with(
        ItemSerializer, queryset=Item.objects.all(), filter_backends=[filters.OrderingFilter], ordering_fields=fields
    )
    return schema_of("GET", path("x/", view.as_view())).input["properties"]["ordering"]["description"]


def test_a_view_that_needs_its_url_is_described_without():
    class View(generics.CreateAPIView):
        def get_serializer_class(self):
            if getattr(self, "swagger_fake_view", False) or self.kwargs["kind"]:
                return ItemSerializer
            raise LookupError

    operation = operation_of("POST", path("x/<kind>/", View.as_view()))
    schema = schema_for(operation, bare_view(operation, SimpleNamespace(pk=1)))
    assert "name" in schema.input["properties"]


def test_schemas_are_kept_and_the_store_is_bounded():
    forget()
    operation = operation_of("PUT", *items())
    assert schema_for(operation) is schema_for(operation)
    for _number in range(3):
        for one in catalog_of(*items()).operations:
            schema_for(one)
    assert len(operations._cache) <= CACHE_SIZE
    forget()
    assert not operations._cache


def test_a_serializer_that_cannot_be_described_prints_nothing(capsys):
    before = dict(GENERATOR_STATS._warn_cache), dict(GENERATOR_STATS._error_cache), list(GENERATOR_STATS._traces)

    class Odd(serializers.Field):
        pass

    class Made(serializers.Serializer):
        f = Odd()

    assert described(Made).warnings
    assert any(
        "serializer" in said
        for said in schema_of("POST", path("x/<thing>/", api_view(["POST"])(lambda request: None))).warnings
    )
    assert capsys.readouterr() == ("", "")
    after = dict(GENERATOR_STATS._warn_cache), dict(GENERATOR_STATS._error_cache), list(GENERATOR_STATS._traces)
    assert before == after


@pytest.mark.parametrize("default", ["drf_spectacular.openapi.AutoSchema", "rest_framework.schemas.openapi.AutoSchema"])
def test_schemas_are_the_same_whatever_the_default_schema_class(default):
    def build():
        class Some(Items):
            @extend_schema(parameters=[OpenApiParameter("extra", int)], responses={200: ItemSerializer(many=True)})
            def list(self, request):
                return Response([])

        return [
            (one.name, schema_for(one).input, schema_for(one).output) for one in catalog_of(*items(Some)).operations
        ]

    usual = build()
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": default}):
        other = build()
    assert "extra" in str(usual)
    assert [name for name, _input, _output in usual] == [name for name, _input, _output in other]
    assert [(given, taken) for _name, given, taken in usual] == [(given, taken) for _name, given, taken in other]


def test_describing_beside_the_hosts_own_schema_generation_disturbs_neither():
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}):

        class Some(Items):
            @extend_schema(parameters=[OpenApiParameter("extra", int)])
            def list(self, request):
                return Response([])

        patterns = items(Some)
        operations = catalog_of(*patterns).operations
        expected = [schema_for(operation).input for operation in operations]
        host = json.dumps(SchemaGenerator(patterns=patterns).get_schema(public=True), default=str)
        stop, wrong = threading.Event(), []

        def generate():
            while not stop.is_set():
                found = json.dumps(SchemaGenerator(patterns=patterns).get_schema(public=True), default=str)
                if found != host:
                    wrong.append(found)

        thread = threading.Thread(target=generate)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        thread.start()
        try:
            with ThreadPoolExecutor(3) as threads:
                for _round in range(10):
                    forget()
                    assert list(threads.map(lambda one: schema_for(one).input, operations)) == expected
        finally:
            stop.set()
            thread.join()
            sys.setswitchinterval(interval)
    assert wrong == []


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


def test_an_action_for_which_nobody_chose_a_serializer_is_not_described_by_that_of_the_others():
    class Chosen(serializers.Serializer):
        reason = serializers.CharField()

    class Choosing(ModelViewSet):
        queryset = Item.objects.all()

        def get_serializer_class(self):
            return Chosen if self.action == "close" else ItemSerializer

        def get_serializer(self, *args, **kwargs):
            return self.get_serializer_class()(*args, **kwargs)

        @action(detail=True, methods=["post"])
        def close(self, request, pk): ...

        @action(detail=True, methods=["post"])
        def invite(self, request, pk): ...

    def described_of(name):
        return schema_of("POST", path("x/<int:id>/", Choosing.as_view({"post": name})))

    assert described_of("close").input["properties"].keys() == {"id", "reason"}
    assert described_of("invite").input["properties"].keys() == {"id"}
    assert UNDESCRIBED_BODY in described_of("invite").notes
