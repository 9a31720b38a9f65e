"""What the host says of its API by hand or by code of its own is honoured, and what is too long to be told is not."""

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.urls import include, path, re_path
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import OpenApiRequest, PolymorphicProxySerializer, extend_schema, extend_schema_field
from drf_spectacular.views import SpectacularAPIView, SpectacularJSONAPIView, SpectacularSwaggerView
from jsonschema import Draft202012Validator
from rest_framework import generics, serializers
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.test import force_authenticate
from rest_framework.views import APIView

from django_mcp.catalog.discovery import forget
from django_mcp.host.views import bare_view
from django_mcp.schema.operations import schema_for
from tests.catalog.hosts import catalog_of, names_of, operation_of, schema_of
from tests.host import schemas
from tests.host.schemas import ForgetfulSchema, FrugalSchema, HouseSchema, SilentSchema
from tests.schema.test_operations import Items, described


@pytest.fixture
def house(settings):
    """The project's own schema class is the default one."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_SCHEMA_CLASS": "tests.host.schemas.HouseSchema"}
    forget()
    yield
    forget()


def listing(**attributes):
    return schema_of("GET", path("x/", type("View", (Items,), attributes).as_view({"get": "list"})))


def test_the_default_schema_class_of_the_host_has_the_last_word_on_an_operation(house):
    assert "style" in listing().input["properties"]


def test_it_has_the_last_word_on_what_extend_schema_says_too(house):
    @extend_schema(description="All.")
    def list(self, request):
        return Response([])

    assert "style" in listing(list=list).input["properties"]


def test_a_schema_class_of_one_view_has_it_too():
    assert "style" in listing(schema=HouseSchema()).input["properties"]
    assert "style" not in listing().input["properties"]


@pytest.mark.parametrize(("cls", "why"), [(ForgetfulSchema, "KeyError"), (SilentSchema, "it leaves the operation out")])
def test_one_that_fails_or_says_nothing_is_passed_over_with_a_warning(cls, why):
    schema = listing(schema=cls())
    assert {"limit", "offset"} <= schema.input["properties"].keys()
    assert schema.output is not None
    assert f"get_operation: {why}" in schema.warnings


class Pin(serializers.Serializer):
    pin = serializers.CharField(write_only=True)
    note = serializers.CharField(required=False)


def posting(serializer, **attributes):
    attributes = {"serializer_class": serializer, "post": lambda view, request: Response(), **attributes}
    return path("x/", type("View", (generics.GenericAPIView,), attributes).as_view())


@pytest.mark.parametrize("cls", ["HandwrittenSchema", "AloneSchema", "MalformedSchema"])
def test_what_is_secret_stays_so_whatever_a_schema_class_makes_of_the_body(cls):
    schema = schema_of("POST", posting(Pin, schema=getattr(schemas, cls)()))
    assert schema.sensitive == {"pin"}
    assert "pin" in schema.input["properties"]


def test_one_that_says_what_is_no_openapi_is_passed_over_with_a_warning():
    schema = schema_of("POST", posting(Pin, schema=schemas.MalformedSchema()))
    assert schema.input["required"] == ["pin"]
    assert "get_operation: AttributeError" in schema.warnings


def test_what_it_says_to_one_user_is_not_said_to_another():
    def options(user):
        request = RequestFactory().post("/x/")
        force_authenticate(request, user)
        view = bare_view(operation, request)
        return schema_for(operation, lambda: view).input["properties"].keys()

    operation = operation_of("POST", posting(Pin, schema=schemas.StaffSchema()))
    staff, other = User(pk=1, is_staff=True), User(pk=2)
    assert ("payroll" in options(staff), "payroll" in options(other)) == (True, False)


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
def test_what_a_serializer_that_cannot_be_described_declares_secret_is_secret(serializer, secret):
    schema = schema_of("POST", posting(serializer))
    assert schema.sensitive == secret


def test_the_default_of_an_option_is_told_and_not_sent():
    style = listing(schema=HouseSchema()).input["properties"]["style"]
    assert style == {"enum": ["short", "long"], "description": 'Default: "short".'}


def test_overrides_of_a_schema_class_need_not_know_every_argument_there_is():
    view = type("View", (Items,), {"schema": FrugalSchema()})
    schema = schema_of("POST", path("x/", view.as_view({"post": "create"})))
    assert {"name", "price"} <= schema.input["properties"].keys()
    assert schema.warnings == ()


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
def test_a_deletion_has_the_body_that_was_said_for_it(request_):
    schema = deletion(request_)
    assert schema.input["properties"] == {"a": {"type": "integer"}}
    assert schema.input["required"] == ["a"]
    assert schema.placement["a"].location == "body"


def test_a_deletion_of_several_takes_a_list():
    schema = deletion(Line(many=True))
    assert schema.input["properties"]["items"]["items"]["properties"] == {"a": {"type": "integer"}}
    assert schema.placement["items"].wire == ""


def test_a_deletion_of_which_nothing_is_said_takes_nothing():
    assert deletion(None).input["properties"] == {}
    view = type("View", (generics.DestroyAPIView,), {"serializer_class": Line})
    schema = schema_of("DELETE", path("x/", view.as_view()))
    assert (schema.input["properties"], schema.input["additionalProperties"]) == ({}, False)


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
def test_what_the_host_reads_by_its_own_code_or_describes_by_hand_does_not_bind(field, lenient):
    schema = described(type("Made", (serializers.Serializer,), {"f": field}))
    assert schema.lenient == ({"f"} if lenient else set())
    part = schema.input["properties"]["f"]
    part = part.get("items", part)
    if part.get("properties"):
        assert part.get("additionalProperties", True) is lenient


def test_it_is_known_within_objects_and_in_a_body_that_is_a_list():
    outer = type("Outer", (serializers.Serializer,), {"inner": Massaging()})
    assert described(type("Made", (serializers.Serializer,), {"outer": outer(many=True)})).lenient == {"outer.inner"}

    class View(APIView):
        @extend_schema(request=Massaging(many=True))
        def post(self, request):
            return Response()

    assert schema_of("POST", path("x/", View.as_view())).lenient == {"items"}


def test_the_views_that_show_the_apis_own_schema_are_no_operations():
    class OurSchema(SpectacularAPIView):
        pass

    class View(APIView):
        def get(self, request):
            return Response()

    views = (SpectacularAPIView, SpectacularJSONAPIView, SpectacularSwaggerView, OurSchema, View)
    assert names_of(*(path(f"{view.__name__}/", view.as_view()) for view in views)) == ["View"]


@pytest.mark.parametrize("keyword", ["format", "suffix"])
def test_a_format_suffix_makes_no_second_operation_and_no_argument(settings, keyword):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "FORMAT_SUFFIX_KWARG": keyword}
    router = DefaultRouter()
    router.register("items", Items, "item")
    operations = catalog_of(path("api/", include(router.urls))).operations
    assert len(operations) == 6
    assert not [one.route for one in operations if keyword in one.route]


@pytest.mark.parametrize(
    "suffix", [r"(\.(?P<format>json|xml))?", r"(?:\.(?P<format>(json|xml)))?", r"(\.(?P<format>[a-z0-9]+))?/?"]
)
def test_a_format_suffix_that_may_be_left_out_is_left_out(suffix):
    class View(APIView):
        def get(self, request, format=None):
            return Response()

    assert operation_of("GET", re_path(rf"^x{suffix}$", View.as_view())).route.rstrip("/") == "/x"


def test_an_enumeration_of_hundreds_is_told_by_its_first_values():
    values = [f"zone {number}" for number in range(600)]
    schema = described(type("Made", (serializers.Serializer,), {"f": serializers.ChoiceField(values, allow_null=True)}))
    for part in (schema.input, schema.output):
        found = part["properties"]["f"]
        assert found["type"] == ["string", "null"]
        assert found["description"].startswith("One of 601 values, such as zone 0, zone 1,")
        assert len(str(found)) < 250


def test_what_a_request_may_choose_from_is_told_as_long_as_it_can_be_read():
    values = [f"kind {number}" for number in range(100)]
    schema = described(type("Made", (serializers.Serializer,), {"f": serializers.ChoiceField(values)}))
    assert schema.input["properties"]["f"]["enum"] == values
    assert "enum" not in schema.output["properties"]["f"]


def test_an_answer_of_many_kinds_is_told_by_what_they_have_in_common():
    fields = {"id": serializers.IntegerField(), "note": serializers.CharField()}
    kinds = [
        type(f"Kind{number}", (serializers.Serializer,), {**fields, f"own_{number}": serializers.CharField()})
        for number in range(40)
    ]
    proxy = PolymorphicProxySerializer("Any", kinds, None, many=False, allow_null=True, read_only=True)
    schema = described(type("Made", (serializers.Serializer,), {"f": proxy}))
    found = schema.output["properties"]["f"]
    assert found["properties"].keys() == {"id", "note"}
    assert found["description"] == "One of 40 kinds; what is described is what they have in common."
    for value in ({"id": 1, "note": "x", "own_1": "y"}, None):
        assert Draft202012Validator(found).is_valid(value)
