"""One call from name to answer. The only place that knows the order of the stages."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.db import DatabaseError

from django_mcp import error_reports, refusal_audit
from django_mcp.access.exposure import Reach, reach
from django_mcp.access.server_config import API_TOOLS, Server
from django_mcp.approval import confirmations, fingerprint, questions
from django_mcp.approval.confirmations import Claim
from django_mcp.approval.policy import Confirm, Refuse, Review, Run, decide
from django_mcp.conf import conf
from django_mcp.errors import (
    ApprovalRequired,
    InternalError,
    OperationFailed,
    ProtocolError,
    TargetChanged,
    ToolError,
    Unavailable,
)
from django_mcp.execution import gateway, preflight
from django_mcp.execution.gateway import Guard
from django_mcp.host import read_guard
from django_mcp.host.requests import Context
from django_mcp.models import Confirmation
from django_mcp.tools import answers, media, registry
from django_mcp.tools.answers import ToolResult, proposal, summary_of
from django_mcp.tools.base import AnsweringTool, AnyTool
from django_mcp.tools.calls import reachable_names
from django_mcp.types import ApprovalMode, Caller, Channel, EventKind, Finding, Outcome, Reply, Safety, ToolCall


def call_tool(name: str, arguments: Mapping[str, Any], context: Context, server: Server) -> ToolResult:
    """Run one `tools/call` and return its result; every failure of the call itself is a result too.

    Raises ProtocolError for a tool that does not exist for this caller, and what a host's tool raises of it.
    """
    caller_reach = reach(context, server)
    tool = registry.find(name, caller_reach)
    result = _answered_always(tool, arguments, caller_reach)
    if result.is_error and result.structured is not None and not tool.fits(result.structured, caller_reach):
        # Strict clients check an error too where it has an object, and none demands one.
        return result.as_text()
    return result


def _answered_always(tool: AnyTool, arguments: Mapping[str, Any], caller_reach: Reach) -> ToolResult:
    asked = arguments.get("name") if tool.group == API_TOOLS else None
    target = asked if isinstance(asked, str) else tool.name
    try:
        return _answer(tool, arguments, caller_reach)
    except ToolError as error:
        return answers.failure(target, error)
    except ProtocolError:
        raise
    except Exception as error:  # noqa: BLE001 - reported
        return answers.failure(target, _failed(f"Calling {tool.name} failed.", error))


def _answer(tool: AnyTool, arguments: Mapping[str, Any], caller_reach: Reach) -> ToolResult:
    if caller_reach.context.inputs.state is not None and not tool.asks:
        raise questions.invalid()
    if isinstance(tool, AnsweringTool):
        return ToolResult(structured=tool.answer(arguments, caller_reach))
    try:
        call = tool.resolve(arguments, caller_reach, _stored_for(caller_reach.context.caller))
    except ToolError as error:
        refusal_audit.unresolved(tool, arguments, caller_reach, error)
        raise
    if not call.mutates:
        return _read(call, caller_reach)
    try:
        return _write(call, caller_reach)
    except ToolError as error:
        refusal_audit.refused(call, caller_reach.context.caller, error)
        raise


def _stored_for(caller: Caller) -> Callable[..., Mapping[str, Any] | None]:
    def stored(token: str, *, tool: str, target: str) -> Mapping[str, Any] | None:
        return confirmations.stored_arguments(confirmations.find(token, tool=tool, target=target, caller=caller))

    return stored


def _read(call: ToolCall, caller_reach: Reach) -> ToolResult:
    with _closing(_run(call, caller_reach.context)) as reply:
        if conf.AUDIT_READS:
            refusal_audit.note(EventKind.READ, call, caller_reach.context.caller, status=reply.status)
        return _answered(call, reply, caller_reach)


def _write(call: ToolCall, caller_reach: Reach) -> ToolResult:
    try:
        admitted = _admit(call, caller_reach)
    except DatabaseError as error:
        error_id = error_reports.report(f"Storing the confirmation of {call.target} failed.", error)
        raise Unavailable("The confirmation could not be stored, nothing ran. Try again.", errorId=error_id) from error
    except ToolError:
        raise
    except ProtocolError as error:
        # A host's tool may refuse in the protocol's words while its arguments are validated.
        refusal_audit.refused(call, caller_reach.context.caller, error)
        raise
    except Exception as error:
        raise _failed(f"Preparing {call.target} failed.", error) from error
    return admitted if isinstance(admitted, ToolResult) else _execute(call, caller_reach, admitted)


@dataclass(frozen=True, slots=True)
class _Admitted:
    """The right to run a call once. `guard` is asked once more immediately before."""

    claim: Claim
    guard: Guard | None = None


def _admit(call: ToolCall, caller_reach: Reach) -> ToolResult | _Admitted:
    """Decide on the call: return the right to run it once, or the answer that asks for a confirmation."""
    caller = caller_reach.context.caller
    match decide(call, caller_reach.server, caller):
        case Review():
            raise ApprovalRequired(
                f"{call.target} needs the review of a human, which cannot be given here. Tell the user; do not retry."
            )
        case Refuse(error=error):
            raise error
        case Run() | Confirm() if call.token is not None:
            # A token is for one execution, also where none is needed any more.
            return _redeem(call, caller_reach, call.token)
        case Run(mode=mode):
            summary = summary_of(call, caller)
            return _Admitted(confirmations.begin(call, caller, mode=mode, channel=Channel.AGENT, summary=summary))
        case Confirm(mode=mode):
            return _propose(call, caller_reach, mode)


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
        target_state=fingerprint.fingerprint(finding.target, _said(call, caller_reach.context.caller)),
    )
    return proposal(call, row, token, lifetime=lifetime, finding=finding)


def _redeem(call: ToolCall, caller_reach: Reach, token: str) -> _Admitted:
    caller = caller_reach.context.caller
    row = confirmations.find(token, tool=call.tool, target=call.target, caller=caller)
    confirmations.check_arguments(row, call)
    finding = _examined(call, caller_reach)
    guard = _unchanged(call, caller, row, finding)
    guard(False)  # noqa: FBT003 - no transaction yet
    return _Admitted(confirmations.claim(row, channel=Channel.AGENT, caller=caller), guard)


def _examined(call: ToolCall, caller_reach: Reach) -> Finding:
    """Return what the preflight found. Raises what the host's view refuses with."""
    if call.run is not None:
        # Nothing more is known of a tool than whether it takes its arguments.
        if call.examine is not None:
            call.examine()
        return Finding()
    finding = preflight.examine(call, caller_reach.context)
    if finding.refusal is not None:
        raise answers.error_of(finding.refusal)
    return finding


def _unchanged(call: ToolCall, caller: Caller, row: Confirmation, finding: Finding) -> Guard:
    """Return the check that what the call would change is still what was shown."""

    def check(locked: bool) -> None:  # noqa: FBT001 - the gateway's word on its transaction
        if not fingerprint.unchanged(row.target_state, finding.target, _said(call, caller), locked=locked):
            details = {} if finding.preview is None else {"preview": finding.preview}
            raise TargetChanged(
                "What this would change is no longer what was shown, nothing ran. Call again without the token and "
                "have the new summary confirmed.",
                **details,
            )

    return check


def _said(call: ToolCall, caller: Caller) -> Any:
    """Return what the host says of the target's state, where it does."""
    told = call.operation.hints.state if call.operation is not None else None
    return None if told is None else told(caller, call.arguments)


def _execute(call: ToolCall, caller_reach: Reach, admitted: _Admitted) -> ToolResult:
    caller, claim = caller_reach.context.caller, admitted.claim
    try:
        reply = _run(call, caller_reach.context, guard=admitted.guard)
    except ToolError as error:
        confirmations.give_back(claim, caller=caller, reason=error.code)
        raise
    except Exception as error:  # noqa: BLE001 - reported; what it did before it failed is not known
        reply = Reply(status=500, error_id=error_reports.report(f"Executing {call.target} failed.", error))
    with _closing(reply):
        outcome = confirmations.settle(claim, answers.outcome_of(call, reply), call=call, caller=caller)
        try:
            return _answered(call, reply, caller_reach, outcome)
        except ProtocolError:
            raise
        except Exception as error:  # noqa: BLE001 - reported; it is done, and the answer must not say otherwise
            error_id = error_reports.report(f"What {call.target} answered could not be shown.", error)
            return answers.unshown(call, outcome, error_id)


def _run(call: ToolCall, context: Context, *, guard: Guard | None = None) -> Reply:
    if call.safety is Safety.READ_ONLY:
        return _watched(call, context, guard)
    return gateway.execute(call, context, guard=guard) if call.run is None else call.run()


def _watched(call: ToolCall, context: Context, guard: Guard | None) -> Reply:
    """Run what is declared to read, and see to it that a write by it is on the record or does not happen."""
    with read_guard.watching(call.target) as watch:
        reply = gateway.execute(call, context, guard=guard) if call.run is None else call.run()
    if watch.writes:
        refusal_audit.note(EventKind.READ_WROTE, call, context.caller, wrote=watch.writes, refused=watch.refused)
    if not watch.refused:
        return reply
    # Also where the view went on after the refusal: its answer may speak of what was not written.
    said = {"errorId": reply.error_id} if reply.error_id else {}
    refusal = OperationFailed(
        f"{call.target} is declared ReadOnly but tried to write to the database. The write was refused and nothing was "
        "changed. Calling again will not help: tell the user that the API's developer has to correct it.",
        httpStatus=500,
        **said,
    )
    return replace(reply, status=500, error=refusal, rolled_back=True)


@contextmanager
def _closing(reply: Reply) -> Iterator[Reply]:
    try:
        yield reply
    finally:
        if reply.attachment is not None:
            reply.attachment.content.close()


def _answered(call: ToolCall, reply: Reply, caller_reach: Reach, outcome: Outcome | None = None) -> ToolResult:
    if isinstance(reply.error, ProtocolError):
        raise reply.error
    if isinstance(reply.error, ToolError):
        return answers.failure(call.target, reply.error)
    if not reply.ok:
        return answers.failure(call.target, answers.error_of(reply, outcome))
    if call.operation is None:
        return ToolResult(structured=reply.structured, blocks=reply.blocks, asked=reply.asked)
    blocks, notes = media.attached(reply.attachment, caller_reach.context)
    if notes:
        reply = replace(reply, notes=(*reply.notes, *notes))
    return answers.success(call, reply, reachable_names(call.operation.hints.follow_ups, caller_reach), blocks)


def _failed(what: str, error: Exception) -> InternalError:
    """Report what nobody foresaw, before a write or in a read, and return what the model is told of it."""
    error_id = error_reports.report(what, error)
    return InternalError(
        "The call failed on the server, and nothing was changed by it. Tell the user; the error id is in the log.",
        errorId=error_id,
    )
