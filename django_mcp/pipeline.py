"""One call from name to answer. The only place that knows the order of the stages."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import DatabaseError

from django_mcp import audit, incidents
from django_mcp.approval import confirmations, state, tokens
from django_mcp.approval.confirmations import Claim
from django_mcp.approval.policy import decide
from django_mcp.conf import conf
from django_mcp.errors import ApprovalRequired, InternalError, ProtocolError, TargetChanged, ToolError, Unavailable
from django_mcp.execution import gateway, preflight
from django_mcp.execution.gateway import Guard
from django_mcp.exposure import Reach, reach
from django_mcp.models import Confirmation
from django_mcp.requests import Context
from django_mcp.server import Server
from django_mcp.tools import registry, results
from django_mcp.tools.base import AnsweringTool, AnyTool
from django_mcp.tools.lookup import reachable_names
from django_mcp.tools.proposals import proposal, summary_of
from django_mcp.tools.results import ToolResult
from django_mcp.vocabulary import (
    ApprovalMode,
    Caller,
    Channel,
    Confirm,
    EventKind,
    Finding,
    Outcome,
    Refuse,
    Reply,
    Review,
    Run,
    ToolCall,
)


def call_tool(name: str, arguments: Mapping[str, Any], context: Context, server: Server) -> ToolResult:
    """Run one `tools/call` and return its result; every failure of the call itself is a result too.

    Raises ProtocolError for a tool that does not exist for this caller.
    """
    caller_reach = reach(context, server)
    tool = registry.find(name, caller_reach)
    asked = arguments.get("name")
    target = asked if isinstance(asked, str) else name
    try:
        return _answer(tool, arguments, caller_reach)
    except ToolError as error:
        return results.failure(target, error)
    except Exception as error:  # noqa: BLE001 - reported
        error_id = incidents.report(f"Calling {tool.name} failed.", error)
        return results.failure(target, InternalError("The server failed before anything ran.", errorId=error_id))


def _answer(tool: AnyTool, arguments: Mapping[str, Any], caller_reach: Reach) -> ToolResult:
    if isinstance(tool, AnsweringTool):
        return ToolResult(structured=tool.answer(arguments, caller_reach))
    call = tool.resolve(arguments, caller_reach, _stored_for(caller_reach.context.caller))
    if not call.mutates:
        return _read(call, caller_reach)
    try:
        return _write(call, caller_reach)
    except ToolError as error:
        _record_refusal(call, caller_reach.context.caller, error)
        raise


def _stored_for(caller: Caller) -> Callable[..., Mapping[str, Any] | None]:
    def stored(token: str, *, tool: str, target: str) -> Mapping[str, Any] | None:
        return confirmations.stored_arguments(confirmations.find(token, tool=tool, target=target, caller=caller))

    return stored


def _read(call: ToolCall, caller_reach: Reach) -> ToolResult:
    reply = _run(call, caller_reach.context)
    if conf.AUDIT_READS:
        _record(EventKind.READ, call, caller_reach.context.caller, status=reply.status)
    return _answered(call, reply, caller_reach)


def _write(call: ToolCall, caller_reach: Reach) -> ToolResult:
    caller = caller_reach.context.caller
    decision = decide(call, caller_reach.server, caller)
    try:
        match decision:
            case Run(mode=mode):
                claim = confirmations.begin(
                    call, caller, mode=mode, channel=Channel.AGENT, summary=summary_of(call, caller)
                )
                return _execute(call, caller_reach, claim, guard=None)
            case Confirm(mode=mode) if call.token is None:
                return _propose(call, caller_reach, mode)
            case Confirm():
                return _redeem(call, caller_reach, call.token or "")
            case Review():
                raise ApprovalRequired(f"{call.target} needs the review of a human, which cannot be given here.")
            case Refuse(code=code, text=text):
                raise (Unavailable if code == Unavailable.code else ApprovalRequired)(text)
    except DatabaseError as error:
        error_id = incidents.report(f"Storing the confirmation of {call.target} failed.", error)
        raise Unavailable("The confirmation could not be stored, nothing ran. Try again.", errorId=error_id) from error


def _propose(call: ToolCall, caller_reach: Reach, mode: ApprovalMode) -> ToolResult:
    lifetime = caller_reach.server.expiry
    finding = _examined(call, caller_reach)
    row, token = confirmations.propose(
        call,
        caller_reach.context.caller,
        mode=mode,
        lifetime=lifetime,
        summary=summary_of(call, caller_reach.context.caller),
        finding=finding,
        target_state=state.fingerprint(finding.target),
    )
    return proposal(call, row, token, lifetime=lifetime, finding=finding)


def _redeem(call: ToolCall, caller_reach: Reach, token: str) -> ToolResult:
    caller = caller_reach.context.caller
    row = confirmations.find(token, tool=call.tool, target=call.target, caller=caller)
    confirmations.check_arguments(row, call)
    finding = _examined(call, caller_reach)
    guard = _unchanged(row, finding)
    guard(False)  # noqa: FBT003 - no transaction yet
    claim = confirmations.claim(row, channel=Channel.AGENT, caller=caller)
    return _execute(call, caller_reach, claim, guard=guard)


def _examined(call: ToolCall, caller_reach: Reach) -> Finding:
    """Return what the preflight found. Raises what the host's view refuses with."""
    if call.run is not None:
        # A tool's arguments are validated before it comes this far, and nothing more is known of it.
        return Finding()
    finding = preflight.examine(call, caller_reach.context)
    if finding.refusal is not None:
        raise results.error_of(finding.refusal)
    return finding


def _unchanged(row: Confirmation, finding: Finding) -> Guard:
    """Return the check that what the call would change is still what was shown."""

    def check(locked: bool) -> None:  # noqa: FBT001 - the gateway's word on its transaction
        if not state.unchanged(row.target_state, finding.target, locked=locked):
            details = {} if finding.preview is None else {"preview": finding.preview}
            raise TargetChanged(
                "What this would change is no longer what was shown, nothing ran. Call again without the token and "
                "have the new summary confirmed.",
                **details,
            )

    return check


def _execute(call: ToolCall, caller_reach: Reach, claim: Claim, *, guard: Guard | None) -> ToolResult:
    caller = caller_reach.context.caller
    try:
        reply = _run(call, caller_reach.context, guard=guard)
    except ToolError as error:
        confirmations.give_back(claim, caller=caller, reason=error.code)
        raise
    except Exception as error:  # noqa: BLE001 - reported; what it did before it failed is not known
        reply = Reply(status=500, error_id=incidents.report(f"Executing {call.target} failed.", error))
    outcome = confirmations.settle(claim, results.outcome_of(call, reply), call=call, caller=caller)
    return _answered(call, reply, caller_reach, outcome)


def _run(call: ToolCall, context: Context, *, guard: Guard | None = None) -> Reply:
    return gateway.execute(call, context, guard=guard) if call.run is None else call.run()


def _answered(call: ToolCall, reply: Reply, caller_reach: Reach, outcome: Outcome | None = None) -> ToolResult:
    if isinstance(reply.error, ProtocolError):
        raise reply.error
    if isinstance(reply.error, ToolError):
        return results.failure(call.target, reply.error)
    if not reply.ok:
        return results.failure(call.target, results.error_of(reply, outcome))
    if call.operation is None:
        return ToolResult(structured=reply.structured, blocks=reply.blocks)
    return results.success(call, reply, reachable_names(call.operation.hints.follow_ups, caller_reach))


def _record_refusal(call: ToolCall, caller: Caller, error: ToolError) -> None:
    kind = EventKind.CALL_REFUSED if call.token is None else EventKind.TOKEN_REFUSED
    confirmation = None if call.token is None else tokens.confirmation_of(call.token)
    _record(kind, call, caller, confirmation=confirmation, code=error.code, text=error.text)


def _record(kind: EventKind, call: ToolCall, caller: Caller, **detail: Any) -> None:
    """Record what was not executed. Nothing ran, so a record that fails must not change the answer."""
    try:
        audit.record(kind, caller=caller, tool=call.tool, target=call.target, **detail)
    except DatabaseError as error:
        incidents.report(f"An event of kind {kind.value} could not be recorded.", error)
