"""Calls, callers and confirmations to break."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import timezone

from django_mcp.approval import confirmations
from django_mcp.approval.preview import preview_of
from django_mcp.choices import ApprovalMode, Channel, Safety, State
from django_mcp.host.requests import Context
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.types import Call, Caller, Outcome

ORDER = {"customer_name": "Sam", "items": [{"product_id": 7, "quantity": 2, "options": ["Oat Milk", "Vanilla"]}]}

CREATED = Outcome(status=State.SUCCEEDED, http_status=201, response={"id": 1042, "total": "11.00"})
SUCCEEDED = {"status": "succeeded", "httpStatus": 201, "response": {"id": 1042, "total": "11.00"}}


def age(row: Confirmation, **values: Any) -> None:
    """Put a confirmation's expiry into the past."""
    Confirmation.objects.filter(jti=row.jti).update(expires_at=timezone.now() - timedelta(seconds=1), **values)


def make_caller(subject: str = "key:1", **values: Any) -> Caller:
    user = SimpleNamespace(pk=1, get_username=lambda: "sam")
    return Caller(subject=subject, user=user, key_id=1, key_label="laptop", **values)


def make_call(arguments: Any = ORDER, **values: Any) -> Call:
    defaults = {
        "tool": "api_call",
        "target": "CreateOrder",
        "safety": Safety.WRITE,
        "requires_approval": False,
        "group": "shop",
    }
    return Call(arguments=arguments, sent=arguments, **{**defaults, **values})


def make_context(caller: Caller) -> Context:
    return Context(outer=RequestFactory().post("/mcp"), caller=caller)


class Flow:
    """One caller's way through a confirmation."""

    def __init__(self, call: Call, caller: Caller) -> None:
        self.call = call
        self.caller = caller

    @property
    def context(self) -> Context:
        return make_context(self.caller)

    def propose(self, **values: Any) -> tuple[Confirmation, str]:
        defaults = {
            "mode": ApprovalMode.TOKEN,
            "lifetime": 300,
            "preview": replace(preview_of(self.call, self.caller), summary="Order for Sam"),
            "target_state": {},
        }
        return confirmations.propose(self.call, self.context, **{**defaults, **values})

    def begin(self) -> confirmations.Claim:
        preview = preview_of(self.call, self.caller)
        return confirmations.begin(
            self.call, self.context, mode=ApprovalMode.DELEGATE, channel=Channel.AGENT, preview=preview
        )

    def find(self, token: str, **values: Any) -> Confirmation:
        defaults = {"tool": self.call.tool, "target": self.call.target, "context": self.context}
        return confirmations.find(token, **{**defaults, **values})

    def claim(self, token: str) -> confirmations.Claim:
        return confirmations.claim(self.find(token), channel=Channel.AGENT, caller=self.caller)

    def settle(self, claim: confirmations.Claim, outcome: Any) -> Any:
        return confirmations.settle(claim, outcome, call=self.call, caller=self.caller)

    def give_back(self, claim: confirmations.Claim) -> None:
        confirmations.give_back(claim, caller=self.caller, reason="target_changed")

    def another(self, **values: Any) -> "Flow":
        return Flow(self.call, replace(self.caller, **values))


@pytest.fixture
def flow(db) -> Flow:
    return Flow(make_call(), make_caller())


@pytest.fixture
def states():
    """Return a function that tells the states of all confirmations."""
    return lambda: list(Confirmation.objects.order_by("issued_at").values_list("state", flat=True))


@pytest.fixture
def events():
    """Return a function that tells the kinds of all events, in order."""
    return lambda: list(AuditEvent.objects.order_by("id").values_list("kind", flat=True))
