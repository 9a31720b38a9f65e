import pytest
from django.urls import path
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from django_mcp.choices import Safety
from django_mcp.decorators import mcp_operation
from django_mcp.host.handlers import infer
from django_mcp.types import Hints
from tests.catalog.hosts import operation_of


@pytest.mark.parametrize(
    ("method", "safety"),
    [
        ("GET", Safety.READ_ONLY),
        ("HEAD", Safety.READ_ONLY),
        ("OPTIONS", Safety.READ_ONLY),
        ("get", Safety.READ_ONLY),
        ("POST", Safety.WRITE),
        ("PUT", Safety.WRITE),
        ("PATCH", Safety.WRITE),
        ("DELETE", Safety.DESTRUCTIVE),
        ("PURGE", Safety.WRITE),
        ("QUERY", Safety.WRITE),
        ("", Safety.WRITE),
    ],
)
def test_the_method_decides_unless_something_was_declared(method, safety):
    assert infer(method) is safety


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PURGE"])
@pytest.mark.parametrize("declared", list(Safety))
def test_a_declared_safety_wins_over_every_method(method, declared):
    assert infer(method, ambiguous=True, hints=Hints(safety=declared)) is declared


@pytest.mark.parametrize(
    ("method", "safety"), [("GET", Safety.WRITE), ("POST", Safety.WRITE), ("DELETE", Safety.DESTRUCTIVE)]
)
def test_code_that_answers_several_methods_at_once_is_never_read_only(method, safety):
    assert infer(method, ambiguous=True) is safety


@api_view(["GET", "POST"])
def looks_at_the_method(request):
    if request.method == "POST":
        return Response({}, status=201)
    return Response([])


@api_view(["GET", "POST"])
def pays(request):
    payment = request.user.payments.create()
    return Response({"method": payment.method})


@api_view(["GET", "POST"])
def restart(request):
    return Response({"restarted": True})


class Machine(ViewSet):
    @action(detail=False, methods=["get", "delete"])
    def stop(self, request):
        return Response({})


class Alias(APIView):
    def post(self, request):
        return Response({})

    get = post


class Wrapped(APIView):
    def post(self, request):
        return Response({})

    get = method_decorator(never_cache)(post)


class Hidden(Alias):
    pass


class Apart(ViewSet):
    @action(detail=False, methods=["get"])
    def state(self, request):
        return Response({})

    @state.mapping.post
    def change_state(self, request):
        return Response({})


class Purged(APIView):
    http_method_names = ["purge"]

    def purge(self, request):
        return Response({})


@pytest.mark.parametrize(
    ("view", "safety"),
    [
        (looks_at_the_method, Safety.WRITE),
        (pays, Safety.WRITE),
        (restart, Safety.WRITE),
        (Machine.as_view({"get": "stop", "delete": "stop"}), Safety.WRITE),
        (Alias.as_view(), Safety.WRITE),
        (Wrapped.as_view(), Safety.WRITE),
        (Hidden.as_view(http_method_names=["get"]), Safety.WRITE),
    ],
)
def test_get_of_a_handler_that_also_answers_an_unsafe_method_is_a_write(view, safety):
    assert operation_of("GET", path("x/", view)).safety is safety


def test_methods_with_a_function_each_keep_their_promises():
    view = Apart.as_view({"get": "state", "post": "change_state"})
    assert operation_of("GET", path("x/", view)).safety is Safety.READ_ONLY
    assert operation_of("POST", path("x/", view)).safety is Safety.WRITE


def test_what_is_declared_for_a_handler_of_several_methods_counts():
    view = mcp_operation(safety=Safety.READ_ONLY, actions=["get"])(api_view(["GET", "POST"])(lambda request: None))
    operation = operation_of("GET", path("x/", view))
    assert (operation.safety, operation.notes) == (Safety.READ_ONLY, ())
    assert operation_of("POST", path("x/", view)).safety is Safety.WRITE


def test_the_ambiguous_read_says_how_to_declare_it():
    assert "mcp_operation" in operation_of("GET", path("x/", restart)).notes[0]


def test_an_unknown_method_is_listed_as_a_write():
    assert operation_of("PURGE", path("x/", Purged.as_view())).safety is Safety.WRITE


def test_a_declared_need_for_approval_makes_a_read_mutate():
    @mcp_operation(requires_approval=True)
    @api_view(["GET"])
    def expensive(request):
        return Response({})

    operation = operation_of("GET", path("x/", expensive))
    assert (operation.safety, operation.requires_approval, operation.mutates) == (Safety.READ_ONLY, True, True)


def test_a_write_needs_no_declared_approval_to_mutate():
    operation = operation_of("POST", path("x/", restart))
    assert (operation.requires_approval, operation.mutates) == (False, True)
