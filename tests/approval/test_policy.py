"""Every combination of what has a say in whether a call may run."""

import itertools
from types import SimpleNamespace

import pytest

from django_mcp.access.server_config import Group, Rule, Server
from django_mcp.approval.policy import Confirm, Refuse, Review, Run, decide
from django_mcp.choices import ApprovalMode, Safety
from django_mcp.tools.calls import bare_call
from django_mcp.types import Hints, Operation
from tests.approval.conftest import make_call, make_caller

DELEGATE, TOKEN, REVIEW, REJECT = ApprovalMode
MODES = list(ApprovalMode)
DECISIONS = {DELEGATE: Run, TOKEN: Confirm, REVIEW: Review, REJECT: Refuse}


def make_server(mode=TOKEN, *, group=None, rules=(), writes_enabled=True):
    return Server(
        name="shop",
        version="1",
        instructions="",
        mode=mode,
        expiry=300,
        writes_enabled=writes_enabled,
        stamp="1",
        groups={"shop": Group(exposed=True, mode=group)},
        rules=tuple(rules),
        listed=frozenset(),
    )


def make_operation(**values):
    defaults = {
        "name": "CreateOrder",
        "method": "POST",
        "route": "/orders/",
        "safety": Safety.WRITE,
        "requires_approval": False,
        "group": "shop",
        "callback": lambda request: None,
        "view_class": object,
        "handler": "create",
    }
    return Operation(**{**defaults, **values})


def resolved(operation, server):
    """Return the call of an operation as a tool resolves it, where rules have their say."""
    return bare_call(operation, SimpleNamespace(server=server), tool="api_call")


def rule(**values):
    return Rule(name="CreateOrder", method="POST", route="/orders/", **values)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("writes_enabled", [True, False])
def test_a_read_runs_in_every_mode(mode, writes_enabled):
    call = make_call(safety=Safety.READ_ONLY)
    decision = decide(call, make_server(mode, writes_enabled=writes_enabled), make_caller(mode=mode))
    assert isinstance(decision, Run)


@pytest.mark.parametrize("safety", [Safety.WRITE, Safety.DESTRUCTIVE])
@pytest.mark.parametrize("mode", MODES)
def test_a_write_is_decided_by_its_mode(mode, safety):
    decision = decide(make_call(safety=safety), make_server(mode), make_caller())
    assert isinstance(decision, DECISIONS[mode])
    assert decision.mode is mode


@pytest.mark.parametrize(
    ("server", "group", "rule_mode", "key"),
    list(itertools.product(MODES, [None, *MODES], [None, *MODES], [None, *MODES])),
)
def test_the_most_specific_mode_holds_and_the_key_only_tightens(server, group, rule_mode, key):
    configured = make_server(server, group=group, rules=[rule(mode=rule_mode)])
    call = resolved(make_operation(), configured)
    specific = rule_mode or group or server
    expected = specific if key is None else ApprovalMode.strictest(specific, key)
    decision = decide(call, configured, make_caller(mode=key))
    assert (type(decision), decision.mode) == (DECISIONS[expected], expected)


@pytest.mark.parametrize("safety", list(Safety))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", ["operation", "rule"])
def test_a_demand_for_approval_makes_a_write_of_a_read_and_only_tightens(source, mode, safety):
    operation = make_operation(safety=safety, requires_approval=source == "operation")
    server = make_server(mode, rules=[rule(requires_approval=source == "rule")])
    expected = ApprovalMode.strictest(mode, TOKEN)
    assert isinstance(decide(resolved(operation, server), server, make_caller()), DECISIONS[expected])


def test_a_hint_that_no_approval_is_needed_loosens_nothing():
    operation, server = make_operation(hints=Hints(requires_approval=False)), make_server()
    assert isinstance(decide(resolved(operation, server), server, make_caller()), Confirm)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("required", [True, False])
def test_no_write_runs_while_writes_are_switched_off(mode, required):
    safety = Safety.READ_ONLY if required else Safety.WRITE
    call = make_call(safety=safety, requires_approval=required)
    decision = decide(call, make_server(mode, writes_enabled=False), make_caller())
    assert isinstance(decision, Refuse)
    assert decision.error.code == "unavailable"
    assert decision.error.text.startswith("Writes are switched off.")


def test_a_rejected_call_is_told_what_to_do_instead():
    decision = decide(make_call(), make_server(REJECT), make_caller())
    assert decision.error.code == "approval_required"
    assert "CreateOrder" in decision.error.text
    assert "ask the user" in decision.error.text


@pytest.mark.parametrize("nonsense", ["", "delegate", "DELEGATE_TO_CLIENT", "none", 0, False])
def test_a_mode_that_is_none_asks_for_a_confirmation(nonsense):
    server = SimpleNamespace(writes_enabled=True, rules_for=lambda *_name: (), mode_of=lambda _group, _rules: nonsense)
    assert isinstance(decide(make_call(), server, make_caller()), Confirm)


def test_a_keys_mode_that_is_none_asks_for_a_confirmation():
    assert isinstance(decide(make_call(), make_server(DELEGATE), make_caller(mode="whatever")), Confirm)


@pytest.mark.parametrize("safety", ["ReadOnly?", "", None, "Read"])
def test_a_safety_that_is_none_counts_as_a_write(safety):
    assert isinstance(decide(make_call(safety=safety), make_server(), make_caller()), Confirm)


def test_a_rule_is_found_by_route_where_the_name_has_changed():
    server = make_server(DELEGATE, rules=[rule(mode=REJECT)])
    assert isinstance(decide(resolved(make_operation(name="OrderCreate"), server), server, make_caller()), Refuse)


def test_a_hosts_tool_is_found_by_its_name():
    call = make_call(tool="refund", target="refund")
    server = make_server(DELEGATE, rules=[Rule(name="refund", mode=REVIEW)])
    assert isinstance(decide(call, server, make_caller()), Review)


def test_deciding_is_pure():
    call, server, caller = make_call(), make_server(), make_caller()
    assert decide(call, server, caller) == decide(call, server, caller)
