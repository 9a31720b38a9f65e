"""Runs an operation as the caller, through its own DRF view and Django's own handler code."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.core.handlers.base import BaseHandler
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.http import HttpRequest
from django.urls import ResolverMatch

from django_mcp.execution.reply import answered, failed, rendered
from django_mcp.execution.routing import arrived
from django_mcp.host.requests import Context, host_context
from django_mcp.host.transactions import Progress, atomic_aliases
from django_mcp.types import Operation, Reply, ToolCall

Guard = Callable[[bool], None]


def execute(call: ToolCall, context: Context, *, guard: Guard | None = None) -> Reply:
    """Run the call and return what its view answered.

    `guard` is called immediately before the view, in the view's own transaction where it has one: True says so, and
    rows may be locked. What it raises undoes that transaction and comes out of here; nothing has run then. What the
    view raises becomes a reply.

    Raises NotFound where the filled route is not the operation's own, ValidationFailed where it cannot be filled.
    """
    operation: Any = call.operation
    attempt = _Attempt(operation, guard)
    progress = attempt.progress
    with arrived(call, context) as arrival:
        reply = None
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
        # A context manager of the host swallowed the exception.
        swallowed = RuntimeError("The view gave no answer.")
        return failed(call, swallowed, rolled_back=progress.nothing_remains(swallowed))
    return reply


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
