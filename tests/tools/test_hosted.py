"""Tools that a host defines, seen through the endpoint: reached, described, confirmed, run, failed, recorded."""

import asyncio
import logging
import uuid
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from functools import wraps

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.test import AsyncClient
from django.utils import timezone
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.validators import UniqueValidator

from demo_project.coffee_shop import mcp as shop_module
from django_mcp.access import keys
from django_mcp.decorators import mcp_tool
from django_mcp.errors import NotFound, ProtocolError, ToolError
from django_mcp.models import AuditEvent, Confirmation, ToolGroup, ToolRule
from django_mcp.redaction import MASK
from django_mcp.testing import McpClient, RpcError
from django_mcp.tools import registry
from django_mcp.tools.media import Audio, Image, ResourceLink, Text
from django_mcp.types import Safety


class Cup(serializers.Serializer):
    size = serializers.ChoiceField(choices=["small", "large"])
    count = serializers.IntegerField(min_value=1, default=1)


class Member(serializers.Serializer):
    name = serializers.CharField(validators=[UniqueValidator(queryset=Group.objects.all())])
    pin = serializers.CharField(write_only=True, required=False)


class Brewed(serializers.Serializer):
    size = serializers.CharField()
    price = serializers.DecimalField(max_digits=5, decimal_places=2)
    at = serializers.DateTimeField()


@pytest.fixture
def user(db, django_user_model):
    # Something else is exposed as well, or hiding the one tool would close the endpoint.
    ToolGroup.objects.create(name="coffee-shop", exposed=True)
    return django_user_model.objects.create_user("sam")


@pytest.fixture
def offer(user, monkeypatch):
    """Return a function that defines a tool, as the shop's `mcp.py` would, and exposes its group."""

    def define(function, **options):
        options = {"group": "kitchen", "description": "Does it.", **options}
        # Its own function each time: the decorator annotates the one that it is given.
        decorated = mcp_tool(**options)(wraps(function)(lambda caller, data: function(caller, data)))
        monkeypatch.setattr(shop_module, f"_{options.get('name', function.__name__)}", decorated, raising=False)
        registry.hosted_tools.cache_clear()
        ToolGroup.objects.update_or_create(name=options["group"], defaults={"exposed": True})
        return options.get("name", function.__name__)

    yield define
    monkeypatch.undo()
    registry.hosted_tools.cache_clear()


@pytest.fixture
def mcp(user):
    return McpClient(user=user)


def brew(caller, data):
    return {"brewed": dict(data)}


def create(caller, data):
    return {"id": Group.objects.create(name=data["name"]).pk}


def raising(error):
    def fail(caller, data):
        Group.objects.create(name="left behind")
        raise error

    return fail


def kinds():
    return list(AuditEvent.objects.exclude(kind="key_issued").order_by("id").values_list("kind", flat=True))


def sayings():
    """Everything that is stored of calls, as one text."""
    return str([*Confirmation.objects.values(), *AuditEvent.objects.values()])


# Reached


def test_a_caller_of_host_tools_alone_is_told_of_no_other(offer, user):
    offer(brew)
    told = McpClient(user=user, groups="kitchen").request("initialize", {"protocolVersion": "2025-11-25"})
    assert "api_" not in told["instructions"]


def test_a_tool_of_an_exposed_group_is_listed_and_runs(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    assert mcp.tools()["brew"]["annotations"] == {"readOnlyHint": True}
    assert mcp.tool("brew", {"size": "small"}).data == {"brewed": {"size": "small", "count": 1}}
    assert not Confirmation.objects.exists()


def test_undeclared_safety_is_a_write_and_promises_nothing(offer, mcp, user):
    offer(brew)
    assert "annotations" not in mcp.tools()["brew"]
    assert mcp.tool("brew").status == "requires_confirmation"
    assert "brew" not in McpClient(user=user, highest_safety=Safety.READ_ONLY).tools()


@pytest.mark.parametrize(("safety", "destructive"), [(Safety.WRITE, False), (Safety.DESTRUCTIVE, True)])
def test_declared_safety_is_published(offer, mcp, safety, destructive):
    offer(brew, safety=safety, annotations={"idempotentHint": True})
    said = {"readOnlyHint": False, "destructiveHint": destructive, "idempotentHint": True}
    assert mcp.tools()["brew"]["annotations"] == said


def test_a_hidden_group_hides_its_tools(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    ToolGroup.objects.filter(name="kitchen").update(exposed=False)
    assert "brew" not in mcp.tools()
    with pytest.raises(RpcError, match='Unknown tool: "brew"'):
        mcp.tool("brew")


def test_a_rule_hides_one_tool_of_a_group(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    offer(brew, safety=Safety.READ_ONLY, name="steam")
    ToolRule.objects.create(name="steam", exposure=ToolRule.Exposure.HIDDEN)
    assert {"brew", "steam"} & set(mcp.tools()) == {"brew"}
    with pytest.raises(RpcError, match="Unknown tool"):
        mcp.tool("steam")


def test_a_key_reaches_the_tools_of_its_groups_only(offer, user):
    offer(brew, safety=Safety.READ_ONLY)
    assert "brew" in McpClient(user=user, groups=["kitchen"]).tools()
    with pytest.raises(RpcError, match="Unknown tool"):
        McpClient(user=user, groups=["coffee-shop"]).tool("brew")


def test_permissions_by_name_are_the_users_own(offer, mcp, user):
    offer(brew, safety=Safety.READ_ONLY, permissions=["coffee_shop.change_order"])
    assert "brew" not in mcp.tools()
    user.user_permissions.add(Permission.objects.get(codename="change_order"))
    assert "brew" in mcp.tools()
    assert not mcp.tool("brew").is_error


def test_a_callable_decides_who_may(offer, mcp, user):
    offer(brew, safety=Safety.READ_ONLY, permissions=lambda caller: caller.user.is_staff)
    assert "brew" not in mcp.tools()
    user.is_staff = True
    user.save()
    assert "brew" in mcp.tools()


def test_a_callable_that_fails_hides_its_tool_and_no_other(offer, mcp, caplog):
    offer(brew, safety=Safety.READ_ONLY, permissions=lambda caller: 1 / 0)
    offer(brew, safety=Safety.READ_ONLY, name="steam")
    assert {"brew", "steam"} & set(mcp.tools()) == {"steam"}
    assert "The permissions of the tool brew failed" in caplog.text


@pytest.mark.parametrize(
    ("permissions", "reached"),
    [
        (None, False),
        (lambda caller: True, False),
        ([], True),
        (["coffee_shop.view_order"], True),
        (["coffee_shop.change_order"], False),
    ],
)
def test_a_key_narrowed_to_permissions_reaches_what_is_known_to_need_no_more(offer, user, permissions, reached):
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_order", "change_order"]))
    said = {} if permissions is None else {"permissions": permissions}
    offer(brew, safety=Safety.READ_ONLY, **said)
    _key, secret = keys.issue(name="narrow", user=user, all_groups=True, permissions=["coffee_shop.view_order"])
    assert ("brew" in McpClient(key=secret).tools()) is reached


def test_an_anonymous_caller_has_no_permissions(offer, settings):
    offer(brew, safety=Safety.READ_ONLY, permissions=["coffee_shop.view_order"])
    offer(brew, safety=Safety.READ_ONLY, name="look")
    settings.DJANGO_MCP = {"REQUIRE_AUTH": False, "USER_GROUPS": ["kitchen"]}
    assert {"brew", "look"} & set(McpClient().tools()) == {"look"}


# Described


RAW = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "address": {"$ref": "#/$defs/address"},
        "phone": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["region"]}]}],
    "if": {"properties": {"region": {"const": "eu"}}, "required": ["region"]},
    "then": {"required": ["phone"]},
    "additionalProperties": False,
}


def test_a_raw_input_schema_passes_untouched(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input_schema=RAW)
    assert mcp.tools()["brew"]["inputSchema"] == RAW


def test_a_raw_input_schema_that_is_confirmed_gets_the_token_and_nothing_else(offer, mcp):
    offer(brew, safety=Safety.WRITE, input_schema=RAW)
    listed = mcp.tools()["brew"]["inputSchema"]
    assert listed["properties"].pop("confirmationToken")["type"] == "string"
    assert listed == RAW
    assert mcp.tool("brew", {"phone": "1"}).confirm().data == {"brewed": {"phone": "1"}}


@pytest.mark.parametrize(
    ("args", "where"),
    [
        ({}, "args"),
        ({"region": 5}, "region"),
        ({"region": "eu"}, "args"),
        ({"phone": "1", "address": {"city": 1}}, "address.city"),
        ({"phone": "1", "fax": "2"}, "args"),
    ],
)
def test_a_raw_input_schema_is_checked(offer, mcp, args, where):
    offer(brew, safety=Safety.READ_ONLY, input_schema=RAW)
    answer = mcp.tool("brew", args)
    assert answer.code == "validation_error"
    assert set(answer.data["errors"]) == {where}


def test_deep_arguments_of_a_recursive_schema_are_checked(offer, mcp):
    tree = {"type": "object", "properties": {"of": {"$ref": "#"}, "leaf": {"type": "string"}}}
    offer(brew, safety=Safety.READ_ONLY, input_schema=tree)
    args = {"leaf": 1}
    for _ in range(50):
        args = {"of": args}
    assert mcp.tool("brew", args).code == "validation_error"


def test_a_tool_without_input_takes_no_arguments(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    assert mcp.tools()["brew"]["inputSchema"]["properties"] == {}
    assert mcp.tool("brew").data == {"brewed": {}}
    assert mcp.tool("brew", {"size": "small"}).code == "validation_error"


def test_icons_and_meta_are_listed(offer, mcp):
    offer(brew, icons=[{"src": "https://x.example/i.png"}], meta={"x.example/a": 1})
    listed = mcp.tools()["brew"]
    assert (listed["icons"], listed["_meta"]) == ([{"src": "https://x.example/i.png"}], {"x.example/a": 1})


def test_an_argument_called_name_does_not_name_the_tool_in_an_error(offer, mcp):
    offer(create, input=Member)
    answer = mcp.tool("create", {"name": "", "extra": 1})
    assert answer.data["api"] == "create"


def test_what_validation_refuses_names_the_field(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    answer = mcp.tool("brew", {"size": "huge", "count": 0})
    assert answer.code == "validation_error"
    assert set(answer.data["errors"]) == {"size", "count"}
    assert "huge" in answer.error


def test_arguments_are_read_as_they_were_meant(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, input=Cup)
    assert mcp.tool("brew", {"size": "small", "count": "2"}).data["brewed"]["count"] == 2


def test_serializers_see_the_callers_user(offer, mcp):
    class Mine(serializers.Serializer):
        owner = serializers.HiddenField(default=serializers.CurrentUserDefault())

    offer(lambda caller, data: {"owner": data["owner"].username}, name="mine", safety=Safety.READ_ONLY, input=Mine)
    assert mcp.tool("mine").data == {"owner": "sam"}


# Results


def test_an_output_serializer_is_published_and_kept(offer, mcp):
    made = {"size": "small", "price": Decimal("2.5"), "at": timezone.now(), "secret_recipe": "beans"}
    offer(lambda caller, data: made, name="brewed", safety=Safety.READ_ONLY, output=Brewed)
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
    made = [
        Text("For you.", audience=["user"], priority=1),
        Image(b"\x89PNG", "image/png"),
        Audio(b"RIFF", "audio/wav"),
        ResourceLink("https://x.example/a", "a"),
        {"cups": 2},
    ]
    offer(lambda caller, data: made, name="serve", safety=Safety.READ_ONLY)
    answer = mcp.tool("serve")
    assert [block["type"] for block in answer.content] == ["text", "image", "audio", "resource_link", "text"]
    assert answer.content[0]["annotations"] == {"audience": ["user"], "priority": 1}
    assert answer.data == {"cups": 2}


def test_content_beside_an_object_of_the_output_serializer(offer, mcp):
    made = [Text("Done."), {"size": "small", "price": Decimal(2), "at": timezone.now()}]
    offer(lambda caller, data: made, name="serve", safety=Safety.READ_ONLY, output=Brewed)
    answer = mcp.tool("serve")
    assert answer.content[0]["text"] == "Done."
    assert answer.data["price"] == "2.00"


@pytest.mark.parametrize(
    ("made", "data"),
    [
        ({"when": uuid.UUID(int=1)}, {"when": str(uuid.UUID(int=1))}),
        ([1, 2], {"result": [1, 2]}),
        (None, {}),
        (Response({"a": 1}), {"a": 1}),
        (Cup({"size": "small", "count": 3}), {"size": "small", "count": 3}),
        ("plain text", {}),
    ],
)
def test_what_a_tool_may_return(offer, mcp, made, data):
    offer(lambda caller, _data: made, name="make", safety=Safety.READ_ONLY)
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


# Confirmed


def test_a_write_is_confirmed_like_an_operation(offer, mcp):
    offer(create, safety=Safety.WRITE, input=Member, summary=lambda caller, data: f"Found the {data['name']}")
    assert "confirmationToken" in mcp.tools()["create"]["inputSchema"]["properties"]
    proposal = mcp.tool("create", {"name": "roasters"})
    assert proposal.data["summary"] == "Found the roasters"
    assert (proposal.data["api"], proposal.data["safety"]) == ("create", "Write")
    assert "call create again" in proposal.data["instruction"]
    assert not Group.objects.exists()
    assert proposal.confirm().data == {"id": Group.objects.get().pk}
    assert kinds() == ["token_issued", "token_consumed", "executed"]
    row = Confirmation.objects.get()
    assert (row.tool, row.target, row.state) == ("create", "create", "succeeded")


def test_a_replay_tells_what_became_of_it_although_validation_would_refuse_it_now(offer, mcp):
    offer(create, input=Member)
    proposal = mcp.tool("create", {"name": "roasters"})
    made = proposal.confirm().data
    again = proposal.confirm()
    assert again.code == "confirmation_used"
    assert again.data["outcome"]["response"] == made
    assert again.data["outcome"]["status"] == "succeeded"
    assert Group.objects.count() == 1


def test_a_changed_argument_is_named(offer, mcp):
    offer(brew, input=Cup)
    token = mcp.tool("brew", {"size": "small"}).token
    changed = mcp.tool("brew", {"size": "large", "confirmationToken": token})
    assert (changed.code, changed.data["changed"]) == ("arguments_changed", ["size"])
    assert mcp.tool("brew", {"size": "small", "confirmationToken": token}).status == "success"


def test_the_token_alone_brings_its_arguments(offer, mcp):
    offer(brew, input=Cup)
    token = mcp.tool("brew", {"size": "small"}).token
    assert mcp.tool("brew", {"confirmationToken": f" `{token}` "}).data == {"brewed": {"size": "small", "count": 1}}


def test_another_caller_cannot_confirm(offer, mcp, user):
    offer(brew, input=Cup)
    token = mcp.tool("brew", {"size": "small"}).token
    answer = McpClient(user=user).tool("brew", {"size": "small", "confirmationToken": token})
    assert answer.code == "confirmation_invalid"


def test_a_token_of_another_tool_confirms_nothing(offer, mcp):
    offer(brew, input=Cup)
    offer(brew, input=Cup, name="steam")
    token = mcp.tool("brew", {"size": "small"}).token
    answer = mcp.tool("steam", {"size": "small", "confirmationToken": token})
    assert answer.code == "confirmation_wrong_operation"


def test_an_expired_token_confirms_nothing(offer, mcp):
    offer(create, input=Member)
    proposal = mcp.tool("create", {"name": "roasters"})
    Confirmation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert proposal.confirm().code == "confirmation_expired"
    assert not Group.objects.exists()


def test_what_validation_refuses_is_not_proposed(offer, mcp):
    Group.objects.create(name="roasters")
    offer(create, input=Member)
    assert mcp.tool("create", {"name": "roasters"}).code == "validation_error"
    assert not Confirmation.objects.exists()
    assert kinds() == ["call_refused"]


def test_what_became_invalid_meanwhile_does_not_run_and_spends_nothing(offer, mcp):
    offer(create, input=Member)
    proposal = mcp.tool("create", {"name": "roasters"})
    other = Group.objects.create(name="roasters")
    assert proposal.confirm().code == "validation_error"
    other.delete()
    assert proposal.confirm().status == "success"


def test_a_read_that_requires_approval_asks(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY, requires_approval=True)
    assert mcp.tools()["brew"]["annotations"] == {"readOnlyHint": True}
    assert mcp.tool("brew").confirm().data == {"brewed": {}}


def test_a_rule_makes_a_read_ask(offer, mcp):
    offer(brew, safety=Safety.READ_ONLY)
    ToolRule.objects.create(name="brew", requires_approval=True)
    assert "confirmationToken" in mcp.tools()["brew"]["inputSchema"]["properties"]
    assert mcp.tool("brew").status == "requires_confirmation"


def test_a_delegated_write_runs_at_once_on_the_record(offer, mcp):
    offer(create, input=Member)
    ToolGroup.objects.filter(name="kitchen").update(approval_mode="delegate_to_client")
    assert "confirmationToken" not in mcp.tools()["create"]["inputSchema"]["properties"]
    assert mcp.tool("create", {"name": "roasters"}).status == "success"
    assert (Confirmation.objects.get().state, kinds()[-1]) == ("succeeded", "executed")


def test_mode_reject_refuses(offer, mcp):
    offer(create, input=Member)
    ToolGroup.objects.filter(name="kitchen").update(approval_mode="reject")
    assert mcp.tool("create", {"name": "roasters"}).code == "approval_required"


def test_sensitive_values_are_masked_wherever_they_are_shown_or_stored(offer, mcp, caplog):
    def charge(caller, data):
        raise RuntimeError(f"cannot charge {data['account']} of {data['name']}")

    class Account(serializers.Serializer):
        name = serializers.CharField()
        account = serializers.CharField()
        pin = serializers.CharField(write_only=True)

    offer(charge, input=Account, sensitive_fields=["account"], summary=lambda caller, data: f"Charge {data}")
    proposal = mcp.tool("charge", {"name": "Sam", "account": "DE4450010517", "pin": "9137-x"})
    assert proposal.data["args"] == {"name": "Sam", "account": MASK, "pin": MASK}
    assert MASK in proposal.data["summary"]
    assert proposal.confirm().is_error
    stored = sayings() + caplog.text
    assert "DE4450010517" not in stored
    assert "9137-x" not in stored
    assert "cannot charge" in caplog.text


def test_sensitive_values_are_not_quoted_by_a_raw_schema(offer, mcp):
    schema = {"type": "object", "properties": {"iban": {"type": "string", "maxLength": 4}}}
    offer(brew, safety=Safety.READ_ONLY, input_schema=schema, sensitive_fields=["iban"])
    answer = mcp.tool("brew", {"iban": "DE4450010517"})
    assert answer.code == "validation_error"
    assert "DE4450010517" not in str(answer.raw)


def test_an_error_that_quotes_a_sensitive_value_is_masked(offer, mcp):
    def refuse(caller, data):
        raise ToolError(f"The card {data['card']} has expired.")

    schema = {"type": "object", "properties": {"card": {"type": "string"}}}
    offer(refuse, input_schema=schema)
    assert mcp.tool("refuse", {"card": "4000-1234"}).confirm().error == f"The card {MASK} has expired."
    assert "4000-1234" not in sayings()


# Run


ATOMIC = pytest.mark.parametrize(
    ("atomic", "requests", "kept"),
    [(None, True, False), (None, False, True), (True, False, False), (False, True, True)],
)


@ATOMIC
def test_a_tool_error_undoes_what_its_transaction_did(offer, mcp, monkeypatch, atomic, requests, kept):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", requests)
    said = {} if atomic is None else {"atomic": atomic}
    offer(raising(ToolError("Out of beans.", left=0)), name="pour", **said)
    answer = mcp.tool("pour").confirm()
    assert (answer.code, answer.error, answer.data["left"]) == ("operation_failed", "Out of beans.", 0)
    assert Group.objects.exists() is kept
    assert Confirmation.objects.get().state == "rejected"
    assert kinds()[-1] == "executed"


@ATOMIC
def test_an_exception_is_an_error_id_and_honest_about_what_remains(
    offer, mcp, monkeypatch, caplog, atomic, requests, kept
):
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", requests)
    said = {} if atomic is None else {"atomic": atomic}
    offer(raising(RuntimeError("beans at /srv/beans")), name="pour", **said)
    answer = mcp.tool("pour").confirm()
    assert answer.code == ("outcome_unknown" if kept else "internal_error")
    assert ("Nothing was changed." in answer.error) is not kept
    assert "/srv/beans" not in str(answer.raw)
    assert answer.data["errorId"] in caplog.text
    assert Group.objects.exists() is kept
    assert Confirmation.objects.get().state == ("unknown" if kept else "rejected")


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
        assert kinds()[-1] == "executed"


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
    said = mcp.tool("pour").data
    assert (said["status"], said["code"], said["api"]) == ("error", "operation_failed", "pour")
    assert (said["price"], said["at"]) == (2.5, str(uuid.UUID(int=2)))


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
