from django.contrib.auth.models import User
from django.urls import include, path
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import generics
from rest_framework.decorators import api_view
from rest_framework.response import Response

from django_mcp.catalog.naming import Candidate, assign
from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of
from tests.catalog.users import StarredUsers, routed


def test_the_same_viewset_routed_twice_gets_unique_names_in_any_order():
    one, other = path("a/", include(routed(StarredUsers))), path("b/", include(routed(StarredUsers)))
    first, second = catalog_of(one, other), catalog_of(other, one)
    names = {(operation.route, operation.method): operation.name for operation in first.operations}
    assert len(set(names.values())) == 16
    assert names["/a/users/", "GET"] == "user_list_a"
    assert names == {(operation.route, operation.method): operation.name for operation in second.operations}
    assert len(first.problems) == 16


def test_names_that_collide_get_the_words_of_their_routes_that_they_lack():
    names = names_of(
        path("shop/api/v3/users/", include(routed(StarredUsers, prefix=""))),
        path("shop/api/v3/teams/<team_pk>/users/", include(routed(StarredUsers, prefix=""))),
    )
    assert [name for name in names if "list" in name] == ["user_list_shop", "user_list_shop_teams"]


def test_versions_and_the_word_api_are_added_where_nothing_else_tells_apart():
    names = names_of(path("api/v1/", include(routed(StarredUsers))), path("api/v2/", include(routed(StarredUsers))))
    assert [name for name in names if "list" in name] == ["user_list_api_v1", "user_list_api_v2"]


def test_a_name_that_collided_is_never_the_bare_one_which_may_have_meant_another_before():
    names = names_of(
        path("users/", include(routed(StarredUsers, prefix=""))),
        path("teams/<pk>/users/", include(routed(StarredUsers, prefix=""))),
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


def test_an_explicit_name_never_gets_a_suffix_and_the_derived_one_makes_way():
    @mcp_operation(name="thing")
    @api_view(["GET"])
    def explicit(request):
        return Response({})

    @api_view(["GET"])
    def derived(request):
        return Response({})

    catalog = catalog_of(path("a/", derived, name="Thing"), path("b/", explicit))
    assert {operation.name: operation.route for operation in catalog.operations} == {"thing": "/b/", "Thing_a": "/a/"}
    assert len(catalog.problems) == 1


def test_an_explicit_name_that_takes_the_name_of_another_is_reported_where_it_is_declared():
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


def test_an_explicit_name_used_twice_stays_with_the_first_and_is_reported():
    @mcp_operation(name="Things")
    @api_view(["GET", "POST"])
    def things(request):
        return Response({"method": request.method})

    catalog = catalog_of(path("x/", things, name="thing"))
    assert [(operation.name, operation.method) for operation in catalog.operations] == [
        ("thing_post", "POST"),
        ("Things", "GET"),
    ]
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
