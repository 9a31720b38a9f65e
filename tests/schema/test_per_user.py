import json
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.urls import path
from rest_framework import generics, serializers
from rest_framework.test import force_authenticate
from rest_framework.views import APIView

from django_mcp.host.views import bare_view
from django_mcp.schema.operations import schema_for
from django_mcp.schema.per_user import variant
from tests.catalog.hosts import operation_of
from tests.host import schemas
from tests.schema.cases import ItemSerializer, Pin, Restock, posting, view_as, view_with


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
        set(schema_for(operation, view_as(operation, SimpleNamespace(pk=1, is_premium=premium))).input["properties"])
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
    assert "b" in schema_for(operation, view_as(operation, staff)).input["properties"]
    assert "b" not in schema_for(operation, view_as(operation, other)).input["properties"]


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
    assert '"b"' in json.dumps(schema_for(operation, view_as(operation, staff)).input)
    assert '"b"' not in json.dumps(schema_for(operation, view_as(operation, other)).input)


def test_a_plain_view_that_chooses_its_serializer_is_not_shared():
    class View(APIView):
        def get_serializer_class(self):
            return ItemSerializer if self.request.user.is_staff else Restock

        def post(self, request): ...

    operation = operation_of("POST", path("x/", View.as_view()))
    staff, other = SimpleNamespace(pk=1, is_staff=True), SimpleNamespace(pk=2, is_staff=False)
    assert "name" in schema_for(operation, view_as(operation, staff)).input["properties"]
    assert "name" not in schema_for(operation, view_as(operation, other)).input["properties"]


@pytest.mark.parametrize(
    "field", [StaffListed(many=True), type("Chosen", (serializers.ChoiceField,), {"choices": {}})(choices=[])]
)
def test_a_serializer_that_may_depend_on_the_user_has_a_schema_for_each_request(field):
    outer = type("Outer", (serializers.Serializer,), {"field": field})
    operation = operation_of("POST", path("x/", view_with(outer).as_view()))
    view = view_as(operation, SimpleNamespace(pk=1))
    assert variant(operation, view).personal
    assert schema_for(operation, view) is not schema_for(operation, view)


def test_plain_serializers_within_each_other_are_shared_by_users():
    class Tree(serializers.Serializer):
        items = ItemSerializer(many=True)
        restock = Restock()
        by_name = serializers.DictField(child=Restock())

    operation = operation_of("POST", path("x/", view_with(Tree).as_view()))
    first = schema_for(operation, view_as(operation, SimpleNamespace(pk=1)))
    assert schema_for(operation, view_as(operation, SimpleNamespace(pk=2))) is first


def test_a_view_that_needs_its_url_is_described_without():
    class View(generics.CreateAPIView):
        def get_serializer_class(self):
            if getattr(self, "swagger_fake_view", False) or self.kwargs["kind"]:
                return ItemSerializer
            raise LookupError

    operation = operation_of("POST", path("x/<kind>/", View.as_view()))
    schema = schema_for(operation, view_as(operation, SimpleNamespace(pk=1)))
    assert "name" in schema.input["properties"]


def test_a_schema_class_that_looks_at_the_user_makes_a_schema_for_each():
    def options(user):
        request = RequestFactory().post("/x/")
        force_authenticate(request, user)
        view = bare_view(operation, request)
        return schema_for(operation, lambda: view).input["properties"].keys()

    operation = operation_of("POST", posting(Pin, schema=schemas.StaffSchema()))
    staff, other = User(pk=1, is_staff=True), User(pk=2)
    assert ("payroll" in options(staff), "payroll" in options(other)) == (True, False)
