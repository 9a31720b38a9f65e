"""The inner request: what the host's view gets to see of its caller, of headers and of the MCP request."""

import asyncio

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.models import Session
from django.test import RequestFactory
from django.urls import get_resolver
from rest_framework.request import Request

from django_mcp.host.requests import Context, forwarded_headers, inner_request
from django_mcp.host.views import bare_view
from django_mcp.types import Caller
from tests.execution.conftest import call_of, execute, operation_at
from tests.host import views


@pytest.fixture
def outer():
    request = RequestFactory().post(
        "/mcp",
        headers={
            "host": "api.example.com",
            "authorization": "Bearer ak-secret",
            "cookie": "sessionid=stolen",
            "x-tenant": "acme",
            "x-other": "no",
            "accept-language": "cs",
        },
        REMOTE_ADDR="192.0.2.7",
        secure=True,
    )
    request.flag = "set by middleware"
    request.session = {"outer": True}
    return request


@pytest.fixture
def user():
    return User(pk=1, username="alice")


@pytest.fixture
def context(outer, user):
    return Context(outer=outer, caller=Caller(subject="key:1", user=user, auth="the token"))


@pytest.fixture
def observe(context, settings):
    """Return a function that calls a view and returns what it saw."""
    settings.ROOT_URLCONF = "tests.execution.urls"
    settings.ALLOWED_HOSTS = ["api.example.com"]
    return lambda: execute(call_of(operation_at("/sees/", "/sees/", "GET"), {}), context).data


@pytest.mark.django_db
def test_the_view_sees_the_caller_and_the_public_address(observe):
    observed = observe()
    assert (observed["user"], observed["django_user"], observed["auth"]) == ("alice", "alice", "the token")
    assert (observed["link"], observed["address"], observed["secure"]) == (
        "https://api.example.com/next/",
        "192.0.2.7",
        True,
    )
    assert observed["flag"] == "set by middleware"


@pytest.mark.django_db
@pytest.mark.parametrize(("passed_on", "auth"), [(True, "the key"), (False, None)])
def test_a_key_can_be_hidden_from_views_that_take_it_for_a_token_of_their_own(outer, user, settings, passed_on, auth):
    settings.ROOT_URLCONF, settings.ALLOWED_HOSTS = "tests.execution.urls", ["api.example.com"]
    settings.DJANGO_MCP = {"KEY_AS_REQUEST_AUTH": passed_on}
    keyed = Context(outer=outer, caller=Caller(subject="key:1", user=user, auth="the key", key_id=1))
    assert execute(call_of(operation_at("/sees/", "/sees/", "GET"), {}), keyed).data["auth"] == auth


@pytest.mark.django_db
def test_credentials_of_the_endpoint_are_not_seen(observe, settings):
    settings.DJANGO_MCP = {"FORWARD_HEADERS": ["Authorization", "Cookie"]}
    observed = observe()
    assert observed["authorization"].startswith("MCP ")
    assert observed["cookie"].startswith("mcp_caller=")
    assert "ak-secret" not in str(observed)
    assert "stolen" not in str(observed)


@pytest.mark.django_db
def test_headers_are_forwarded_by_name_only(observe, settings, outer):
    assert observe()["tenant"] is None
    settings.DJANGO_MCP = {"FORWARD_HEADERS": ["X-Tenant", "X-Absent"]}
    assert observe()["tenant"] == "acme"
    assert forwarded_headers(outer) == {"X-Tenant": "acme"}


@pytest.mark.django_db
def test_the_session_works_and_is_thrown_away(observe, outer):
    observe()
    assert views.seen["session"]["cart"] == 1
    assert outer.session == {"outer": True}
    assert not Session.objects.exists()


def test_opaque_credentials_differ_by_caller_and_are_stable(context, outer, user):
    def header(subject):
        other = Context(outer=outer, caller=Caller(subject=subject, user=user))
        return inner_request(other, method="GET", path="/").headers["Authorization"]

    assert header("key:1") == inner_request(context, method="GET", path="/").headers["Authorization"]
    assert header("key:2") != header("key:1")


def test_an_anonymous_caller_is_forced_too(outer):
    context = Context(outer=outer, caller=Caller(subject="anonymous", user=None))
    request = inner_request(context, method="GET", path="/")
    assert isinstance(request.user, AnonymousUser)
    wrapped = Request(request, authenticators=[object()])
    assert isinstance(wrapped.user, AnonymousUser)


def test_the_asynchronous_user_is_the_caller(context, user):
    assert asyncio.run(inner_request(context, method="GET", path="/").auser()) is user


def test_path_query_and_body_arrive(context):
    request = inner_request(
        context, method="POST", path="/ž %2F/", query={"q": ["a&b", "c"]}, body=b"{}", content_type="application/json"
    )
    assert request.path_info == "/ž %2F/"
    assert request.GET.getlist("q") == ["a&b", "c"]
    assert request.body == b"{}"
    assert request.content_type == "application/json"


def test_the_script_name_is_kept(context):
    context.outer.META["SCRIPT_NAME"] = "/app"
    request = inner_request(context, method="GET", path="/orders/")
    assert (request.path, request.path_info) == ("/app/orders/", "/orders/")


def test_messages_of_the_view_are_its_own(context, outer):
    outer._messages = "the outer storage"
    request = inner_request(context, method="GET", path="/")
    assert request._messages != "the outer storage"


def test_a_bare_view_is_ready_for_permissions_and_schemas(context, settings):
    settings.ROOT_URLCONF = "tests.execution.urls"
    operation = operation_at("/items/1/", "/items/{pk}/", "PATCH")
    view = bare_view(operation, inner_request(context, method="PATCH", path="/items/1/"))
    assert (view.action, view.kwargs, view.request.user.username) == ("partial_update", {}, "alice")
    assert view.get_serializer().fields["name"].required
    view.check_permissions(view.request)


def test_a_bare_generic_view_is_set_up(context):
    callback = get_resolver("tests.execution.urls").resolve("/generic/1/").func
    operation = operation_at("/generic/1/", "/generic/{pk}/", "PUT")
    view = bare_view(operation, inner_request(context, method="PUT", path="/generic/1/"))
    assert isinstance(view, callback.cls)
    assert view.kwargs == {}


def test_a_view_that_is_asked_has_negotiated_its_content_as_in_a_dispatch(context):
    operation = operation_at("/items/", "/items/", "GET")
    view = bare_view(operation, inner_request(context, method="GET", path="/items/"))
    assert view.request.accepted_media_type == "application/json"
    assert view.request.accepted_renderer.format == "json"
