"""A call leaves its thread as it found it."""

import threading
from types import SimpleNamespace

import pytest
from asgiref.sync import async_to_sync, markcoroutinefunction
from django.db import connections
from django.test import AsyncClient
from django.urls import get_urlconf
from django.utils import timezone, translation

from tests.host import tenants, views
from tests.host.models import Item

pytestmark = pytest.mark.django_db

CALLS = {
    "sees": {},
    "whereabouts": {},
    "crash": {},
    "save_then_refuse": {},
    "item_create": {"name": "x"},
    "item_retrieve": {"id": 999},
    "kinds_kind": {"kind": "missing"},
    "nope": {},
}


def state():
    return {
        "language": translation.get_language(),
        "zone": timezone.get_current_timezone_name(),
        "urlconf": get_urlconf(),
        "tenant": tenants.current.get(),
        "threads": threading.active_count(),
        "atomic": [connection.in_atomic_block for connection in connections.all()],
        "blocks": [len(connection.atomic_blocks) for connection in connections.all()],
        "wrappers": [len(connection.execute_wrappers) for connection in connections.all()],
        "connections": [id(connection.connection) for connection in connections.all()],
    }


@pytest.mark.parametrize("operation", CALLS)
def test_language_zone_thread_and_connections_are_as_before(attempt, settings, operation):
    # The middleware activates the language of the request, also for the endpoint itself.
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "LocaleMiddleware" not in name]
    with translation.override("cs"), timezone.override("Europe/Prague"):
        before = state()
        attempt(operation, **CALLS[operation])
        assert state() == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("operation", CALLS)
def test_no_transaction_stays_open(attempt, operation):
    attempt(operation, **CALLS[operation])
    assert [(connection.in_atomic_block, connection.run_on_commit) for connection in connections.all()] == [(False, [])]


def test_a_session_that_a_view_fills_is_stored_nowhere(alice):
    from django.contrib.sessions.models import Session

    alice.read("sees")
    assert views.seen["session"]["cart"] == 1
    assert not Session.objects.exists()


class AsyncOnly:
    async_capable, sync_capable = True, False

    def __init__(self, get_response):
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request):
        return await self.get_response(request)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("more", [[], ["tests.cases.test_traces.AsyncOnly"]], ids=["sync", "async middleware"])
def test_reads_and_writes_run_under_asgi(alice, settings, more):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, *more]
    http = AsyncClient(raise_request_exception=False)

    async def post(*args, **headers):
        return await http.post(*args, **headers)

    alice.http = SimpleNamespace(post=async_to_sync(post))
    assert len(alice.read("item_list", limit=2).response["results"]) == 2
    assert alice.call("item_create", {"name": "over ASGI"}).confirm().status == "success"
    assert Item.objects.filter(name="over ASGI").exists()


def test_a_host_answers_in_the_language_that_was_asked_for(alice):
    said = {}
    for language in ("cs", "en"):
        alice.headers["Accept-Language"] = language
        said[language] = alice.read("api_greeting").response
    assert said == {"cs": {"yes": "Ano", "lazy": "Ne"}, "en": {"yes": "Yes", "lazy": "No"}}
