"""The answers of calls: one envelope for every outcome, and results that fit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django_mcp import error_reports
from django_mcp.access.exposure import Reach
from django_mcp.approval.preview import Preview
from django_mcp.choices import State
from django_mcp.conf import conf
from django_mcp.errors import (
    Conflict,
    InternalError,
    NotFound,
    OperationFailed,
    OutcomeUnknown,
    PermissionRefused,
    ProtocolError,
    Throttled,
    ToolError,
    ValidationFailed,
)
from django_mcp.protocol.json import compact
from django_mcp.redaction import redact
from django_mcp.replies import FunctionReply, Reply, ViewReply
from django_mcp.text import one_line, quoted
from django_mcp.tools import media
from django_mcp.tools.calls import reachable_names
from django_mcp.tools.truncation import fit
from django_mcp.types import Call, OperationCall, Outcome

MAX_PROBLEMS_IN_TEXT = 5
PAGING = frozenset({"limit", "offset", "page", "page_size", "cursor"})
LOOK_FIRST = "It may have been applied: look at the data before you propose it again."

_BY_STATUS: dict[int, type[ToolError]] = {
    400: ValidationFailed,
    401: PermissionRefused,
    403: PermissionRefused,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    429: Throttled,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a tool call. Without `blocks` the content is the structured object, as compact text.

    `question` stands in its place where the client has to answer first.
    """

    structured: Mapping[str, Any] | None
    is_error: bool = False
    blocks: tuple[Mapping[str, Any], ...] = ()
    question: Mapping[str, Any] | None = None

    def as_mcp(self) -> dict[str, Any]:
        """Return the result as MCP sends it, with its object as text for the clients that do not read objects."""
        if self.question is not None:
            return dict(self.question)
        result: dict[str, Any] = {"content": list(self.blocks), "isError": self.is_error}
        if self.structured is not None:
            result["structuredContent"] = self.structured
            result["content"] = result["content"] or [{"type": "text", "text": compact(self.structured)}]
        return result

    def as_text(self) -> "ToolResult":
        """Return the result without its object, whose members its text has as well."""
        text = {"type": "text", "text": compact(self.structured)}
        return ToolResult(structured=None, is_error=self.is_error, blocks=self.blocks or (text,))


def answer(call: Call, reply: Reply, reach: Reach, outcome: Outcome | None = None) -> ToolResult:
    """Return the answer for a reply. `outcome` is the recorded one of a write, None for a read.

    Raises ProtocolError where a host's function did.
    """
    if reply.error is not None or not reply.ok:
        error = error_of(reply, outcome)
        if isinstance(error, ProtocolError):
            raise error
        return failure(call.target, error)
    if isinstance(call, OperationCall) and isinstance(reply, ViewReply):
        return success(call, reply, reach)
    if isinstance(reply, FunctionReply):
        return ToolResult(structured=reply.structured, blocks=reply.blocks, question=reply.question)
    msg = f"{type(reply).__name__} answers no {type(call).__name__}."
    raise TypeError(msg)


def settled(call: Call, reply: Reply, reach: Reach, outcome: Outcome) -> ToolResult:
    """Return the answer for a write that is done and recorded, also where its result cannot be rendered.

    Raises ProtocolError where a host's function did.
    """
    try:
        return answer(call, reply, reach, outcome)
    except ProtocolError:
        raise
    except Exception as error:  # noqa: BLE001 - reported; it is done, and the answer must not say otherwise
        error_id = error_reports.report(f"What {call.target} answered could not be shown.", error)
    if outcome.status is not State.SUCCEEDED:
        text = f"The operation ended as {outcome.status}, and its answer could not be shown. {LOOK_FIRST}"
        return failure(call.target, OutcomeUnknown(text, outcome=outcome.as_dict(), errorId=error_id))
    structured: dict[str, Any] = {
        "status": "success",
        "api": call.target,
        "request": {},
        "response": None,
        "httpStatus": outcome.http_status,
        "truncated": True,
        "next": [],
        "warnings": [f"It was carried out, but its answer could not be shown (error id {error_id}). Do not repeat it."],
    }
    return ToolResult(structured=structured)


def failure(target: str, error: ToolError) -> ToolResult:
    """Return the error as the model reads it."""
    envelope = {"status": "error", "api": target, "code": error.code, "error": error.text}
    # The first envelope gives the order, the second keeps a detail of a host's tool from replacing a member.
    return ToolResult(structured={**envelope, **error.details, **envelope}, is_error=True)


def success(call: OperationCall, reply: ViewReply, reach: Reach) -> ToolResult:
    """Return the view's answer, cut to size, with the request and the operations that may follow."""
    blocks, notes = media.attached(reply.attachment, reach.context)
    data = reply.data
    for block in blocks:
        if "uri" in block:
            data = {**data, "uri": block["uri"]}
    warnings = [*call.warnings, *reply.notes, *notes]
    structured: dict[str, Any] = {
        "status": "success",
        "api": call.target,
        "request": redact(call.sent, call.sensitive),
        "response": data,
        "httpStatus": reply.status,
        "truncated": False,
        "next": reachable_names(call.operation.hints.follow_ups, reach),
    }
    if warnings:
        structured["warnings"] = warnings
    if reply.location is not None:
        structured["location"] = reply.location
    text = compact(structured)
    # Where all of it fits, so does the response.
    if len(text.encode("utf-8", "surrogatepass")) > conf.MAX_RESULT_LENGTH:
        structured["response"], structured["truncated"], hint = fit(data, conf.MAX_RESULT_LENGTH)
        if hint:
            structured["warnings"] = [*warnings, f"{hint} {_way_on(call)}"]
        text = compact(structured)
    return ToolResult(structured=structured, blocks=({"type": "text", "text": text}, *blocks))


def _way_on(call: OperationCall) -> str:
    """Return the way to the rest of a response that was cut, through the operation's own arguments."""
    options = [name for name, argument in call.placement.items() if argument.location == "query"]
    paging = [name for name in options if name in PAGING]
    if paging:
        return f"Go on from there, or ask for fewer rows, with {' and '.join(paging)}."
    return f"Narrow with {', '.join(options)}." if options else "The operation has no arguments to ask for less."


def error_of(reply: Reply, outcome: Outcome | None = None) -> ToolError | ProtocolError:
    """Return the error for a refusal or a failure. `outcome` is the recorded one of a write, None for a read."""
    if isinstance(reply.error, ToolError | ProtocolError):
        return reply.error
    if reply.status >= 500:
        return _broken(reply, outcome)
    details: dict[str, Any] = {"httpStatus": reply.status}
    if reply.retry_after is not None:
        details["retryAfter"] = reply.retry_after
    if isinstance(reply.data, Mapping | list) and reply.status not in {401, 403, 404}:
        details["response"] = fit(reply.data, conf.MAX_RESULT_LENGTH)[0]
    promise = " Nothing was changed." if outcome is not None and reply.rolled_back else ""
    error_class = _BY_STATUS.get(reply.status, OperationFailed)
    return error_class(refusal_text(reply) + promise, **details)


def _broken(reply: Reply, outcome: Outcome | None) -> ToolError:
    details = {"httpStatus": reply.status, "errorId": reply.error_id}
    failed = "The operation failed on the server" + (f": {quoted(reply.public_text)}." if reply.public_text else ".")
    if outcome is not None and outcome.status is State.UNKNOWN:
        return OutcomeUnknown(f"{failed} {LOOK_FIRST}", **details)
    promise = " Nothing was changed." if reply.rolled_back else ""
    return InternalError(f"{failed}{promise} Tell the user; the error id is in the server's log.", **details)


def refusal_text(reply: Reply) -> str:
    """Return the body of a refusal below 500 as sentences for the model."""
    problems = list(_problems(reply.data, ""))
    text = " ".join(problems[:MAX_PROBLEMS_IN_TEXT])
    if len(problems) > MAX_PROBLEMS_IN_TEXT:
        text += f" And {len(problems) - MAX_PROBLEMS_IN_TEXT} more."
    if reply.status == 404:
        return f"Not found, or not available to this user. Check the ids and pages in args. {text}".strip()
    return text or f"The operation answered HTTP {reply.status}."


def _problems(data: Any, path: str) -> Iterable[str]:
    """Yield DRF's error body as sentences that begin with the field's path."""
    if isinstance(data, Mapping):
        for key, item in data.items():
            generic = key in {"detail", "non_field_errors"} or (not path and key == "code")
            yield from _problems(item, path if generic else f"{path}.{key}" if path else str(key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _problems(item, path if isinstance(item, str) else f"{path}[{index}]")
    elif data is not None:
        sentence = one_line(data)
        yield f"{one_line(path)}: {sentence}" if path else sentence


def outcome_of(reply: Reply) -> Outcome:
    """Return the outcome of a write, as far as its reply tells."""
    if reply.ok:
        state = State.SUCCEEDED
    elif reply.status < 500 or reply.rolled_back:
        state = State.REJECTED
    else:
        state = State.UNKNOWN
    # The body of a 5xx was not written for a caller, neither now nor in a replay.
    response = reply.data if reply.status < 500 else None
    return Outcome(status=state, http_status=reply.http_status, response=response, error_id=reply.error_id)


def proposal(call: Call, preview: Preview, token: str, *, lifetime: int) -> ToolResult:
    """Return the first phase's answer: nothing ran, and this is what would."""
    structured: dict[str, Any] = {
        "status": "requires_confirmation",
        "api": call.target,
        "safety": call.safety.value,
        "confirmationToken": token,
        "expiresInSeconds": lifetime,
        "summary": preview.summary,
        "args": preview.arguments,
        "instruction": (
            "Display this summary to the user for explicit confirmation. When approved, call "
            f"{call.tool} again with the same arguments and confirmationToken."
        ),
    }
    if preview.effect.details is not None:
        structured["preview"] = preview.effect.details
    if preview.warnings:
        structured["warnings"] = list(preview.warnings)
    return ToolResult(structured=structured)
