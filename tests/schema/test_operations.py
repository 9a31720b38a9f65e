import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, User
from django.test import override_settings
from django.urls import path
from django.utils.translation import gettext_lazy, override
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
)
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.schema import operations
from django_mcp.schema.operations import forget, schema_for
from django_mcp.types import Operation
from tests.catalog.hosts import catalog_of, operation_of, schema_of
from tests.schema.cases import Items, ItemSerializer, check, described, items, view_as, view_with


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
        schema = schema_for(operation, view_as(operation, SimpleNamespace(pk=1)))
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
        properties = described(Related).input["properties"]
        schemas = [schema_for(operation) for operation in catalog_of(*items()).operations]
    assert [properties[name]["type"] for name in ("owner", "name", "group")] == ["integer", "string", "integer"]
    assert properties["owners"]["items"]["type"] == "integer"
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


def test_a_schema_is_kept_until_it_is_forgotten():
    operation = operation_of("PUT", *items())
    schema = schema_for(operation)
    assert schema_for(operation) is schema
    forget()
    assert schema_for(operation) is not schema


def test_as_many_schemas_are_kept_as_were_asked_for_last(monkeypatch):
    monkeypatch.setattr(operations, "CACHE_SIZE", 2)
    first, second, third, *_others = catalog_of(*items()).operations
    recent, oldest = schema_for(first), schema_for(second)
    assert schema_for(first) is recent
    schema_for(third)
    assert schema_for(first) is recent
    assert schema_for(second) is not oldest


def test_a_serializer_that_cannot_be_described_prints_nothing(capsys):
    before = dict(GENERATOR_STATS._warn_cache), dict(GENERATOR_STATS._error_cache), list(GENERATOR_STATS._traces)

    class Odd(serializers.Field):
        pass

    class Made(serializers.Serializer):
        f = Odd()

    assert described(Made).warnings
    assert any(
        "serializer" in warning
        for warning in schema_of("POST", path("x/<thing>/", api_view(["POST"])(lambda request: None))).warnings
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
    assert [schemas for _name, *schemas in usual] == [schemas for _name, *schemas in other]


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
                document = json.dumps(SchemaGenerator(patterns=patterns).get_schema(public=True), default=str)
                if document != host:
                    wrong.append(document)

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
