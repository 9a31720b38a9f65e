"""What can be known of a call before anyone is asked to confirm it. It leaves no trace but for what throttles count."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction

from django_mcp.approval import preview
from django_mcp.approval.preview import Effect, Finding, Write
from django_mcp.errors import ToolError, ValidationFailed
from django_mcp.execution.cascade import Cascade
from django_mcp.execution.dry_run import CANNOT_BE_UNDONE, dry_run
from django_mcp.execution.rehearsal import Rehearsal, rehearsed
from django_mcp.execution.reply import answered, failed, rendered
from django_mcp.execution.routing import Arrival, arrived
from django_mcp.execution.sibling_read import related_label, row_as_read
from django_mcp.execution.targets import target_of
from django_mcp.execution.undone import undone
from django_mcp.execution.written import related_rows, sent_arguments, writes
from django_mcp.host.refusals import protected
from django_mcp.host.requests import Context, host_context
from django_mcp.protocol.json import plain
from django_mcp.redaction import redact
from django_mcp.replies import ViewReply
from django_mcp.text import one_line, quoted
from django_mcp.types import OperationCall

UNCHECKED = "The data could not be checked in advance: the view does its own checks when it runs."
# Each costs a read of its resource.
MAX_LABELS = 20
NOTHING_SENT = "Nothing to change was sent: name at least one field with its new value."


def examine(call: OperationCall, context: Context, *, charged: bool = True) -> Finding:
    """Run the operation's view up to its handler, look up the row and validate the data, and undo everything.

    The finding's refusal is what the view would have answered: permissions, look-up, method, media type and throttles
    always, the data only where the handler is DRF's own. An operation with `preflight=False` is not examined. With
    `charged` it counts against the view's throttles as the call over REST would, refused or not.

    Raises NotFound where the filled route is not the operation's own, ValidationFailed where it cannot be filled.
    """
    finding, rehearsal = None, Rehearsal(charged=charged)
    with arrived(call, context) as arrival:
        try:
            with undone(), host_context(arrival.request):
                finding = _finding(call, context, arrival, rehearsal)
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - logged by `failed`.
            finding = Finding(refusal=failed(call, error, rolled_back=True))
        finally:
            for charge in rehearsal.charges:
                charge()
    # None where a context manager of the host swallowed an exception.
    return finding or Finding(refusal=failed(call, RuntimeError("The view gave no answer."), rolled_back=True))


def _finding(call: OperationCall, context: Context, arrival: Arrival, rehearsal: Rehearsal) -> Finding:
    hints = call.operation.hints
    if not hints.preflight:
        finding = Finding(effect=Effect(warnings=(UNCHECKED,)))
    else:
        request: Any = arrival.request
        request.mcp_rehearsal = rehearsal
        view: Any = rehearsed(call.operation)
        if iscoroutinefunction(view):
            view = async_to_sync(view)
        # By itself, so that reads of the row find nothing of what it did on the way.
        with undone():
            response = view(request, *arrival.match.args, **arrival.match.kwargs)
        if response.status_code >= 400:
            return Finding(refusal=answered(call, rendered(response), rolled_back=True))
        finding = _found(call, context, arrival, rehearsal)
    if finding.refusal is not None or not hints.dry_run:
        return finding
    if callable(hints.dry_run):
        details = preview.visible(redact(plain(hints.dry_run(context.caller, call.arguments)), call.sensitive))
        return replace(finding, effect=replace(finding.effect, details=details))
    # What was rehearsed has counted for the throttles.
    return _tried(call, context, finding, Rehearsal(charged=False) if hints.preflight else rehearsal)


def _tried(call: OperationCall, context: Context, finding: Finding, rehearsal: Rehearsal) -> Finding:
    """Return a finding with what the view itself answers, or refuses, when it is run and undone."""
    warnings = tuple(warning for warning in finding.effect.warnings if warning != UNCHECKED)
    # A request of its own: the body of the other has been read.
    with arrived(call, context) as arrival:
        request: Any = arrival.request
        request.mcp_rehearsal = rehearsal
        reply = dry_run(call, arrival)
    if reply is None:
        return replace(finding, effect=replace(finding.effect, warnings=(*warnings, CANNOT_BE_UNDONE)))
    if not reply.ok:
        return Finding(refusal=reply)
    answer = preview.visible(redact(plain(reply.data), call.sensitive))
    details = {**(finding.effect.details or {}), "dryRun": answer}
    return replace(finding, effect=replace(finding.effect, details=details, warnings=warnings))


def _found(call: OperationCall, context: Context, arrival: Arrival, rehearsal: Rehearsal) -> Finding:
    """Return what a rehearsed handler found of the row, and what of it the caller may see."""
    operation, row, action = call.operation, rehearsal.row, rehearsal.action
    warnings = (*arrival.notes, *(() if rehearsal.reached and action is not None else (UNCHECKED,)))
    effect, target = Effect(), None
    if row is not None:
        found_by = "" if action in {None, "destroy"} else rehearsal.view.lookup_field
        target = target_of(call, row, rehearsal.serializer, found_by=found_by)
        shown = row_as_read(operation, context, arrival.request, row)
        if action == "destroy":
            cascade = Cascade.of(rehearsal.view, row)
            if cascade.protecting:
                detail = protected(cascade.protecting)
                return Finding(refusal=ViewReply(status=409, data={"detail": detail}, rolled_back=True))
            effect = preview.subject(call, "deletes", _name(row), shown, cascade.taken)
        elif operation.method in {"PUT", "PATCH"}:
            if operation.method == "PATCH" and not sent_arguments(call, rehearsal.serializer) and action is not None:
                raise ValidationFailed(NOTHING_SENT)
            effect = preview.update(
                call, shown, _labelled(call, context, rehearsal.serializer), standard=action is not None
            )
        else:
            extra_action = hasattr(getattr(operation.view_class, operation.handler, None), "url_path")
            role = "deletes" if operation.method == "DELETE" and not extra_action else "target"
            effect = preview.subject(call, role, _name(row), shown)
    elif action == "create":
        effect = preview.creation(call, _labelled(call, context, rehearsal.serializer))
    return Finding(
        target=target,
        effect=Effect(details=effect.details, values=effect.values, warnings=(*warnings, *effect.warnings)),
    )


def _labelled(call: OperationCall, context: Context, serializer: Any) -> Iterator[Write]:
    """Yield what would be written, with the names of related rows, as far as the caller may read those."""
    labels: dict[str, list[str]] = {}
    for name, row in islice(related_rows(serializer), MAX_LABELS):
        if label := related_label(call.operation, context, row):
            labels.setdefault(name, []).append(label)
    for write in writes(call, serializer):
        label = ", ".join(quoted(text) for text in labels.get(write.field, ()))
        yield replace(write, label=label) if label else write


def _name(row: Any) -> str:
    """Return what a row is called without what its own text may tell: REST need not show that."""
    options = getattr(row, "_meta", None)
    name = options.verbose_name if options is not None else type(row).__name__
    return one_line(f"{name} {getattr(row, 'pk', '')}")
