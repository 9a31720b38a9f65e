"""Calls through their view: its permissions, its transaction, the guard, the host's contexts, and the reply."""

import logging
from contextlib import contextmanager
from io import BytesIO

import pytest
from django.core.exceptions import PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.db import connection, transaction
from rest_framework.exceptions import Throttled

from django_mcp.errors import TargetChanged
from django_mcp.host.requests import Context
from django_mcp.replies import ViewReply
from django_mcp.types import Caller
from tests.execution.conftest import execute, swallowing
from tests.host import views
from tests.host.models import Item

pytestmark = pytest.mark.django_db
durable = pytest.mark.django_db(transaction=True)


@pytest.fixture
def without_atomic_requests(monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", False)


def test_a_row_is_created_through_the_view(call, context):
    reply = execute(call("POST", "/items/", {"name": "Ž", "price": "1.50", "pin": "1"}), context)
    assert (reply.status, reply.data["name"]) == (201, "Ž")
    assert Item.objects.get().price == 1.5


def test_permissions_of_the_view_are_asked(call, context):
    assert execute(call("POST", "/denied/", {"name": "x"}), context).status == 403
    assert not Item.objects.exists()


def test_object_permissions_are_asked(call, context, django_user_model):
    item = Item.objects.create(name="bob's", owner=django_user_model.objects.create_user("bob"))
    reply = execute(call("DELETE", "/items/{pk}/", {"pk": item.pk}, at="/items/1/"), context)
    assert reply.status == 403
    assert Item.objects.exists()


def test_throttles_count(call, context):
    assert execute(call("POST", "/throttled/", {"name": "x"}), context).status == 201
    reply = execute(call("POST", "/throttled/", {"name": "x"}), context)
    assert reply.status == 429
    assert 0 < reply.retry_after <= 60


def test_initial_of_the_view_runs(call, context):
    assert execute(call("GET", "/initial/"), context).data == {"tenant": "tenant of alice"}


@pytest.mark.parametrize(
    ("route", "arguments", "at", "version"),
    [
        ("/by-path/{version}/", {"version": "3"}, "/by-path/3/", "3"),
        ("/v2/by-namespace/", {}, None, "v2"),
        ("/by-accept/", {}, None, "1.5"),
    ],
)
def test_the_version_is_determined(call, context, route, arguments, at, version):
    assert execute(call("GET", route, arguments, at=at), context).data == {"version": version}


@pytest.mark.parametrize("route", ["/cached/", "/cached-by-cookie/"])
def test_caches_that_vary_keep_callers_apart(call, context, django_user_model, route):
    bob = Caller(subject="key:2", user=django_user_model.objects.create_user("bob"))
    assert execute(call("GET", route), context).data == {"user": "alice"}
    assert execute(call("GET", route), Context(outer=context.outer, caller=bob)).data == {"user": "bob"}


@durable
def test_an_exception_is_rolled_back_and_says_nothing_of_itself(call, context, caplog):
    with caplog.at_level(logging.ERROR, "django_mcp"):
        reply = execute(call("POST", "/crash/", {"password": "correct horse"}), context)
    assert reply == ViewReply(status=500, rolled_back=True, error_id=reply.error_id)
    assert reply.error_id
    assert not Item.objects.exists()
    assert views.hooks == []
    assert reply.error_id in caplog.text
    assert "RuntimeError" in caplog.text
    assert "correct horse" not in caplog.text


@durable
def test_secrets_in_nested_arguments_are_not_logged(call, context, caplog):
    sent = {"password": "", "users": [{"password": "correct horse"}]}
    with caplog.at_level(logging.ERROR, "django_mcp"):
        execute(call("POST", "/crash-nested/", sent), context)
    assert "KeyError" in caplog.text
    assert "correct horse" not in caplog.text


@durable
def test_without_atomic_requests_nothing_is_promised(call, context, without_atomic_requests):
    reply = execute(call("POST", "/crash/"), context)
    assert (reply.status, reply.rolled_back, Item.objects.count()) == (500, False, 1)


@durable
def test_a_refusal_by_exception_is_rolled_back(call, context):
    reply = execute(call("POST", "/save-then-refuse/"), context)
    assert (reply.status, reply.rolled_back, reply.data) == (400, True, {"name": ["Taken."]})
    assert not Item.objects.exists()


@durable
def test_a_refusal_by_answer_is_committed_as_over_http(call, context):
    reply = execute(call("POST", "/save-then-answer/"), context)
    assert (reply.status, reply.rolled_back, Item.objects.count()) == (400, False, 1)


@durable
def test_hooks_run_once_before_the_answer(call, context):
    reply = execute(call("POST", "/hooked/"), context)
    assert (reply.data, views.hooks) == ({"hooks": 0}, ["hooked"])


@durable
def test_a_hook_that_raises_does_not_hide_that_the_row_is_there(call, context):
    reply = execute(call("POST", "/bad-hook/"), context)
    assert (reply.status, reply.rolled_back, Item.objects.count()) == (500, False, 1)


@durable
def test_an_answer_that_cannot_be_rendered_does_not_hide_that_the_row_is_there(call, context):
    reply = execute(call("POST", "/unrenderable/"), context)
    assert (reply.status, reply.rolled_back, Item.objects.count()) == (500, False, 1)


@durable
def test_an_async_view_runs(call, context, without_atomic_requests):
    reply = execute(call("POST", "/async/"), context, guard=lambda locked: views.seen.update(locked=locked))
    assert (reply.data, views.seen["locked"], Item.objects.count()) == ({"user": "alice"}, False, 1)


def test_an_async_view_under_atomic_requests_does_not_run(call, context):
    reply = execute(call("POST", "/async/"), context)
    assert (reply.status, reply.rolled_back) == (500, True)


@durable
def test_the_guard_is_asked_in_the_transaction_of_the_view(call, context):
    locks = []
    execute(call("POST", "/items/", {"name": "x"}), context, guard=locks.append)
    assert locks == [True]


@durable
def test_what_the_guard_raises_comes_out_and_nothing_ran(call, context, caplog):
    def guard(locked):
        Item.objects.create(name="by the guard")
        msg = "It changed."
        raise TargetChanged(msg)

    with pytest.raises(TargetChanged):
        execute(call("POST", "/items/", {"name": "x"}), context, guard=guard)
    assert not Item.objects.exists()
    assert caplog.text == ""


def test_links_are_built_on_the_public_host(call, context):
    Item.objects.bulk_create(Item(name=str(number)) for number in range(30))
    reply = execute(call("GET", "/items/"), context)
    assert len(reply.data["results"]) == 25
    assert reply.data["next"] == "http://api.example.com/items/?limit=25&offset=25"


def test_an_exception_outside_drf_is_answered_as_django_would(call, context):
    reply = execute(call("GET", "/suspicious/"), context)
    assert (reply.status, reply.data) == (400, {"detail": "Bad request."})


def test_a_call_inside_a_transaction_leaves_it_usable(call, context):
    with transaction.atomic():
        execute(call("POST", "/crash/"), context)
        assert Item.objects.count() == 0


def test_an_asgi_request_can_be_the_outer_one(call, context):
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "scheme": "https",
        "headers": [(b"host", b"api.example.com"), (b"authorization", b"Bearer ak-secret")],
        "client": ("192.0.2.9", 5),
        "server": ("10.0.0.1", 8000),
    }
    outer = ASGIRequest(scope, BytesIO())
    saw = execute(call("GET", "/sees/"), Context(outer=outer, caller=context.caller)).data
    assert (saw["link"], saw["address"]) == ("https://api.example.com/next/", "192.0.2.9")
    assert "ak-secret" not in str(saw)


def test_execution_contexts_are_entered_around_the_view(call, context, settings):
    order = []

    @contextmanager
    def tenant(request):
        order.append(f"enter {request.path} {request.user}")
        yield
        order.append("leave")

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [tenant]}
    execute(call("GET", "/initial/"), context)
    assert order == ["enter /initial/ alice", "leave"]


def test_a_context_is_named_by_its_dotted_path(call, context, settings):
    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": ["tests.host.views.as_tenant"]}
    execute(call("GET", "/initial/"), context)
    assert views.seen["tenant"] == "/initial/"


def test_a_context_that_cannot_be_entered_stops_the_call(call, context, settings):
    def broken(request):
        msg = "no tenant"
        raise LookupError(msg)

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [broken]}
    reply = execute(call("POST", "/items/", {"name": "x"}), context)
    assert (reply.status, reply.rolled_back, Item.objects.count()) == (500, True, 0)


def test_a_permission_error_of_a_context_is_a_403(call, context, settings):
    def closed(request):
        raise PermissionDenied("hunter2")

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [closed]}
    reply = execute(call("GET", "/initial/"), context)
    assert (reply.status, reply.data) == (403, {"detail": "You do not have permission to perform this action."})


def test_an_api_error_of_a_context_is_answered_as_drf_would(call, context, settings):
    def busy(request):
        raise Throttled(wait=3)

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [busy]}
    reply = execute(call("GET", "/initial/"), context)
    assert (reply.status, reply.retry_after) == (429, 3)


@durable
def test_a_swallowing_context_does_not_swallow_the_guard(call, context, settings):
    def guard(locked):
        msg = "It changed."
        raise TargetChanged(msg)

    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [swallowing]}
    with pytest.raises(TargetChanged):
        execute(call("POST", "/items/", {"name": "x"}), context, guard=guard)
    assert execute(call("POST", "/crash/"), context).status == 500
