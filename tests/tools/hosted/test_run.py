"""One run of a tool that a host defines: its transaction, its errors, its execution context."""

import logging
import uuid
from contextlib import contextmanager
from decimal import Decimal

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import exceptions, serializers

from django_mcp.choices import Safety
from django_mcp.errors import NotFound, ProtocolError, ToolError
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.testing import RpcError
from tests.tools.hosted.conftest import Cup, Member, create, event_kinds, raising

ATOMIC = pytest.mark.parametrize(
    ("atomic", "requests", "remains"),
    [(None, True, False), (None, False, True), (True, False, False), (False, True, True)],
)


@ATOMIC
def test_a_tool_error_undoes_what_its_transaction_did(offer, mcp, monkeypatch, atomic, requests, remains):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", requests)
    options = {} if atomic is None else {"atomic": atomic}
    offer(raising(ToolError("Out of beans.", left=0)), name="pour", **options)
    answer = mcp.tool("pour").confirm()
    assert (answer.code, answer.error, answer.data["left"]) == ("operation_failed", "Out of beans.", 0)
    assert Group.objects.exists() is remains
    assert Confirmation.objects.get().state == "rejected"
    assert event_kinds()[-1] == "executed"


@ATOMIC
def test_an_exception_is_an_error_id_and_honest_about_what_remains(
    offer, mcp, monkeypatch, caplog, atomic, requests, remains
):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", requests)
    options = {} if atomic is None else {"atomic": atomic}
    offer(raising(RuntimeError("beans at /srv/beans")), name="pour", **options)
    answer = mcp.tool("pour").confirm()
    assert answer.code == ("outcome_unknown" if remains else "internal_error")
    assert ("Nothing was changed." in answer.error) is not remains
    assert "/srv/beans" not in str(answer.raw)
    assert answer.data["errorId"] in caplog.text
    assert Group.objects.exists() is remains
    assert Confirmation.objects.get().state == ("unknown" if remains else "rejected")


def test_an_async_tool_shares_the_transaction(offer, mcp):
    async def later(caller, data):
        await Group.objects.acreate(name="left behind")
        assert await sync_to_async(lambda: transaction.get_connection().in_atomic_block)()
        raise ToolError("Out of beans.")

    offer(later, atomic=True)
    assert mcp.tool("later").confirm().error == "Out of beans."
    assert not Group.objects.exists()


def test_an_exception_of_a_read_leaks_nothing(offer, mcp):
    offer(raising(RuntimeError("beans at /srv/beans")), name="look", safety=Safety.READ_ONLY)
    answer = mcp.tool("look")
    assert answer.code == "internal_error"
    assert "/srv/beans" not in str(answer.raw)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (NotFound("No such cup."), "not_found", "No such cup."),
        (exceptions.ValidationError({"size": ["Too big."]}), "validation_error", "size: Too big."),
        (exceptions.PermissionDenied("Staff only."), "permission_denied", "Staff only."),
        (exceptions.Throttled(wait=2.5), "throttled", "throttled"),
        (PermissionDenied("internal reason"), "permission_denied", "permission"),
        (Http404("No Group matches"), "not_found", "Not found"),
    ],
)
def test_errors_that_django_and_drf_mean_for_the_caller_reach_it(offer, mcp, error, code, text):
    offer(raising(error), name="pour", atomic=True)
    answer = mcp.tool("pour").confirm()
    assert answer.code == code
    assert text in answer.error
    assert "internal reason" not in str(answer.raw)
    assert Confirmation.objects.get().state == "rejected"
    assert not Group.objects.exists()


def test_a_missing_object_is_not_found(offer, mcp):
    offer(lambda caller, data: get_object_or_404(Group, pk=99), name="look", safety=Safety.READ_ONLY)
    assert mcp.tool("look").code == "not_found"


def test_a_server_error_of_drf_is_unexpected(offer, mcp):
    offer(raising(exceptions.APIException("psql: /var/run")), name="look", safety=Safety.READ_ONLY)
    answer = mcp.tool("look")
    assert answer.code == "internal_error"
    assert "psql" not in str(answer.raw)


@pytest.mark.parametrize("safety", [Safety.READ_ONLY, Safety.WRITE])
def test_a_protocol_error_is_the_whole_answer(offer, mcp, safety):
    error = ProtocolError(-32042, "Authorise first.", data={"url": "https://x.example", "cost": Decimal("1.5")})
    offer(raising(error), name="pour", safety=safety, atomic=True)
    if safety is Safety.READ_ONLY:
        call = lambda: mcp.tool("pour")  # noqa: E731
    else:
        call = mcp.tool("pour").confirm
    with pytest.raises(RpcError) as caught:
        call()
    assert (caught.value.code, caught.value.message) == (-32042, "Authorise first.")
    assert caught.value.data == {"url": "https://x.example", "cost": 1.5}
    assert not Group.objects.exists()
    if safety is Safety.WRITE:
        row = Confirmation.objects.get()
        assert (row.state, row.outcome["response"]["code"]) == ("rejected", -32042)
        assert event_kinds()[-1] == "executed"


class Picky(serializers.Serializer):
    size = serializers.CharField()

    def validate_size(self, value):
        raise ProtocolError(-32042, "Authorise first.")


def test_a_protocol_error_before_anything_runs_is_on_the_record(offer, mcp):
    offer(lambda caller, data: {}, name="pour", safety=Safety.WRITE, input=Picky)
    with pytest.raises(RpcError):
        mcp.tool("pour", {"size": "small"})
    event = AuditEvent.objects.latest("id")
    assert (event.kind, event.target, event.detail["code"]) == ("call_refused", "pour", -32042)
    assert not Confirmation.objects.exists()


def test_details_come_as_json_and_leave_the_envelope_alone(offer, mcp):
    error = ToolError("Sold out.", status="fine", code="mine", api="other", price=Decimal("2.50"), at=uuid.UUID(int=2))
    offer(raising(error), name="pour", safety=Safety.READ_ONLY)
    envelope = mcp.tool("pour").data
    assert (envelope["status"], envelope["code"], envelope["api"]) == ("error", "operation_failed", "pour")
    assert (envelope["price"], envelope["at"]) == (2.5, str(uuid.UUID(int=2)))


def test_details_that_json_cannot_say_are_unexpected(offer, mcp, caplog):
    offer(raising(ToolError("Sold out.", order=object())), name="pour", safety=Safety.READ_ONLY)
    answer = mcp.tool("pour")
    assert answer.code == "internal_error"
    assert "Sold out." in caplog.text


entered = []


@contextmanager
def tenant(request):
    entered.append((request.user.username, request.method))
    yield
    entered.append("left")


@contextmanager
def swallowing(request):
    try:
        yield
    except RuntimeError:
        logging.getLogger("tests").info("swallowed")


@contextmanager
def closed(request):
    raise RuntimeError("no tenant")
    yield


def test_the_execution_context_is_entered_around_validation_and_run(offer, mcp, settings):
    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [f"{__name__}.tenant"]}
    entered.clear()
    offer(lambda caller, data: {"inside": entered[-1] != "left"}, name="look", input=Cup)
    proposal = mcp.tool("look", {"size": "small"})
    assert entered == [("sam", "POST"), "left"]
    assert proposal.confirm().data == {"inside": True}
    assert entered[-1] == "left"


def test_a_context_that_swallows_the_exception_does_not_make_it_a_success(offer, mcp, settings):
    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [swallowing]}
    offer(raising(RuntimeError("x")), name="pour", atomic=True)
    assert mcp.tool("pour").confirm().code == "internal_error"
    assert Confirmation.objects.get().state == "rejected"


def test_a_context_that_cannot_be_entered_runs_nothing(offer, mcp, settings):
    offer(create, atomic=False, input=Member)
    proposal = mcp.tool("create", {"name": "roasters"})
    settings.DJANGO_MCP = {"EXECUTION_CONTEXT": [closed]}
    answer = proposal.confirm()
    assert answer.code == "internal_error"
    assert not Group.objects.exists()
    settings.DJANGO_MCP = {}
    assert proposal.confirm().status == "success"
