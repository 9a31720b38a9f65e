import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import include, path
from django.utils.translation import gettext_lazy, override
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_view,
)
from rest_framework import generics
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.schemas.openapi import AutoSchema as PlainAutoSchema
from rest_framework.versioning import AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning
from rest_framework.views import APIView

from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of, operation_of
from tests.catalog.users import Users, health, routed


@pytest.mark.parametrize(
    ("decorate", "group", "tags"),
    [
        (lambda view: view, "tests", ()),
        (extend_schema(tags=["Stock", "Old"]), "Stock", ("Stock", "Old")),
        (lambda view: mcp_operation(group="mine")(extend_schema(tags=["Stock"])(view)), "mine", ("Stock",)),
        (lambda view: mcp_operation(group="mine")(view), "mine", ()),
    ],
)
def test_the_group_is_declared_or_the_first_tag_or_the_app(decorate, group, tags):
    @decorate
    @api_view(["GET"])
    def view(request):
        return Response({})

    operation = operation_of("GET", path("x/", view))
    assert (operation.group, operation.tags) == (group, tags)


def test_the_group_of_a_view_in_an_app_is_the_label_of_the_app():
    class View(APIView):
        def get(self, request):
            return Response({})

    View.__module__ = "django.contrib.auth.api"
    assert operation_of("GET", path("x/", View.as_view())).group == "auth"


def test_texts_come_from_the_docstring_of_the_handler_then_of_the_view():
    catalog = catalog_of(*routed(), path("health/", health))
    texts = {operation.name: (operation.summary, operation.description) for operation in catalog.operations}
    assert texts["health"][0] == "Tell whether it works."
    assert texts["health"][1].endswith("More about it.")
    assert texts["user_lock"] == ("Lock a user out.", "Lock a user out.")
    assert texts["user_destroy"] == ("Delete user: The users of the shop.", "The users of the shop.")
    assert texts["user_export"][0] == "Export: The users of the shop."


def test_the_libraries_docstrings_are_not_the_hosts():
    class Bare(generics.ListAPIView):
        queryset = User.objects.all()

    assert operation_of("GET", path("x/", Bare.as_view())).description == ""


def test_declared_texts_win():
    @extend_schema_view(list=extend_schema(summary="All of them", description="Long text."))
    class Some(Users):
        @mcp_operation(description="For agents. And more.")
        def create(self, request):
            """For developers."""
            return Response({})

    catalog = catalog_of(*routed(Some))
    assert (catalog.get("user_list").summary, catalog.get("user_list").description) == ("All of them", "Long text.")
    assert catalog.get("user_create").summary == "For agents."
    assert catalog.get("user_create").description == "For agents. And more."


def test_a_summary_is_one_line_of_bounded_length():
    class View(APIView):
        def get(self, request):
            return Response({})

    View.get.__doc__ = "word " * 100 + "\n  more"
    summary = operation_of("GET", path("x/", View.as_view())).summary
    assert len(summary) <= 160
    assert summary.endswith("…")
    assert "\n" not in summary


def test_a_summary_has_no_markup_of_the_hosts_pages_in_it():
    class View(APIView):
        """<!-- For users --> Gives <b>all</b> of a <a href="#x">room</a>, by its <uuid>."""

        def get(self, request):
            return Response({})

    assert operation_of("GET", path("x/", View.as_view())).summary == "Gives all of a room, by its <uuid>."


def test_translated_texts_are_in_the_language_of_the_project():
    @extend_schema(summary=gettext_lazy("Yes"), description=gettext_lazy("No"))
    @api_view(["GET"])
    def view(request):
        return Response({})

    with override("cs"):
        operation = operation_of("GET", path("x/", view))
    assert (operation.summary, operation.description) == ("Yes", "No")
    with override_settings(LANGUAGE_CODE="cs"):
        assert operation_of("GET", path("x/", view)).summary == "Ano"


@pytest.mark.parametrize("default", ["drf_spectacular.openapi.AutoSchema", "rest_framework.schemas.openapi.AutoSchema"])
def test_declarations_count_with_and_without_spectacular_as_the_default(default):
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": default}):

        @extend_schema(tags=["t"])
        class View(APIView):
            @extend_schema(operation_id="x", exclude=False)
            def get(self, request):
                return Response({})

            @extend_schema(exclude=True)
            def post(self, request):
                return Response({})

        [operation] = catalog_of(path("x/", View.as_view())).operations
    assert (operation.name, operation.tags) == ("x", ("t",))


def test_a_declaration_made_under_another_default_schema_class_counts():
    class View(APIView):
        schema = PlainAutoSchema(tags=["old"])

        @extend_schema(operation_id="fetch")
        def get(self, request):
            return Response({})

    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}):
        assert names_of(path("x/", View.as_view())) == ["fetch"]


@pytest.mark.parametrize("versioning", [AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning])
def test_declarations_for_the_default_version_count(versioning):
    class Versioned(versioning):
        default_version = "v1"
        allowed_versions = ["v1", "v2"]

    class View(APIView):
        versioning_class = Versioned

        @extend_schema(operation_id="one", versions=["v1"])
        @extend_schema(operation_id="two", versions=["v2"])
        def get(self, request, version=None):
            return Response({})

    assert names_of(path("x/<version>/", View.as_view())) == ["one"]


def test_the_version_of_a_namespace_counts():
    class Versioned(NamespaceVersioning):
        allowed_versions = ["v1", "v2"]

    class View(APIView):
        versioning_class = Versioned

        @extend_schema(summary="one", versions=["v1"])
        @extend_schema(summary="two", versions=["v2"])
        def get(self, request):
            return Response({})

    view = View.as_view()
    catalog = catalog_of(
        path("1/", include(([path("x/", view)], "v1"))), path("2/", include(([path("x/", view)], "v2")))
    )
    assert [operation.summary for operation in catalog.operations] == ["one", "two"]
