"""The results of a tool that a host defines: what it may return, and what its output schema promises."""

import asyncio
import uuid
from decimal import Decimal

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group
from django.test import AsyncClient
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from django_mcp.choices import Safety
from django_mcp.errors import ToolError
from django_mcp.tools.media import Audio, Image, ResourceLink, Text
from tests.tools.hosted.conftest import Cup, raising


class Brewed(serializers.Serializer):
    size = serializers.CharField()
    price = serializers.DecimalField(max_digits=5, decimal_places=2)
    at = serializers.DateTimeField()


def test_an_output_serializer_is_published_and_kept(offer, mcp):
    result = {"size": "small", "price": Decimal("2.5"), "at": timezone.now(), "secret_recipe": "beans"}
    offer(lambda caller, data: result, name="brewed", safety=Safety.READ_ONLY, output=Brewed)
    assert set(mcp.tools()["brewed"]["outputSchema"]["required"]) == {"size", "price", "at"}
    answer = mcp.tool("brewed").data
    assert (answer["price"], set(answer)) == ("2.50", {"size", "price", "at"})


def test_a_result_that_breaks_its_own_schema_fails_the_hosts_test(offer, mcp):
    schema = {"type": "object", "properties": {"cups": {"type": "integer"}}, "required": ["cups"]}
    offer(lambda caller, data: {"cups": "two"}, name="count", safety=Safety.READ_ONLY, output_schema=schema)
    with pytest.raises(AssertionError, match="cups: 'two' is not of type 'integer'"):
        mcp.tool("count")


def test_a_result_without_the_promised_object_fails_the_hosts_test(offer, mcp):
    offer(lambda caller, data: "two", name="count", safety=Safety.READ_ONLY, output_schema={"type": "object"})
    with pytest.raises(AssertionError, match="no structured content"):
        mcp.tool("count")


STRICT = {
    "type": "object",
    "properties": {"status": {"enum": ["hot", "cold"]}, "cups": {"$ref": "#/$defs/cups"}},
    "$defs": {"cups": {"type": "integer"}},
    "required": ["status", "cups"],
    "additionalProperties": False,
}


def test_an_output_schema_passes_untouched_where_the_tool_runs_at_once(offer, mcp):
    offer(lambda caller, data: {"status": "hot", "cups": 1}, name="pour", safety=Safety.READ_ONLY, output_schema=STRICT)
    assert mcp.tools()["pour"]["outputSchema"] == STRICT
    assert mcp.tool("pour").data == {"status": "hot", "cups": 1}


def test_an_error_that_does_not_fit_the_promised_schema_comes_as_text_alone(offer, mcp):
    offer(raising(ToolError("Out of beans.")), name="pour", safety=Safety.READ_ONLY, output_schema=STRICT)
    answer = mcp.tool("pour")
    assert "structuredContent" not in answer.raw
    assert (answer.code, answer.error) == ("operation_failed", "Out of beans.")


def test_an_error_that_fits_what_is_promised_keeps_its_object(offer, mcp):
    offer(raising(ToolError("Out of beans.")), name="pour", safety=Safety.READ_ONLY, output_schema={"type": "object"})
    assert mcp.tool("pour").raw["structuredContent"]["error"] == "Out of beans."


def test_a_proposal_fits_the_output_schema_of_a_tool_that_is_confirmed(offer, mcp):
    offer(lambda caller, data: {"status": "hot", "cups": 1}, name="pour", output_schema=STRICT)
    proposal = mcp.tool("pour")
    assert proposal.status == "requires_confirmation"
    assert proposal.confirm().data == {"status": "hot", "cups": 1}
    assert proposal.confirm().raw["structuredContent"]["code"] == "confirmation_used"
    assert set(mcp.tools()["pour"]["outputSchema"]["properties"]) == {"status", "cups"}


def test_several_pieces_of_content_come_in_order_beside_one_object(offer, mcp):
    result = [
        Text("For you.", audience=["user"], priority=1),
        Image(b"\x89PNG", "image/png"),
        Audio(b"RIFF", "audio/wav"),
        ResourceLink("https://x.example/a", "a"),
        {"cups": 2},
    ]
    offer(lambda caller, data: result, name="serve", safety=Safety.READ_ONLY)
    answer = mcp.tool("serve")
    assert [block["type"] for block in answer.content] == ["text", "image", "audio", "resource_link", "text"]
    assert answer.content[0]["annotations"] == {"audience": ["user"], "priority": 1}
    assert answer.data == {"cups": 2}


def test_content_beside_an_object_of_the_output_serializer(offer, mcp):
    result = [Text("Done."), {"size": "small", "price": Decimal(2), "at": timezone.now()}]
    offer(lambda caller, data: result, name="serve", safety=Safety.READ_ONLY, output=Brewed)
    answer = mcp.tool("serve")
    assert answer.content[0]["text"] == "Done."
    assert answer.data["price"] == "2.00"


@pytest.mark.parametrize(
    ("result", "data"),
    [
        ({"when": uuid.UUID(int=1)}, {"when": str(uuid.UUID(int=1))}),
        ([1, 2], {"result": [1, 2]}),
        (None, {}),
        (Response({"a": 1}), {"a": 1}),
        (Cup({"size": "small", "count": 3}), {"size": "small", "count": 3}),
        ("plain text", {}),
    ],
)
def test_what_a_tool_may_return(offer, mcp, result, data):
    offer(lambda caller, _data: result, name="make", safety=Safety.READ_ONLY)
    answer = mcp.tool("make")
    assert not answer.is_error
    assert answer.data == data
    assert answer.text


def test_what_json_cannot_say_is_an_error_id(offer, mcp, caplog):
    offer(lambda caller, data: {"a": object()}, name="make", safety=Safety.READ_ONLY)
    answer = mcp.tool("make")
    assert answer.code == "internal_error"
    assert answer.data["errorId"] in caplog.text


def test_an_async_tool_is_awaited(offer, mcp):
    async def later(caller, data):
        await asyncio.sleep(0)
        return {"groups": await Group.objects.acount()}

    Group.objects.create(name="here")
    offer(later, safety=Safety.READ_ONLY)
    assert mcp.tool("later").data == {"groups": 1}


def test_an_async_tool_is_awaited_under_asgi(offer, mcp):
    async def later(caller, data):
        await asyncio.sleep(0)
        return {"groups": await Group.objects.acount()}

    Group.objects.create(name="here")
    offer(later, safety=Safety.READ_ONLY)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "later"}}
    headers = {"Authorization": f"Bearer {mcp.key}", "MCP-Protocol-Version": "2025-11-25"}
    post = async_to_sync(AsyncClient().post)
    answer = post("/mcp", body, content_type="application/json", headers=headers).json()
    assert answer["result"]["structuredContent"] == {"groups": 1}
