"""What MCP clients list and call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.access.server_config import API_TOOLS
from django_mcp.types import AnyCall, HostedTool, Safety

Schema = Mapping[str, Any]

API_CALL = "api_call"
API_READ = "api_read"
TOKEN = "confirmationToken"  # noqa: S105 - an argument's name
TOKEN_SCHEMA: Schema = {
    "type": "string",
    "description": "The token of the first answer, only after the user has agreed.",
}
# What every call of an operation answers, whatever became of it.
ANSWER_SCHEMA: Schema = {
    "type": "object",
    "properties": {"status": {"type": "string"}, "code": {"type": "string"}, "error": {"type": "string"}},
    "required": ["status"],
}


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One MCP tool, and what holds of it for a caller.

    `schemas` gives the input schema and the output schema, None where nothing may be promised of the output. `fits`
    tells whether an error may stand where that output schema is promised. `asks` is True where it may answer with
    questions to the client.
    `safety` is None where nothing may be promised to clients. `reached` is the one answer for list and call. `more`
    are further fields of the tool as MCP lists it.
    """

    name: str
    title: str
    description: str
    group: str
    schemas: Callable[[Reach], tuple[Schema, Schema | None]]
    safety: Callable[[Reach], Safety | None]
    reached: Callable[[Reach], bool]
    fits: Callable[[Mapping[str, Any], Reach], bool] = field(default=lambda _structured, _reach: True)
    more: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = False

    def target_of(self, arguments: Mapping[str, Any]) -> str:
        """Return what answers call a call by, before it is known to be one: the operation's name as it was sent."""
        name = arguments.get("name") if self.group == API_TOOLS else None
        return name if isinstance(name, str) else self.name

    def listing(self, reach: Reach) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it to this caller."""
        taken, given = self.schemas(reach)
        listed: dict[str, Any] = {"name": self.name, "title": self.title, "description": self.description}
        listed["inputSchema"] = taken
        if given is not None:
            listed["outputSchema"] = given
        listed.update(self.more)
        safety = self.safety(reach)
        if safety is not None:
            listed["annotations"] = {**annotations(safety), **self.more.get("annotations", {})}
        return listed


@dataclass(frozen=True, kw_only=True)
class AnsweringTool(Tool):
    """A tool that reads only our own catalog: arguments and reach in, the structured result out."""

    answer: Callable[[Mapping[str, Any], Reach], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A client's wish to call a target. `args` is None where the client leaves them to the token.

    `call` makes the call of arguments; it raises ValidationFailed for arguments that the target does not take.
    """

    target: str
    args: dict[str, Any] | None
    token: str | None
    call: Callable[[dict[str, Any]], AnyCall]


@dataclass(frozen=True, kw_only=True)
class CallingTool(Tool):
    """A tool that calls something of the host's: `read` returns the request, for the pipeline to make the call of.

    `declared` is the host's declaration of a tool of its own, None for an operation.
    """

    read: Callable[[Mapping[str, Any], Reach], CallRequest]
    declared: HostedTool | None = None


AnyTool = AnsweringTool | CallingTool


def annotations(safety: Safety) -> dict[str, Any]:
    """Return MCP's hints for a safety."""
    if safety is Safety.READ_ONLY:
        return {"readOnlyHint": True}
    return {"readOnlyHint": False, "destructiveHint": safety is Safety.DESTRUCTIVE}
