"""The door to the host's code: calls run as their caller, operations through their own view and Django's handler code."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.core.handlers.base import BaseHandler
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.http import HttpRequest
from django.urls import ResolverMatch

from django_mcp.approval.preview import Finding
from django_mcp.execution import preflight
from django_mcp.execution.guards import Guard, noted, watched
from django_mcp.execution.reply import answered, failed, rendered
from django_mcp.execution.routing import arrived
from django_mcp.execution.tool_function import FunctionRun
from django_mcp.host.requests import Context, host_context
from django_mcp.host.throttles import mark_charged
from django_mcp.host.transactions import Progress, atomic_aliases
from django_mcp.replies import Reply
from django_mcp.types import AnyCall, FunctionCall, Operation, OperationCall


class OperationRun:
    """One call of an operation: examined without a trace, run at most once.

    `rechecked` is False: a redemption without a target to compare leaves everything to the view.
    """

    rechecked = False

    def __init__(self, call: OperationCall, context: Context) -> None:
        self.call = call
        self.context = context

    def examine(self, *, charged: bool) -> Finding:
        """Return what can be known of the call in advance; see `preflight.examine`."""
        return preflight.examine(self.call, self.context, charged=charged)

    def host_state(self) -> Any:
        """Return what the host says of the target's state, where it declares `state`."""
        state = self.call.operation.hints.state
        return None if state is None else state(self.context.caller, self.call.arguments)

    def run(self, guard: Guard | None = None, *, charged: bool = False) -> Reply:
        """Run the operation and return what its view answered.

        `guard` is called immediately before the view, in the view's own transaction where it has one: True says so, and
        rows may be locked. What it raises undoes that transaction and comes out of here; nothing has run then. What the
        view raises becomes a reply. `charged`: its proposal counted against the view's throttles already.

        Raises NotFound where the filled route is not the operation's own, ValidationFailed where it cannot be filled.
        """
        call, attempt = self.call, _Attempt(self.call.operation, guard)
        progress = attempt.progress
        # Where it stays None, a context manager of the host swallowed the exception.
        reply = None
        with watched(call) as watch, arrived(call, self.context) as arrival:
            if charged:
                mark_charged(arrival.request)
            try:
                with host_context(arrival.request), progress.watched():
                    response = rendered(attempt.run(arrival.request, arrival.match))
                    undone = progress.undone and not progress.elsewhere
                    reply = answered(call, response, rolled_back=undone, notes=arrival.notes)
            except Exception as error:  # noqa: BLE001 - logged by `failed`; the guard's is raised below.
                if attempt.refusal is None:
                    reply = failed(call, error, rolled_back=progress.nothing_remains(error))
        if attempt.refusal is not None:
            raise attempt.refusal
        if reply is None:
            swallowed = RuntimeError("The view gave no answer.")
            reply = failed(call, swallowed, rolled_back=progress.nothing_remains(swallowed))
        return noted(reply, watch)


class _Attempt:
    """One run of a view under its guard. `refusal` is what the guard raised."""

    def __init__(self, operation: Operation, guard: Guard | None) -> None:
        self.operation = operation
        self.guard = guard
        self.refusal: Exception | None = None
        exempt: set[str] = getattr(operation.callback, "_non_atomic_requests", set())
        self.progress = Progress([alias for alias in atomic_aliases() if alias not in exempt])

    def run(self, request: HttpRequest, match: ResolverMatch) -> Any:
        handler = BaseHandler()
        view: Any = self._guarded()
        wrapped = handler.make_view_atomic(view)
        if iscoroutinefunction(wrapped):
            self._admit()
            wrapped = async_to_sync(wrapped)
        response = wrapped(request, *match.args, **match.kwargs)
        # No transaction ended in an exception, so what is not undone is stored.
        self.progress.committed = not self.progress.undone
        handler.check_response(response, view)
        return response

    def _guarded(self) -> Callable[..., Any]:
        callback: Any = self.operation.callback
        progress = self.progress
        if iscoroutinefunction(callback):
            # Django allows no transaction around it, so there is none for the guard to share.
            return callback  # type: ignore[no-any-return]

        # Django reads _non_atomic_requests from the view; wraps() carries it over.
        @wraps(callback)
        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            self._admit()
            progress.await_commit()
            response = callback(request, *args, **kwargs)
            progress.returned = True
            aliases = progress.aliases
            progress.undone = bool(aliases) and all(connections[alias].needs_rollback for alias in aliases)
            return response

        return view

    def _admit(self) -> None:
        if self.guard is not None:
            try:
                self.guard(connections[_alias(self.operation)].in_atomic_block)
            except Exception as error:
                self.refusal = error
                raise
        self.progress.started = True


def _alias(operation: Operation) -> str:
    """Return the database that the operation's rows are written to."""
    model = getattr(getattr(operation.view_class, "queryset", None), "model", None)
    return router.db_for_write(model) if model is not None else DEFAULT_DB_ALIAS


AnyRun = OperationRun | FunctionRun


def prepare(call: AnyCall, context: Context) -> AnyRun:
    """Return what examines a call and runs it as its caller. The only door to the host's code."""
    return FunctionRun(call, context) if isinstance(call, FunctionCall) else OperationRun(call, context)
