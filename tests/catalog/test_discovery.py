import threading
from concurrent.futures import ThreadPoolExecutor

from django.urls import path, resolve
from django.views.decorators.cache import cache_page
from drf_spectacular.utils import (
    extend_schema,
)
from drf_spectacular.views import SpectacularAPIView
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.catalog.discovery import forget, get_catalog
from django_mcp.decorators import mcp_operation
from tests.catalog.hosts import catalog_of, names_of, operation_of, urlconf
from tests.catalog.users import Users, health, routed


class Broken(APIView):
    def __init__(self, **kwargs):
        raise LookupError(kwargs)

    def get(self, request):
        return Response({})


def test_the_callback_is_the_very_object_of_the_urlconf():
    conf = urlconf(*routed())
    operation = get_catalog(conf).get("user_lock")
    assert operation.callback is resolve("/users/1/lock/", conf).func
    assert (operation.view_class, operation.handler, operation.method) == (Users, "lock", "POST")


def test_a_decorated_view_keeps_its_decorator():
    cached = cache_page(60)(health)
    operation = operation_of("GET", path("health/", cached))
    assert operation.callback is cached
    assert operation.handler == "get"


def test_one_broken_view_does_not_hide_the_rest(caplog):
    catalog = catalog_of(path("a/", Broken.as_view()), path("health/", health), path("c/", health, name="other"))
    assert [operation.name for operation in catalog.operations] == ["health", "other"]
    [problem] = catalog.problems
    assert problem.subject == "a/"
    assert "LookupError" in problem.text
    assert "Traceback" in caplog.text


def test_a_broken_schema_decorator_hides_only_its_own_endpoint(caplog):
    class Awkward(APIView):
        versioning_class = URLPathVersioning

        @extend_schema(versions=["2"])
        def get(self, request):
            return Response({})

        def determine_version(self, request, *args, **kwargs):
            raise LookupError

    catalog = catalog_of(path("a/", Awkward.as_view()), path("health/", health))
    assert [operation.name for operation in catalog.operations] == ["health"]
    assert [problem.hides for problem in catalog.problems] == [True]
    assert "raise LookupError" in caplog.text


def test_hints_are_found_below_and_above_api_view():
    @mcp_operation(name="Above", keywords=["above"], group="far")
    @api_view(["GET"])
    @mcp_operation(keywords=["below"])
    def view(request):
        return Response({})

    hints = operation_of("GET", path("x/", view)).hints
    assert (hints.name, hints.keywords, hints.group) == ("Above", ("below",), "far")


def test_hints_on_the_class_hold_for_the_named_actions_only():
    @mcp_operation(actions=["lock"], when_to_use="To lock.")
    class Some(Users):
        pass

    catalog = catalog_of(*routed(Some))
    assert [operation.name for operation in catalog.operations if operation.hints.when_to_use] == ["user_lock"]


def test_names_and_aliases_resolve_whatever_their_case():
    @mcp_operation(aliases=["Ping", "health"])
    @api_view(["GET"])
    def alive(request):
        return Response({})

    catalog = catalog_of(path("alive/", alive), path("health/", health))
    assert catalog.get("PING") is catalog.get("Alive")
    assert catalog.get("HEALTH").route == "/health/"
    assert [problem.subject for problem in catalog.problems] == ["alive"]
    assert catalog.get("nothing") is None
    assert catalog.get(None) is None


def test_the_index_is_made_once_per_urlconf():
    conf = urlconf(path("health/", health))
    assert get_catalog(conf) is get_catalog(conf)
    assert get_catalog(conf) is not get_catalog(urlconf(path("health/", health)))


def test_threads_share_one_index():
    class Counted(APIView):
        instances = 0

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            Counted.instances += 1

        def get(self, request):
            return Response({})

    def ask(conf, start):
        start.wait()
        return get_catalog(conf)

    get_catalog(urlconf(path("counted/", Counted.as_view())))
    once, Counted.instances = Counted.instances, 0
    conf, start = urlconf(path("counted/", Counted.as_view())), threading.Barrier(8)
    with ThreadPoolExecutor(8) as threads:
        catalogs = list(threads.map(lambda _number: ask(conf, start), range(8)))
    assert len(set(map(id, catalogs))) == 1
    assert Counted.instances == once > 0


def test_forgetting_makes_a_new_index():
    conf = urlconf(path("health/", health))
    before = get_catalog(conf)
    forget()
    assert get_catalog(conf) is not before


def test_indexing_runs_no_authenticator_and_prints_nothing(capsys):
    class Loud(APIView):
        authentication_classes = [BaseAuthentication]

        @extend_schema(summary="x", operation_id="loud")
        def get(self, request):
            return Response({})

        def perform_authentication(self, request):
            raise AssertionError

    assert names_of(path("x/", Loud.as_view()), path("schema/", SpectacularAPIView.as_view())) == ["loud"]
    assert capsys.readouterr() == ("", "")
