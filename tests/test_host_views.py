import gc
import sys
import weakref

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory, override_settings
from django.urls import path
from rest_framework.authentication import BaseAuthentication, BasicAuthentication
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.test import force_authenticate
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from django_mcp.host.views import PREPARING, bare_view, declared, is_plain, mock_view
from tests.catalog.hosts import catalog_of, operation_of
from tests.catalog.users import health, routed


class OwnAuthentication(BaseAuthentication):
    def authenticate(self, request):
        return None


def authenticated(*classes):
    @api_view(["GET"])
    @authentication_classes(classes)
    def view(request):
        return Response({})

    return view


@pytest.mark.parametrize(
    ("view", "own"),
    [
        (health, False),
        (authenticated(BasicAuthentication), False),
        (authenticated(BasicAuthentication, OwnAuthentication), True),
        (authenticated(), True),
        (APIView.as_view(authentication_classes=[OwnAuthentication]), True),
    ],
)
def test_a_view_with_other_authentication_than_the_default_is_marked(view, own):
    if view.cls is APIView:

        class View(APIView):
            def get(self, request):
                return Response({})

        view = View.as_view(authentication_classes=[OwnAuthentication])
    assert operation_of("GET", path("x/", view)).own_authentication is own


def test_authentication_of_a_single_action_is_seen():
    catalog = catalog_of(*routed())
    assert {operation.name for operation in catalog.operations if operation.own_authentication} == {"user_export"}


def test_a_view_that_makes_its_authenticators_itself_is_marked():
    class View(APIView):
        def get_authenticators(self):
            return [OwnAuthentication()]

        def get(self, request):
            return Response({})

    assert operation_of("GET", path("x/", View.as_view())).own_authentication


def test_no_authentication_is_not_its_own_where_that_is_the_default():
    with override_settings(REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": []}):
        assert not operation_of("GET", path("x/", authenticated())).own_authentication


class Plain(ModelViewSet):
    queryset = User.objects.all()
    permission_classes = [IsAuthenticated]


class Function(APIView):
    def get(self, request):
        return Response({})


def methods_run_by(make, view_class):
    """The names of the methods that are run on a view of this class."""
    names = set()

    def note(frame, event, _argument):
        if event == "call" and type(frame.f_locals.get("self")) is view_class:
            names.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        make()
    finally:
        sys.setprofile(None)
    return names


@pytest.mark.parametrize(
    "view", [Plain.as_view({"get": "list"}), Function.as_view()], ids=["a viewset", "a view of its own"]
)
def test_a_bare_view_runs_no_method_but_those_that_a_plain_class_leaves_alone(view):
    operation = operation_of("GET", path("x/", view))
    request = RequestFactory().get("/x/")
    force_authenticate(request, User(pk=1))
    names = methods_run_by(lambda: bare_view(operation, request), view.cls)
    assert names
    assert names <= {*PREPARING}


def test_a_class_with_methods_of_the_librarys_alone_is_plain_until_one_is_replaced(monkeypatch):
    assert is_plain(Plain, "get_permissions", "get_queryset")
    monkeypatch.setattr(Plain, "get_queryset", lambda self: None)
    assert is_plain(Plain, "get_permissions")
    assert not is_plain(Plain, "get_permissions", "get_queryset")


def test_a_class_that_was_asked_about_is_not_kept():
    view_class = type("Passing", (Plain,), {})
    reference = weakref.ref(view_class)
    assert is_plain(view_class, "get_permissions")
    del view_class
    gc.collect()
    assert reference() is None


def test_what_the_url_declares_comes_before_what_the_class_declares():
    operation = operation_of("GET", path("x/", Plain.as_view({"get": "list"}, permission_classes=[])))
    assert declared(operation, "permission_classes") == []
    assert declared(operation, "queryset") is Plain.queryset
    assert declared(operation, "no_such_thing", 5) == 5


def test_a_property_is_declared_as_a_property():
    class Varying(Plain):
        @property
        def permission_classes(self):
            raise AssertionError

    operation = operation_of("GET", path("x/", Varying.as_view({"get": "list"})))
    assert isinstance(declared(operation, "permission_classes"), property)


def test_a_mock_view_has_a_request_of_its_method_from_nobody():
    view = mock_view(operation_of("POST", path("x/", Plain.as_view({"post": "create"}))))
    assert (view.request.method, view.action, view.request.user.is_anonymous) == ("POST", "create", True)
