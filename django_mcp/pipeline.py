"""One call from its tool to its answer. The only place that knows the order of the stages."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from django.db import DatabaseError

from django_mcp import error_reports, refusal_audit
from django_mcp.access.exposure import Reach
from django_mcp.approval import allowance, confirmations, effective_arguments, fingerprint, questions, refusals
from django_mcp.approval.confirmations import Claim
from django_mcp.approval.context import as_proposed
from django_mcp.approval.policy import Confirm, Decision, Refuse, Review, Run, decide
from django_mcp.approval.preview import Finding, preview_of
from django_mcp.choices import ApprovalMode, Channel, EventKind
from django_mcp.conf import conf
from django_mcp.errors import (
    ApprovalRequired,
    InternalError,
    ProtocolError,
    TargetChanged,
    ToolError,
    Unavailable,
    ValidationFailed,
)
from django_mcp.execution.gateway import AnyRun, prepare
from django_mcp.execution.guards import Guard
from django_mcp.host.requests import Context
from django_mcp.models import Confirmation
from django_mcp.replies import Reply
from django_mcp.tools import answers
from django_mcp.tools.answers import ToolResult
from django_mcp.tools.base import AnsweringTool, AnyTool, CallingTool
from django_mcp.types import AnyCall, Call, Caller


def call_tool(tool: AnyTool, arguments: Mapping[str, Any], reach: Reach) -> ToolResult:
    """Run one `tools/call` and return its result; every failure of the call itself is a result too.

    Raises ProtocolError where a host's tool refuses in the protocol's words.
    """
    try:
        result = _stages(tool, arguments, reach)
    except ToolError as error:
        result = answers.failure(tool.target_of(arguments), error)
    except ProtocolError:
        raise
    except Exception as error:  # noqa: BLE001 - reported
        result = answers.failure(tool.target_of(arguments), _unforeseen(f"Calling {tool.name} failed.", error))
    if result.is_error and result.structured is not None and not tool.fits(result.structured, reach):
        # Strict clients check an error too where it has an object, and none demands one.
        return result.as_text()
    return result


def _stages(tool: AnyTool, arguments: Mapping[str, Any], reach: Reach) -> ToolResult:
    """Return the result of a call: resolve, decide, then read, propose, or be admitted and run; settle, answer."""
    if reach.context.inputs.state is not None and not tool.asks:
        raise questions.invalid()
    if isinstance(tool, AnsweringTool):
        return ToolResult(structured=tool.answer(arguments, reach))
    call, row = resolve(tool, arguments, reach)
    if not call.mutates:
        with closing(read(call, reach.context)) as reply:
            return answers.answer(call, reply, reach)
    with _nothing_ran(call, reach.context.caller):
        if call.token is not None:
            row = row or find(call, call.token, reach.context)
        decision = allowed(call, decide(call, reach.server, reach.context.caller))
        context = reach.context if row is None else as_proposed(reach.context, row)
        run = prepare(call, context)
        if row is not None:
            # A token is for one execution, also where none is needed any more.
            claim, guard = redeem(row, run, context.caller)
        elif isinstance(decision, Confirm):
            return propose(call, run, decision.mode, reach)
        else:
            claim, guard = begin(call, decision.mode, context), None
        reply = execute(call, run, claim, guard, context.caller)
    with closing(reply):
        record_writes(call, reply, context.caller)
        outcome = confirmations.settle(claim, answers.outcome_of(reply), call=call, caller=context.caller)
        return answers.settled(call, reply, reach, outcome)


def resolve(tool: CallingTool, arguments: Mapping[str, Any], reach: Reach) -> tuple[AnyCall, Confirmation | None]:
    """Return the call, and its open confirmation where the arguments were kept with that."""
    row = None
    try:
        request = tool.read(arguments, reach)
        args = request.args
        if args is None and request.token is not None:
            row = confirmations.find(request.token, tool=tool.name, target=request.target, context=reach.context)
            args = effective_arguments.stored(row)
            if args is None:
                text = "The arguments were not kept with this token; send the same args with it again."
                raise ValidationFailed(text)
        return request.call(args or {}), row
    except ToolError as error:
        refusal_audit.unresolved(tool, arguments, reach, error)
        raise


def read(call: AnyCall, context: Context) -> Reply:
    """Return the reply of a call that needs no approval."""
    reply = prepare(call, context).run()
    record_writes(call, reply, context.caller)
    if conf.AUDIT_READS:
        refusal_audit.note(EventKind.READ, call, context.caller, status=reply.status)
    return reply


def find(call: Call, token: str, context: Context) -> Confirmation:
    """Return the open confirmation of a call, with the arguments and in the context that were shown."""
    return confirmations.find(token, tool=call.tool, target=call.target, context=context, arguments=call.arguments)


def allowed(call: Call, decision: Decision) -> Run | Confirm:
    """Return a decision under which the call may go on. Raises the error of any other."""
    if isinstance(decision, Refuse):
        raise decision.error
    if isinstance(decision, Review):
        raise ApprovalRequired(
            f"{call.target} needs the review of a human, which cannot be given here. Tell the user; do not retry."
        )
    return decision


def record_writes(call: Call, reply: Reply, caller: Caller) -> None:
    """Put on the record that a call which is declared to read has written."""
    if reply.writes:
        refusal_audit.note(EventKind.READ_WROTE, call, caller, wrote=list(reply.writes), refused=reply.write_refused)


def propose(call: Call, run: AnyRun, mode: ApprovalMode, reach: Reach) -> ToolResult:
    """Return the answer that asks for a confirmation, with a token for it; nothing ran."""
    context, lifetime = reach.context, reach.server.expiry
    # Before the host's code: a proposal that would be refused costs nothing.
    allowance.require_room(context.caller, mode)
    finding = examine(run, charged=True)
    preview = preview_of(call, context.caller, finding.effect)
    _row, token = confirmations.propose(
        call,
        context,
        mode=mode,
        lifetime=lifetime,
        preview=preview,
        target_state=fingerprint.fingerprint(finding.target, finding.effect.values, run.host_state()),
    )
    return answers.proposal(call, preview, token, lifetime=lifetime)


def redeem(row: Confirmation, run: AnyRun, caller: Caller) -> tuple[Claim, Guard]:
    """Spend a confirmation and return the right to run it once, with the check to make immediately before."""
    # Whatever has no target to compare is asked by the run itself.
    finding = examine(run, charged=False) if row.target_state or run.rechecked else Finding()
    try:
        unchanged(row, finding, run, finding.effect.values)
    except TargetChanged:
        # Another redemption of this very token may have changed it.
        confirmations.require_open(row)
        raise
    claim = confirmations.claim(row, channel=Channel.AGENT, caller=caller)
    return claim, lambda locked: unchanged(row, finding, run, None, locked=locked)


def unchanged(
    row: Confirmation, finding: Finding, run: AnyRun, values: Mapping[str, Any] | None, *, locked: bool = False
) -> None:
    """Raise TargetChanged, naming what differs, unless the target is as it was shown."""
    names = fingerprint.differences(row.target_state, finding.target, values, run.host_state(), locked=locked)
    if names:
        raise refusals.target_changed(row.jti, names, finding.effect.details)


def begin(call: Call, mode: ApprovalMode, context: Context) -> Claim:
    """Return the right to run a call once that needs no confirmation; its row is committed."""
    preview = preview_of(call, context.caller)
    return confirmations.begin(call, context, mode=mode, channel=Channel.AGENT, preview=preview)


def examine(run: AnyRun, *, charged: bool) -> Finding:
    """Return what the preflight found. Raises what the host's code refuses with."""
    finding = run.examine(charged=charged)
    if finding.refusal is not None:
        raise answers.error_of(finding.refusal)
    return finding


def execute(call: Call, run: AnyRun, claim: Claim, guard: Guard | None, caller: Caller) -> Reply:
    """Return the reply of a call that was claimed. A refusal before the host's code gives the claim back."""
    try:
        return run.run(guard, charged=call.token is not None)
    except ToolError as error:
        confirmations.give_back(claim, caller=caller, reason=error.code)
        raise
    except Exception as error:  # noqa: BLE001 - reported; what it did before it failed is not known
        return Reply(status=500, error_id=error_reports.report(f"Executing {call.target} failed.", error))


@contextmanager
def _nothing_ran(call: Call, caller: Caller) -> Iterator[None]:
    """Translate what goes wrong with a write before it runs, and put it on the record."""
    try:
        yield
    except (ToolError, ProtocolError) as error:
        refusal_audit.refused(call, caller, error)
        raise
    except DatabaseError as error:
        error_id = error_reports.report(f"Storing the confirmation of {call.target} failed.", error)
        text = "The confirmation could not be stored, nothing ran. Try again."
        failure: ToolError = Unavailable(text, errorId=error_id)
        refusal_audit.refused(call, caller, failure)
        raise failure from error
    except Exception as error:
        failure = _unforeseen(f"Preparing {call.target} failed.", error)
        refusal_audit.refused(call, caller, failure)
        raise failure from error


def _unforeseen(event: str, error: Exception) -> InternalError:
    """Report an exception before a write or in a read, and return what the model is told of it."""
    error_id = error_reports.report(event, error)
    return InternalError(
        "The call failed on the server, and nothing was changed by it. Tell the user; the error id is in the log.",
        errorId=error_id,
    )
