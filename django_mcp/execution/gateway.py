"""Runs an operation as the caller, through its own DRF view and Django's own handler code."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.core.handlers.base import BaseHandler
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections, router, transaction
from django.http import HttpRequest
from django.urls import ResolverMatch

from django_mcp import read_guard
from django_mcp.execution.reply import answered, failed, rendered
from django_mcp.execution.routing import arrived
from django_mcp.requests import Context, host_context
from django_mcp.statements import Write
from django_mcp.vocabulary import Operation, Reply, ToolCall

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
    with arrived(call, context) as arrival:
        reply = None
        try:
            with host_context(arrival.request), read_guard.noticing(attempt.beside) as attempt.elsewhere:
                response = rendered(attempt.run(arrival.request, arrival.match))
                undone = attempt.undone and not attempt.elsewhere
                reply = answered(call, response, rolled_back=undone, notes=arrival.notes)
        except Exception as error:  # noqa: BLE001 - logged by `failed`; the guard's is raised below.
            if attempt.refusal is None:
                reply = failed(call, error, rolled_back=attempt.nothing_remains(error))
    if attempt.refusal is not None:
        raise attempt.refusal
    if reply is None:
        # A context manager of the host swallowed the exception.
        swallowed = RuntimeError("The view gave no answer.")
        return failed(call, swallowed, rolled_back=attempt.nothing_remains(swallowed))
    return reply


class _Attempt:
    """One run of a view, and how far it came: that decides whether anything of it can remain."""

    def __init__(self, operation: Operation, guard: Guard | None) -> None:
        self.operation = operation
        self.guard = guard
        self.refusal: Exception | None = None
        self.started = self.returned = self.undone = self.committed = self.finished = False
        exempt: set[str] = getattr(operation.callback, "_non_atomic_requests", set())
        self.atomic = [
            alias
            for alias, options in connections.settings.items()
            if options["ATOMIC_REQUESTS"] and alias not in exempt
        ]
        # What is written to the other databases stays, whatever becomes of those transactions.
        self.beside = [alias for alias in connections if self.atomic and alias not in self.atomic]
        self.elsewhere: list[Write] = []

    def run(self, request: HttpRequest, match: ResolverMatch) -> Any:
        handler = BaseHandler()
        view: Any = self._guarded()
        wrapped = handler.make_view_atomic(view)
        if iscoroutinefunction(wrapped):
            self._admit()
            wrapped = async_to_sync(wrapped)
        response = wrapped(request, *match.args, **match.kwargs)
        self.finished = True
        handler.check_response(response, view)
        return response

    def nothing_remains(self, error: Exception) -> bool:
        """Tell, after an exception, whether everything that the view did in its transactions is undone for sure."""
        if not self.started:
            return True
        if self.elsewhere:
            return False
        if self.finished:
            return self.undone
        if self.returned and not self.undone and not isinstance(error, IntegrityError):
            # The commit failed. Only a constraint says that nothing was stored; a lost connection may have done it.
            return False
        # It may have been raised by a hook that runs after the commit.
        return bool(self.atomic) and not self.committed

    def _guarded(self) -> Callable[..., Any]:
        callback: Any = self.operation.callback
        if iscoroutinefunction(callback):
            # Django allows no transaction around it, so there is none for the guard to share.
            return callback  # type: ignore[no-any-return]

        # Django reads _non_atomic_requests from the view; wraps() carries it over.
        @wraps(callback)
        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            self._admit()
            for alias in self.atomic:
                transaction.on_commit(self._mark_committed, using=alias)
            response = callback(request, *args, **kwargs)
            self.returned = True
            self.undone = bool(self.atomic) and all(connections[alias].needs_rollback for alias in self.atomic)
            return response

        return view

    def _admit(self) -> None:
        if self.guard is not None:
            try:
                self.guard(connections[_alias(self.operation)].in_atomic_block)
            except Exception as error:
                self.refusal = error
                raise
        self.started = True

    def _mark_committed(self) -> None:
        self.committed = True


def _alias(operation: Operation) -> str:
    """Return the database that the operation's rows are written to."""
    model = getattr(getattr(operation.view_class, "queryset", None), "model", None)
    return router.db_for_write(model) if model is not None else DEFAULT_DB_ALIAS
