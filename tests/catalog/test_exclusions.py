import pytest
from django.test import override_settings
from django.urls import include, path
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.utils import (
    extend_schema,
)
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of
from tests.catalog.users import Users, health, routed


def test_preprocessing_hooks_of_the_host_hide_endpoints(monkeypatch):
    patterns = [path("api/", include(routed())), path("internal/", health)]
    hooks = [f"tests.catalog.hooks.{name}" for name in ("without_internal", "without_writes", "shortened")]
    with override_settings(SPECTACULAR_SETTINGS={"PREPROCESSING_HOOKS": hooks}):
        spectacular_settings.apply_patches({"PREPROCESSING_HOOKS": hooks})
        try:
            operations = catalog_of(*patterns).operations
        finally:
            spectacular_settings.clear_patches()
    assert [(operation.name, operation.route) for operation in operations] == [
        ("user_export", "/api/users/export/"),
        ("user_list", "/api/users/"),
        ("user_retrieve", "/api/users/{id}/"),
    ]


def test_a_hook_that_fails_hides_everything():
    spectacular_settings.apply_patches({"PREPROCESSING_HOOKS": ["tests.catalog.hooks.broken"]})
    try:
        catalog = catalog_of(path("health/", health))
    finally:
        spectacular_settings.clear_patches()
    assert catalog.operations == ()
    assert catalog.problems[0].subject == "PREPROCESSING_HOOKS"


class Hidden(APIView):
    @extend_schema(exclude=True)
    def get(self, request):
        return Response({})

    @mcp_operation(exclude=True)
    def post(self, request):
        return Response({})

    def delete(self, request):
        return Response({})


def test_excluded_methods_are_not_listed():
    assert [operation.method for operation in catalog_of(path("x/", Hidden.as_view())).operations] == ["DELETE"]


def test_a_class_excluded_as_a_whole_is_not_listed():
    @extend_schema(exclude=True)
    class Some(Users):
        @extend_schema(exclude=False)
        def list(self, request):
            return Response([])

    assert names_of(*routed(Some)) == ["user_list"]


class HostsOwnSchema(AutoSchema):
    def is_excluded(self):
        return "export" in self.path

    def get_operation_id(self):
        return "not explicit"

    def get_tags(self):
        return ["not explicit"]


def test_a_schema_class_of_the_host_may_exclude_but_its_conventions_are_not_explicit():
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": "tests.catalog.test_exclusions.HostsOwnSchema"}):
        catalog = catalog_of(*routed())
    assert catalog.get("user_export") is None
    assert catalog.get("user_list").group == "tests"


def test_an_action_excluded_by_its_schema_is_not_listed():
    class Some(ViewSet):
        @action(detail=False, schema=None)
        def secret(self, request):
            return Response({})

        @extend_schema(exclude=True)
        @action(detail=False)
        def other(self, request):
            return Response({})

    assert names_of(*routed(Some)) == []


@pytest.mark.parametrize("excluded", ["USER_lock", "auth", "/health/", "get /health/", "health"])
def test_operations_can_be_excluded_by_name_group_and_route(excluded, settings):
    @mcp_operation(group="auth")
    class Grouped(Users):
        pass

    patterns = [*routed(Grouped), path("health/", health)]
    everything = set(names_of(*patterns))
    settings.DJANGO_MCP = {"EXCLUDE_OPERATIONS": [excluded]}
    left = set(names_of(*patterns))
    expected = {"USER_lock": {"user_lock"}, "auth": everything - {"health"}}.get(excluded, {"health"})
    assert everything - left == expected


def test_the_package_itself_is_not_listed():
    class Own(APIView):
        def get(self, request):
            return Response({})

    Own.__module__ = "django_mcp.transport.views"
    assert names_of(path("x/", Own.as_view())) == []
