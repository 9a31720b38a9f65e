"""The confirmation of a tool that a host defines: proposed, confirmed once, recorded without secrets."""

from datetime import timedelta

from django.contrib.auth.models import Group
from django.utils import timezone
from rest_framework import serializers

from django_mcp.choices import Safety
from django_mcp.errors import ToolError
from django_mcp.models import Confirmation, ToolGroup, ToolRule
from django_mcp.redaction import MASK
from django_mcp.testing import McpClient
from tests.tools.hosted.conftest import Cup, Member, brew, create, event_kinds, record


def test_a_write_is_confirmed_like_an_operation(offer, mcp):
    offer(create, safety=Safety.WRITE, input=Member, summary=lambda caller, data: f"Found the {data['name']}")
    assert "confirmationToken" in mcp.tools()["create"]["inputSchema"]["properties"]
    proposal = mcp.tool("create", {"name": "roasters"})
    assert proposal.data["summary"] == "Found the roasters"
    assert (proposal.data["api"], proposal.data["safety"]) == ("create", "Write")
    assert "call create again" in proposal.data["instruction"]
    assert not Group.objects.exists()
    assert proposal.confirm().data == {"id": Group.objects.get().pk}
    assert event_kinds() == ["token_issued", "token_consumed", "executed"]
    row = Confirmation.objects.get()
    assert (row.tool, row.target, row.state) == ("create", "create", "succeeded")


def test_a_replay_tells_what_became_of_it_although_validation_would_refuse_it_now(offer, mcp):
    offer(create, input=Member)
    proposal = mcp.tool("create", {"name": "roasters"})
    response = proposal.confirm().data
    again = proposal.confirm()
    assert again.code == "confirmation_used"
    assert again.data["outcome"]["response"] == response
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
    assert event_kinds() == ["call_refused"]


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
    assert (Confirmation.objects.get().state, event_kinds()[-1]) == ("succeeded", "executed")


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
    stored = record() + caplog.text
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
    assert "4000-1234" not in record()
