import hashlib

import pytest
from django.contrib.auth.models import User
from django.urls import include, path, re_path
from drf_spectacular.utils import extend_schema
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import generics, serializers
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter, SimpleRouter
from rest_framework.urlpatterns import format_suffix_patterns
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from django_mcp.catalog.naming import Candidate, assign, derive, tidy
from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of


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


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username"]


class Users(ModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer

    @action(detail=True, methods=["post", "delete"])
    def star_it(self, request, pk=None):
        return Response({})


def routed(prefix, basename, viewset=Users, router=SimpleRouter):
    made = router()
    made.register(prefix, viewset, basename=basename)
    return made.urls


USERS = [
    "user_create", "user_destroy", "user_list", "user_partial_update", "user_retrieve", "user_star_it_delete",
    "user_star_it_post", "user_update",
]  # fmt: skip


def test_a_viewset_has_one_name_per_action_and_one_per_method_of_a_shared_action():
    assert names_of(*routed("users", "user")) == USERS


def test_the_default_routers_format_suffixes_and_root_are_no_operations():
    assert names_of(*routed("users", "user", router=DefaultRouter)) == USERS


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

    before = set(names_of(path("api/", include(routed("users", "user")))))
    more = [
        path("health/", health),
        path("api/billing/", include((routed("invoices", "invoice"), "billing"))),
        path("api/users/shipments/", health),
        path("api/users/{id}/shipments/", health),
    ]
    assert before < set(names_of(*more, path("api/", include(routed("users", "user")))))


def test_the_same_viewset_routed_twice_gets_unique_names_in_any_order():
    one, other = path("a/", include(routed("users", "user"))), path("b/", include(routed("users", "user")))
    first, second = catalog_of(one, other), catalog_of(other, one)
    names = {(found.route, found.method): found.name for found in first.operations}
    assert len(set(names.values())) == 16
    assert names["/a/users/", "GET"] == "user_list_a"
    assert names == {(found.route, found.method): found.name for found in second.operations}
    assert len(first.problems) == 16


def test_names_that_collide_get_the_words_of_their_routes_that_they_lack():
    names = names_of(
        path("shop/api/v3/users/", include(routed("", "user"))),
        path("shop/api/v3/teams/<team_pk>/users/", include(routed("", "user"))),
    )
    assert [name for name in names if "list" in name] == ["user_list_shop", "user_list_shop_teams"]


def test_versions_and_the_word_api_are_added_where_nothing_else_tells_apart():
    names = names_of(
        path("api/v1/", include(routed("users", "user"))), path("api/v2/", include(routed("users", "user")))
    )
    assert [name for name in names if "list" in name] == ["user_list_api_v1", "user_list_api_v2"]


def test_a_name_that_collided_is_never_the_bare_one_which_may_have_meant_another_before():
    names = names_of(
        path("users/", include(routed("", "user"))), path("teams/<pk>/users/", include(routed("", "user")))
    )
    assert [name for name in names if "list" in name] == ["user_list_teams", "user_list_users"]


@given(st.permutations(["/a/", "/b/a/", "/a/{x}/", "/a/{y}/b/", "/api/a/", "/x_b/", "/"]))
def test_names_do_not_depend_on_the_order_of_routes(routes):
    candidates = [Candidate(explicit="", derived=name, method="GET", route=route) for route in routes for name in "ax"]
    ordered = sorted(candidates, key=lambda one: (one.derived, one.route))
    assert assign(candidates)[0] == assign(ordered)[0]


def test_routes_of_the_same_words_stay_apart():
    @api_view(["GET"])
    def shipments(request, pk=None):
        return Response({})

    names = names_of(path("a-b/", shipments), path("a/b/", shipments), path("a_b/", shipments))
    assert len(set(names)) == 3


def test_nested_and_flat_routes_do_not_collide():
    @api_view(["GET"])
    def shipments(request, pk=None):
        return Response({})

    names = names_of(path("orders/shipments/", shipments), path("orders/<int:pk>/shipments/", shipments))
    assert names == ["orders_id_shipments", "orders_shipments"]


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


def test_an_explicit_name_never_gets_a_suffix_and_the_derived_one_makes_way():
    @mcp_operation(name="thing")
    @api_view(["GET"])
    def explicit(request):
        return Response({})

    @api_view(["GET"])
    def derived(request):
        return Response({})

    catalog = catalog_of(path("a/", derived, name="Thing"), path("b/", explicit))
    assert {found.name: found.route for found in catalog.operations} == {"thing": "/b/", "Thing_a": "/a/"}
    assert len(catalog.problems) == 1


def test_an_explicit_name_that_takes_the_name_of_another_is_reported_where_it_was_said():
    @mcp_operation(name="Order_List")
    @api_view(["POST"])
    def close(request): ...

    class Orders(generics.ListAPIView):
        queryset = User.objects.all()

    [problem] = catalog_of(path("orders/", Orders.as_view(), name="order-list"), path("close/", close)).problems
    assert problem.subject == "POST /close/"
    assert "'order_list'" in problem.text
    assert "'order_list_orders'" in problem.text
    assert "another operation" in problem.text


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("Create order!", "Create_order"),
        ("a/b\n", "a_b"),
        ("objednávka", "objedn_vka"),
        ("x" * 150, "x" * 91 + "_" + hashlib.sha256(b"x" * 150).hexdigest()[:8]),
        ("???", "order_list"),
    ],
)
def test_a_name_that_clients_do_not_take_is_changed_and_reported(said, used):
    @mcp_operation(name=said)
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


def test_an_explicit_name_used_twice_stays_with_the_first_and_is_reported():
    @mcp_operation(name="Things")
    @api_view(["GET", "POST"])
    def things(request):
        return Response({"method": request.method})

    catalog = catalog_of(path("x/", things, name="thing"))
    assert [(found.name, found.method) for found in catalog.operations] == [("thing_post", "POST"), ("Things", "GET")]
    assert catalog.problems[0].subject == "POST /x/"


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        explicit=st.sampled_from(["", "", "", "Order", "order"]),
        derived=st.sampled_from(["order", "Order", "order_a", "x", "x_a_b"]),
        method=st.sampled_from(["GET", "POST"]),
        route=st.sampled_from(["/", "/a/", "/a/b/", "/a-b/", "/{a}/b/"]),
    ),
    max_size=12,
)


@given(CANDIDATES)
def test_names_are_always_unique_whatever_the_case(candidates):
    names, _problems = assign(candidates)
    assert len(names) == len(candidates)
    assert len({name.casefold() for name in names.values()}) == len(names)


@given(CANDIDATES)
def test_what_was_not_renamed_was_not_reported(candidates):
    names, problems = assign(candidates)
    changed = [one for one, name in names.items() if name != (one.explicit or one.derived)]
    assert bool(changed) == bool(problems)
