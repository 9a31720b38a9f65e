"""One call from its tool to its answer. The only place that knows the order of the stages."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from django.db import DatabaseError

from django_mcp import error_reports, refusal_audit
from django_mcp.access.exposure import Reach
from django_mcp.approval import confirmations, fingerprint, questions
from django_mcp.approval.confirmations import Claim
from django_mcp.approval.policy import Confirm, Refuse, Review, decide
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
from django_mcp.execution.gateway import Run, prepare
from django_mcp.execution.guards import Guard
from django_mcp.models import Confirmation
from django_mcp.tools import answers
from django_mcp.tools.answers import ToolResult
from django_mcp.tools.base import AnsweringTool, AnyTool, CallingTool
from django_mcp.types import AnyCall, ApprovalMode, Call, Caller, Channel, EventKind, Finding, Reply


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
    caller = reach.context.caller
    call, row = resolve(tool, arguments, reach)
    run = prepare(call, reach.context)
    if not call.mutates:
        with closing(read(call, run, caller)) as reply:
            return answers.answer(call, reply, reach)
    with _nothing_ran(call, caller):
        decision = decide(call, reach.server, caller)
        if isinstance(decision, Refuse):
            raise decision.error
        if isinstance(decision, Review):
            raise ApprovalRequired(
                f"{call.target} needs the review of a human, which cannot be given here. Tell the user; do not retry."
            )
        if call.token is not None:
            # A token is for one execution, also where none is needed any more.
            claim, guard = redeem(call, call.token, row, run, caller)
        elif isinstance(decision, Confirm):
            return propose(call, run, decision.mode, reach)
        else:
            claim, guard = begin(call, decision.mode, caller), None
        reply = execute(call, run, claim, guard, caller)
    with closing(reply):
        record_writes(call, reply, caller)
        outcome = confirmations.settle(claim, answers.outcome_of(reply), call=call, caller=caller)
        return answers.settled(call, reply, reach, outcome)


def resolve(tool: CallingTool, arguments: Mapping[str, Any], reach: Reach) -> tuple[AnyCall, Confirmation | None]:
    """Return the call, and its open confirmation where the arguments were kept with that."""
    row = None
    try:
        request = tool.read(arguments, reach)
        args = request.args
        if args is None and request.token is not None:
            caller = reach.context.caller
            row = confirmations.find(request.token, tool=tool.name, target=request.target, caller=caller)
            args = confirmations.stored_arguments(row)
            if args is None:
                text = "The arguments were not kept with this token; send the same args with it again."
                raise ValidationFailed(text)
        return request.call(args or {}), row
    except ToolError as error:
        refusal_audit.unresolved(tool, arguments, reach, error)
        raise


def read(call: Call, run: Run, caller: Caller) -> Reply:
    """Return the reply of a call that needs no approval."""
    reply = run.run()
    record_writes(call, reply, caller)
    if conf.AUDIT_READS:
        refusal_audit.note(EventKind.READ, call, caller, status=reply.status)
    return reply


def record_writes(call: Call, reply: Reply, caller: Caller) -> None:
    """Put on the record that a call which is declared to read has written."""
    if reply.writes:
        refusal_audit.note(EventKind.READ_WROTE, call, caller, wrote=list(reply.writes), refused=reply.write_refused)


def propose(call: Call, run: Run, mode: ApprovalMode, reach: Reach) -> ToolResult:
    """Return the answer that asks for a confirmation, with a token for it; nothing ran."""
    caller, lifetime = reach.context.caller, reach.server.expiry
    finding = examine(run)
    row, token = confirmations.propose(
        call,
        caller,
        mode=mode,
        lifetime=lifetime,
        summary=answers.summary_of(call, caller),
        finding=finding,
        target_state=fingerprint.fingerprint(finding.target, run.host_state()),
    )
    return answers.proposal(call, row, token, lifetime=lifetime, finding=finding)


def redeem(call: Call, token: str, row: Confirmation | None, run: Run, caller: Caller) -> tuple[Claim, Guard]:
    """Spend the token and return the right to run the call once, with the check to make immediately before."""
    row = row or confirmations.find(token, tool=call.tool, target=call.target, caller=caller)
    confirmations.check_arguments(row, call)
    finding = examine(run)

    def guard(locked: bool) -> None:  # noqa: FBT001 - the gateway's word on its transaction
        if not fingerprint.unchanged(row.target_state, finding.target, run.host_state(), locked=locked):
            details = {} if finding.preview is None else {"preview": finding.preview}
            raise TargetChanged(
                "What this would change is no longer what was shown, nothing ran. Call again without the token and "
                "have the new summary confirmed.",
                **details,
            )

    guard(False)  # noqa: FBT003 - no transaction yet
    return confirmations.claim(row, channel=Channel.AGENT, caller=caller), guard


def begin(call: Call, mode: ApprovalMode, caller: Caller) -> Claim:
    """Return the right to run a call once that needs no confirmation; its row is committed."""
    summary = answers.summary_of(call, caller)
    return confirmations.begin(call, caller, mode=mode, channel=Channel.AGENT, summary=summary)


def examine(run: Run) -> Finding:
    """Return what the preflight found. Raises what the host's code refuses with."""
    finding = run.examine()
    if finding.refusal is not None:
        raise answers.error_of(finding.refusal)
    return finding


def execute(call: Call, run: Run, claim: Claim, guard: Guard | None, caller: Caller) -> Reply:
    """Return the reply of a call that was claimed. A refusal before the host's code gives the claim back."""
    try:
        return run.run(guard)
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
