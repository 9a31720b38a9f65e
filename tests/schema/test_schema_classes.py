"""A schema class of the host has the last word on its operations."""

import pytest
from django.urls import path
from drf_spectacular.utils import (
    extend_schema,
)
from rest_framework.response import Response

from django_mcp.catalog.discovery import forget
from tests.catalog.hosts import schema_of
from tests.host import schemas
from tests.host.schemas import ForgetfulSchema, FrugalSchema, HouseSchema, SilentSchema
from tests.schema.cases import Items, Pin, posting


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


def test_the_default_schema_class_has_the_last_word_on_extend_schema_too(house):
    @extend_schema(description="All.")
    def list(self, request):
        return Response([])

    assert "style" in listing(list=list).input["properties"]


def test_the_schema_class_of_one_view_has_the_last_word_on_that_view():
    assert "style" in listing(schema=HouseSchema()).input["properties"]
    assert "style" not in listing().input["properties"]


@pytest.mark.parametrize(("cls", "why"), [(ForgetfulSchema, "KeyError"), (SilentSchema, "it leaves the operation out")])
def test_a_schema_class_that_fails_or_returns_nothing_is_passed_over_with_a_warning(cls, why):
    schema = listing(schema=cls())
    assert {"limit", "offset"} <= schema.input["properties"].keys()
    assert schema.output is not None
    assert f"get_operation: {why}" in schema.warnings


def test_a_schema_class_that_returns_no_openapi_is_passed_over_with_a_warning():
    schema = schema_of("POST", posting(Pin, schema=schemas.MalformedSchema()))
    assert schema.input["required"] == ["pin"]
    assert "get_operation: AttributeError" in schema.warnings


def test_the_default_of_an_option_is_described_and_not_sent():
    style = listing(schema=HouseSchema()).input["properties"]["style"]
    assert style == {"enum": ["short", "long"], "description": 'Default: "short".'}


def test_overrides_of_a_schema_class_need_not_know_every_argument_there_is():
    view = type("View", (Items,), {"schema": FrugalSchema()})
    schema = schema_of("POST", path("x/", view.as_view({"post": "create"})))
    assert {"name", "price"} <= schema.input["properties"].keys()
    assert schema.warnings == ()
