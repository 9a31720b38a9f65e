"""Reads that write: this module is also the URLconf of an API whose reads do."""

import logging
from io import StringIO

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.urls import include, path
from rest_framework.response import Response
from rest_framework.views import APIView

from demo_project.coffee_shop import mcp as shop_module
from django_mcp.choices import Safety
from django_mcp.decorators import mcp_operation, mcp_tool
from django_mcp.host import read_guard
from django_mcp.host.read_guard import ReadWrote, watching
from django_mcp.models import AuditEvent, Confirmation, ToolGroup
from django_mcp.testing import McpClient
from django_mcp.tools import registry
from tests.host.models import Item
from tests.host.views import AsyncView

pytestmark = pytest.mark.django_db


class Api(APIView):
    """Answers in whatever way the test wants."""

    behave = None

    def get(self, request):
        return Response(type(self).behave())

    @mcp_operation(name="preview", safety=Safety.READ_ONLY)
    def post(self, request):
        return Response(type(self).behave())

    @mcp_operation(name="change")
    def put(self, request):
        return Response(type(self).behave())

    @mcp_operation(name="look_after_approval", safety=Safety.READ_ONLY, requires_approval=True)
    def patch(self, request):
        return Response(type(self).behave())


class Later(AsyncView):
    @mcp_operation(name="later", safety=Safety.READ_ONLY)
    async def post(self, request):
        await Item.objects.acreate(name="seen")
        return Response({})


urlpatterns = [
    path("later/", transaction.non_atomic_requests(Later.as_view())),
    path("", include("django_mcp.urls")),
    path("things/", mcp_operation(name="look", group="counting", actions=["get"])(Api).as_view()),
]


@pytest.fixture(autouse=True)
def host(settings, monkeypatch):
    settings.ROOT_URLCONF = __name__
    monkeypatch.setattr(read_guard, "_warned", set())
    ToolGroup.objects.create(name="counting", exposed=True)
    ToolGroup.objects.create(name="tests", exposed=True)


@pytest.fixture
def behave(monkeypatch):
    """Have the API's views do something."""
    return lambda behaviour: monkeypatch.setattr(Api, "behave", staticmethod(behaviour))


@pytest.fixture
def guard(settings):
    def set_to(mode):
        settings.DJANGO_MCP = {**settings.DJANGO_MCP, "READ_GUARD": mode}

    return set_to


@pytest.fixture
def mcp(django_user_model):
    return McpClient(user=django_user_model.objects.create_user("sam"))


def counts():
    """Read one thing and write another, as a view counter does."""
    Item.objects.create(name="seen")
    return {"items": Item.objects.count()}


def swallows():
    try:
        with transaction.atomic():
            Item.objects.create(name="seen")
    except DatabaseError:
        return {"saved": "perhaps"}
    return {"saved": "yes"}


def events():
    return AuditEvent.objects.filter(kind="read_wrote")


def test_a_read_that_writes_is_answered_and_goes_on_the_record(mcp, behave):
    behave(counts)
    assert mcp.tool("api_read", {"name": "look", "args": {}}).data["response"] == {"items": 1}
    event = events().get()
    assert (event.target, event.username) == ("look", "sam")
    assert event.detail == {"wrote": ["INSERT host_item"], "refused": False}


def test_the_log_is_warned_once_of_an_operation(mcp, behave, caplog):
    behave(counts)
    for _ in range(3):
        mcp.tool("api_read", {"name": "look", "args": {}})
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "look is declared ReadOnly" in warnings[0]
    assert "INSERT host_item" in warnings[0]
    assert events().count() == 3


def test_no_written_value_is_quoted(mcp, behave, caplog):
    behave(lambda: Item.objects.create(name="hunter2", pin="hunter2").pk)
    mcp.tool("api_read", {"name": "look", "args": {}})
    assert "hunter2" not in caplog.text + str(events().get().detail)


def test_off_watches_nothing(mcp, behave, guard, caplog):
    guard("off")
    behave(counts)
    assert mcp.tool("api_read", {"name": "look", "args": {}}).data["response"] == {"items": 1}
    assert not events()
    assert not caplog.records


def test_enforce_refuses_the_write_and_says_so(mcp, behave, guard):
    guard("enforce")
    behave(counts)
    answer = mcp.tool("api_read", {"name": "look", "args": {}})
    assert answer.is_error
    assert (answer.data["code"], answer.data["httpStatus"]) == ("operation_failed", 500)
    assert answer.data["error"].startswith("look is declared ReadOnly but tried to write")
    assert "INSERT" not in answer.text
    assert not Item.objects.exists()
    assert events().get().detail == {"wrote": ["INSERT host_item"], "refused": True}


def test_a_view_cannot_claim_success_for_a_write_that_was_refused(mcp, behave, guard):
    guard("enforce")
    behave(swallows)
    answer = mcp.tool("api_read", {"name": "look", "args": {}})
    assert (answer.is_error, answer.data["code"]) == (True, "operation_failed")
    assert not Item.objects.exists()


def test_a_read_that_only_reads_is_answered_under_enforce(mcp, behave, guard):
    guard("enforce")
    behave(lambda: {"items": list(Item.objects.select_for_update().values_list("name", flat=True))})
    assert mcp.tool("api_read", {"name": "look", "args": {}}).data["response"] == {"items": []}
    assert not events()


def test_an_operation_that_is_declared_to_read_is_watched_whatever_its_method(mcp, behave, guard):
    guard("enforce")
    behave(counts)
    assert mcp.tool("api_call", {"name": "preview", "args": {}}).data["code"] == "operation_failed"
    assert not Item.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_async_view_is_watched(mcp, guard):
    guard("enforce")
    assert mcp.tool("api_read", {"name": "later", "args": {}}).data["code"] == "operation_failed"
    assert not Item.objects.exists()
    assert events().get().detail == {"wrote": ["INSERT host_item"], "refused": True}


def test_a_write_is_not_watched(mcp, behave, guard):
    guard("enforce")
    behave(counts)
    assert mcp.call("change", {}).confirm().response == {"items": 1}
    assert not events()


def test_a_read_that_needs_approval_is_watched_when_it_runs(mcp, behave, guard):
    guard("enforce")
    behave(counts)
    answer = mcp.tool("api_call", {"name": "look_after_approval", "args": {}})
    token = answer.data["confirmationToken"]
    confirmed = {"name": "look_after_approval", "args": {}, "confirmationToken": token}
    assert mcp.tool("api_call", confirmed).data["code"] == "operation_failed"
    assert not Item.objects.exists()
    assert Confirmation.objects.get().state == "rejected"


def test_raw_sql_is_watched(mcp, behave, guard):
    def raw():
        with connection.cursor() as cursor:
            cursor.execute("/* a hint */ DELETE FROM host_item")
            cursor.executemany("INSERT INTO host_item (name) VALUES (%s)", [["a"], ["b"]])
        return {}

    guard("enforce")
    Item.objects.create(name="stays")
    behave(raw)
    mcp.tool("api_read", {"name": "look", "args": {}})
    assert [item.name for item in Item.objects.all()] == ["stays"]
    assert events().get().detail["wrote"] == ["DELETE host_item"]


def test_a_hook_after_the_commit_is_watched(mcp, behave, guard, django_capture_on_commit_callbacks):
    behave(lambda: transaction.on_commit(lambda: Item.objects.create(name="late")))
    guard("enforce")
    with watching("look") as watch, pytest.raises(ReadWrote), django_capture_on_commit_callbacks(execute=True):
        Api.behave()
    assert watch.writes == ["INSERT host_item"]


def test_a_tool_that_is_declared_to_read_is_watched(mcp, guard, monkeypatch):
    @mcp_tool(name="peek", group="counting", description="Looks.", safety=Safety.READ_ONLY)
    def peek(caller, data):
        return counts()

    guard("enforce")
    monkeypatch.setattr(shop_module, "_peek", peek, raising=False)
    registry.hosted_tools.cache_clear()
    try:
        answer = mcp.tool("peek", {})
    finally:
        monkeypatch.undo()
        registry.hosted_tools.cache_clear()
    assert answer.is_error
    assert answer.data["error"].startswith("peek is declared ReadOnly but tried to write")
    assert not Item.objects.exists()


def test_the_table_of_a_database_cache_may_be_written(mcp, behave, guard, settings):
    settings.CACHES = {
        **settings.CACHES,
        "rows": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cached_rows"},
    }
    call_command("createcachetable", "cached_rows", stdout=StringIO())
    guard("enforce")
    behave(lambda: caches["rows"].get_or_set("answer", 42))
    assert mcp.tool("api_read", {"name": "look", "args": {}}).data["response"] == 42
    assert not events()


def test_savepoints_are_no_write(guard):
    guard("enforce")
    with watching("look") as watch, transaction.atomic(), transaction.atomic():
        list(Item.objects.all())
    assert watch.writes == []


def test_queries_are_no_longer_watched_afterwards(guard):
    guard("enforce")
    before = list(connection.execute_wrappers)
    with pytest.raises(ReadWrote), watching("look"), transaction.atomic():
        Item.objects.create(name="never")
    assert connection.execute_wrappers == before
    Item.objects.create(name="now")


def test_a_watch_keeps_a_bounded_list():
    with watching("look") as watch, connection.cursor() as cursor:
        for number in range(read_guard.MAX_NOTICED + 5):
            cursor.execute(f"CREATE TEMPORARY TABLE t{number} (id int)")
        for number in range(read_guard.MAX_NOTICED + 5):
            cursor.execute(f"DROP TABLE t{number}")
    assert len(watch.writes) == read_guard.MAX_NOTICED


@pytest.mark.parametrize(
    "sql", [b"DELETE FROM t", type("Composed", (), {"as_string": lambda self, _of: "DELETE FROM t"})()]
)
def test_a_query_that_is_no_text_is_read_as_its_driver_would_send_it(sql, guard):
    guard("enforce")
    with watching("look") as watch, pytest.raises(ReadWrote):
        watch(lambda *sent: None, sql, None, False, {"connection": connection})
    assert watch.writes == ["DELETE t"]


def test_writes_to_named_databases_are_noticed():
    with read_guard.noticing(["default"]) as writes:
        Item.objects.filter(name="nothing").exists()
        assert not writes
        Item.objects.create(name="something")
    assert [write.verb for write in writes] == ["INSERT"]
