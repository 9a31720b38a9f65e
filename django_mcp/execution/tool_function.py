"""One run of a tool that the host defines: validated, in its transaction, and every way it can end as a reply."""

import inspect
from collections.abc import Awaitable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from asgiref.sync import async_to_sync
from django.db import DEFAULT_DB_ALIAS, transaction
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from django_mcp import error_reports
from django_mcp.approval.preview import Finding
from django_mcp.errors import ProtocolError, ToolError, ValidationFailed
from django_mcp.execution.guards import Guard, noted, watched
from django_mcp.host.refusals import refused
from django_mcp.host.requests import Context, host_context, inner_request
from django_mcp.host.transactions import Progress, atomic_aliases
from django_mcp.protocol.json import plain
from django_mcp.redaction import redact, secrets_in
from django_mcp.replies import FunctionReply, Reply
from django_mcp.tools.answers import refusal_text
from django_mcp.tools.media import Content, rendered
from django_mcp.tools.questions import Answers, InputRequired
from django_mcp.types import FunctionCall


class FunctionRun:
    """One call of a host's function, with effective arguments: examined without running it, run at most once.

    `rechecked` is True: validation costs little, and what it refuses spends no token.
    """

    rechecked = True

    def __init__(self, call: FunctionCall, context: Context) -> None:
        self.call = call
        self.tool = call.declaration
        self.context = context

    def examine(self, *, charged: bool) -> Finding:
        """Validate the arguments without running anything: no more is known of a function."""
        try:
            with self.context.locale(), host_context(self._request):
                self._data  # noqa: B018 - validated when first asked for
        except Exception as error:  # noqa: BLE001 - logged where nobody foresaw it
            return Finding(refusal=self._failed(error))
        return Finding()

    def host_state(self) -> None:
        """Return nothing: a function has no target whose state could be compared."""

    def run(self, guard: Guard | None = None, *, charged: bool = False) -> Reply:
        """Run the function and return what became of it; whatever it raises is a reply too."""
        with watched(self.call) as watch:
            try:
                reply = self._in_context()
            except Exception as error:  # noqa: BLE001 - logged where nobody foresaw it
                reply = self._failed(error)
        return noted(reply, watch)

    def _in_context(self) -> FunctionReply:
        with self.context.locale(), host_context(self._request):
            return self._run()
        raise RuntimeError("A context manager of EXECUTION_CONTEXT swallowed an exception.")

    def _run(self) -> FunctionReply:
        data = self._data
        progress = self._progress
        with progress.watched(), ExitStack() as transactions:
            for alias in progress.aliases:
                transactions.enter_context(transaction.atomic(using=alias))
            progress.await_commit()
            progress.started = True
            answer: Any = self.tool.function(self.context.caller, data, *self._answers)
            if inspect.isawaitable(answer):
                answer = async_to_sync(_awaited)(answer)
            reply = self._asked(answer) if isinstance(answer, InputRequired) else self._answered(answer)
            progress.returned = True
        return reply

    @property
    def _answers(self) -> tuple[Answers, ...]:
        return () if self.call.dialogue is None else (self.call.dialogue.answers,)

    def _asked(self, required: InputRequired) -> FunctionReply:
        if self.call.dialogue is None:
            msg = f"The tool {self.tool.name} asks; declare it with asks=True."
            raise TypeError(msg)
        question = self.call.dialogue.ask(required)
        for alias in self._progress.aliases:
            # It is run again from its start.
            transaction.set_rollback(True, using=alias)
        return FunctionReply(status=200, question=question)

    def _answered(self, answer: Any) -> FunctionReply:
        result = rendered(self._given(answer), self.context)
        return FunctionReply(status=200, data=result.data, structured=result.structured, blocks=result.blocks)

    @cached_property
    def _request(self) -> HttpRequest:
        return inner_request(self.context, method="POST", path=self.context.outer.path_info)

    @cached_property
    def _serializer_context(self) -> dict[str, Any]:
        # The inner request has the caller as its user, for CurrentUserDefault and the like.
        return {"caller": self.context.caller, "request": Request(self._request)}

    @cached_property
    def _data(self) -> Mapping[str, Any]:
        if self.tool.input is None:
            return self.call.arguments
        serializer = self.tool.input(data=dict(self.call.arguments), context=self._serializer_context)
        if serializer.is_valid():
            return serializer.validated_data  # type: ignore[no-any-return]
        errors = plain(serializer.errors)
        raise ValidationFailed(refusal_text(FunctionReply(status=400, data=errors)), errors=errors)

    @cached_property
    def _progress(self) -> Progress:
        atomic, asked = self.tool.atomic, atomic_aliases()
        if atomic is None:
            return Progress(asked)
        return Progress(tuple(dict.fromkeys([DEFAULT_DB_ALIAS, *asked])) if atomic else ())

    def _given(self, answer: Any) -> Any:
        if self.tool.output is None:
            return answer
        if isinstance(answer, list | tuple):
            return [self._serialized(item) for item in answer]
        return self._serialized(answer)

    def _serialized(self, item: Any) -> Any:
        if self.tool.output is None or isinstance(item, Content | BaseSerializer | Response | str):
            return item
        return self.tool.output(item, context=self._serializer_context)

    def _failed(self, error: Exception) -> FunctionReply:
        undone = self._progress.nothing_remains(error)
        try:
            reply = self._refused(error, rolled_back=undone)
        except Exception as broken:  # noqa: BLE001 - what the error itself carries cannot be said in JSON
            broken.__context__ = error
            reply, error = None, broken
        if reply is not None:
            return reply
        secrets = secrets_in(self.call.arguments, self.call.sensitive)
        error_id = error_reports.report(f"The tool {self.tool.name} failed.", error, secrets=secrets)
        return FunctionReply(status=500, error_id=error_id, rolled_back=undone)

    def _refused(self, error: Exception, *, rolled_back: bool) -> FunctionReply | None:
        """Return the reply for an error that was meant for the caller, None for any other."""
        if isinstance(error, ToolError):
            error.text, error.details = self._masked(str(error.text)), plain(error.details)
            said = {"code": error.code, "error": error.text, **error.details}
            return FunctionReply(status=400, data=said, error=error, rolled_back=rolled_back)
        if isinstance(error, ProtocolError):
            error.data = plain(error.data)
            said = {"code": error.code, "error": error.message, "data": error.data}
            return FunctionReply(status=400, data=said, error=error, rolled_back=rolled_back)
        return refused(error, FunctionReply, rolled_back=rolled_back)

    def _masked(self, text: str) -> str:
        return str(redact(text, secrets=secrets_in(self.call.arguments, self.call.sensitive)))


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer
