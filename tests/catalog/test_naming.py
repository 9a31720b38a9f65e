import hashlib

import pytest
from django.contrib.auth.models import User
from django.urls import include, path, re_path
from drf_spectacular.utils import (
    extend_schema,
)
from rest_framework import generics
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.urlpatterns import format_suffix_patterns
from rest_framework.views import APIView

from django_mcp.catalog.naming import derive, tidy
from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of
from tests.catalog.users import StarredUsers, UserSerializer, routed


@pytest.mark.parametrize(
    ("url_name", "namespace", "route", "action_name", "suffix", "name"),
    [
        ("order-list", "", "/orders/", "list", "", "order_list"),
        ("order-list", "", "/orders/", "create", "", "order_create"),
        ("order-detail", "", "/orders/{id}/", "retrieve", "", "order_retrieve"),
        ("order-detail", "", "/orders/{id}/", "update", "", "order_update"),
        ("order-detail", "", "/orders/{id}/", "partial_update", "", "order_partial_update"),
        ("order-detail", "", "/orders/{id}/", "destroy", "", "order_destroy"),
        ("order-star-it", "", "/orders/{id}/star_it/", "star_it", "", "order_star_it"),
        ("order-star-it", "", "/orders/{id}/star_it/", "star_it", "DELETE", "order_star_it_delete"),
        ("bookstar", "", "/x/", "star", "", "bookstar_star"),
        ("price-list", "", "/x/", None, "", "price_list"),
        ("price-list", "", "/x/", None, "POST", "price_list_post"),
        ("order-list", "v1:shop", "/orders/", "list", "", "v1_shop_order_list"),
        ("", "", "/reports/{year}/summary/", None, "", "reports_year_summary"),
        ("", "shop", "/reports/", None, "PUT", "shop_reports_put"),
        ("", "", "/", None, "", "root"),
        ("list", "", "/", "list", "", "list"),
    ],
)
def test_a_name_is_derived_from_url_name_action_and_namespace(url_name, namespace, route, action_name, suffix, name):
    derived = derive(url_name=url_name, namespace=namespace, route=route, action=action_name, suffix=suffix)
    assert derived == name


USERS = [
    "user_create", "user_destroy", "user_list", "user_partial_update", "user_retrieve", "user_star_it_delete",
    "user_star_it_post", "user_update",
]  # fmt: skip


def test_a_viewset_has_one_name_per_action_and_one_per_method_of_a_shared_action():
    assert names_of(*routed(StarredUsers)) == USERS


def test_the_default_routers_format_suffixes_and_root_are_no_operations():
    assert names_of(*routed(StarredUsers, router=DefaultRouter)) == USERS


def test_format_suffix_patterns_are_skipped():
    @api_view(["GET"])
    def health(request):
        return Response({})

    assert names_of(*format_suffix_patterns([path("health", health, name="health")])) == ["health"]
    assert names_of(*format_suffix_patterns([re_path("^health$", health, name="health")])) == ["health"]


def test_adding_routes_renames_none():
    @api_view(["GET"])
    def health(request):
        return Response({})

    before = set(names_of(path("api/", include(routed(StarredUsers)))))
    more = [
        path("health/", health),
        path("api/billing/", include((routed(StarredUsers, "invoices", "invoice"), "billing"))),
        path("api/users/shipments/", health),
        path("api/users/{id}/shipments/", health),
    ]
    assert before < set(names_of(*more, path("api/", include(routed(StarredUsers)))))


def test_function_views_have_a_name_per_method():
    @api_view(["GET", "POST", "DELETE"])
    def snippet(request):
        return Response({"method": request.method})

    assert names_of(path("snippets/", snippet, name="snippet-list")) == [
        "snippet_list", "snippet_list_delete", "snippet_list_post",
    ]  # fmt: skip


def test_generic_views_are_named_after_what_they_do():
    class Listed(generics.ListCreateAPIView):
        queryset = User.objects.all()
        serializer_class = UserSerializer

    class Shown(generics.RetrieveUpdateDestroyAPIView):
        queryset = User.objects.all()
        serializer_class = UserSerializer

    patterns = [path("u/", Listed.as_view(), name="user-list"), path("u/<pk>/", Shown.as_view(), name="user-detail")]
    assert names_of(*patterns) == [
        "user_create", "user_destroy", "user_list", "user_partial_update", "user_retrieve", "user_update",
    ]  # fmt: skip


def test_an_explicit_name_wins_over_the_operation_id_and_that_over_the_url_name():
    class View(APIView):
        @mcp_operation(name="GetIt")
        @extend_schema(operation_id="get_it")
        def get(self, request):
            return Response({})

        @extend_schema(operation_id="postIt")
        def post(self, request):
            return Response({})

        def delete(self, request):
            return Response({})

    assert names_of(path("x/", View.as_view(), name="thing")) == ["GetIt", "postIt", "thing_delete"]


@pytest.mark.parametrize(
    ("declared", "used"),
    [
        ("Create order!", "Create_order"),
        ("a/b\n", "a_b"),
        ("objednávka", "objedn_vka"),
        ("x" * 150, "x" * 91 + "_" + hashlib.sha256(b"x" * 150).hexdigest()[:8]),
        ("???", "order_list"),
    ],
)
def test_a_name_that_clients_do_not_take_is_changed_and_reported(declared, used):
    @mcp_operation(name=declared)
    @api_view(["GET"])
    def view(request): ...

    catalog = catalog_of(path("orders/", view, name="order_list"))
    assert [operation.name for operation in catalog.operations] == [used]
    assert catalog.problems[0].subject == "GET /orders/"
    assert "letters, digits" in catalog.problems[0].cure


@pytest.mark.parametrize("name", ["CreateOrder", "a.b-c_d", "x" * 100, "_private"])
def test_a_name_that_clients_take_stays_as_it_is(name):
    assert tidy(name) == name


def test_a_long_url_makes_a_name_of_bounded_length():
    name = derive(url_name="x" * 300, namespace="", route="", action="list")
    assert len(name) == 100
    assert name != derive(url_name="x" * 301, namespace="", route="", action="list")


def test_an_alias_that_clients_do_not_take_is_changed_and_reported():
    @mcp_operation(name="order", aliases=["buy it", "!"])
    @api_view(["GET"])
    def view(request): ...

    catalog = catalog_of(path("orders/", view))
    assert catalog.get("buy_it") is catalog.get("order")
    assert catalog.get("") is None
    assert [problem.subject for problem in catalog.problems] == ["order", "order"]
