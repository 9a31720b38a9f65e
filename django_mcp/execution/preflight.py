"""What can be known of a call before anyone is asked to confirm it. It leaves no trace."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, NoReturn

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.db import DatabaseError, OperationalError, connections, transaction

from django_mcp.errors import ToolError
from django_mcp.execution.rehearsal import UNCHECKED, Rehearsal, rehearsed
from django_mcp.execution.reply import answered, failed, rendered
from django_mcp.execution.routing import Arrival, arrived
from django_mcp.execution.targets import shown
from django_mcp.host.requests import Context, host_context
from django_mcp.protocol.json import plain
from django_mcp.redaction import redact
from django_mcp.types import Finding, OperationCall


def examine(call: OperationCall, context: Context) -> Finding:
    """Run the operation's view up to its handler, look up the row and validate the data, and undo everything.

    The finding's refusal is what the view would have answered: permissions, look-up, method, media type and throttles
    always, the data only where the handler is DRF's own. An operation with `preflight=False` is not examined.

    Raises NotFound where the filled route is not the operation's own, ValidationFailed where it cannot be filled.
    """
    finding = None
    with arrived(call, context) as arrival, _undone():
        try:
            with host_context(arrival.request):
                finding = _rehearse(call, arrival) if call.operation.hints.preflight else Finding(warnings=(UNCHECKED,))
                dry_run = call.operation.hints.dry_run
                if finding.refusal is None and dry_run is not None:
                    preview = shown(redact(plain(dry_run(context.caller, call.arguments)), call.sensitive))
                    finding = replace(finding, preview=preview)
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - logged by `failed`.
            finding = Finding(refusal=failed(call, error, rolled_back=True))
    # None where a context manager of the host swallowed an exception.
    return finding or Finding(refusal=failed(call, RuntimeError("The view gave no answer."), rolled_back=True))


def _rehearse(call: OperationCall, arrival: Arrival) -> Finding:
    rehearsal = Rehearsal(call)
    request: Any = arrival.request
    request.mcp_rehearsal = rehearsal
    view: Any = rehearsed(call.operation)
    if iscoroutinefunction(view):
        view = async_to_sync(view)
    response = view(request, *arrival.match.args, **arrival.match.kwargs)
    if response.status_code >= 400:
        return Finding(refusal=answered(call, rendered(response), rolled_back=True))
    warnings = rehearsal.warnings if rehearsal.reached else (UNCHECKED,)
    return Finding(target=rehearsal.target, preview=rehearsal.preview, warnings=(*arrival.notes, *warnings))


@contextmanager
def _undone() -> Iterator[None]:
    """Open a transaction on every database and roll each back. One that cannot be reached refuses all queries."""
    with ExitStack() as stack:
        for alias in connections:
            try:
                stack.enter_context(_rolled_back(alias))
            except OperationalError:
                stack.enter_context(connections[alias].execute_wrapper(_refused))
        yield


@contextmanager
def _rolled_back(alias: str) -> Iterator[None]:
    with transaction.atomic(using=alias):
        try:
            yield
        finally:
            transaction.set_rollback(True, using=alias)


def _refused(*args: Any) -> NoReturn:
    msg = "This database could not be reached for a transaction, so nothing may be written to it."
    raise DatabaseError(msg)
