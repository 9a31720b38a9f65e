"""What MCP clients list and call."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.access.server_config import API_TOOLS
from django_mcp.choices import Safety
from django_mcp.types import AnyCall

Schema = Mapping[str, Any]

API_CALL = "api_call"
API_READ = "api_read"
TOKEN = "confirmationToken"  # noqa: S105 - an argument's name
TOKEN_SCHEMA: Schema = {
    "type": "string",
    "description": "The token of the first answer, only after the user has agreed.",
}
# Every answer to a call of an operation has these members, whatever became of the call.
ANSWER_SCHEMA: Schema = {
    "type": "object",
    "properties": {"status": {"type": "string"}, "code": {"type": "string"}, "error": {"type": "string"}},
    "required": ["status"],
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Tool(ABC):
    """One MCP tool.

    `extras` are further members of its entry in `tools/list`. `asks` is True where it may answer with questions to the
    client.
    """

    name: str
    title: str
    description: str
    group: str
    extras: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = False

    @abstractmethod
    def reached(self, reach: Reach) -> bool:
        """Tell whether the caller may list and call the tool."""

    @abstractmethod
    def safety(self, reach: Reach) -> Safety | None:
        """Return the safety to publish, None where clients are promised none."""

    @abstractmethod
    def schemas(self, reach: Reach) -> tuple[Schema, Schema | None]:
        """Return the input schema and the output schema, None where no result is promised."""

    def fits(self, structured: Mapping[str, Any], reach: Reach) -> bool:
        """Tell whether the object of an error may stand where the output schema is promised."""
        return True

    def target_of(self, arguments: Mapping[str, Any]) -> str:
        """Return the target's name for answers before there is a call: the operation's as sent, else the tool's."""
        name = arguments.get("name") if self.group == API_TOOLS else None
        return name if isinstance(name, str) else self.name

    def listing(self, reach: Reach) -> dict[str, Any]:
        """Return the tool's entry in `tools/list` for this caller, with every member of the newest revision."""
        input_schema, output_schema = self.schemas(reach)
        entry: dict[str, Any] = {"name": self.name, "title": self.title, "description": self.description}
        entry["inputSchema"] = input_schema
        if output_schema is not None:
            entry["outputSchema"] = output_schema
        entry.update(self.extras)
        safety = self.safety(reach)
        if safety is not None:
            annotations = {"readOnlyHint": safety is Safety.READ_ONLY}
            if safety is not Safety.READ_ONLY:
                annotations["destructiveHint"] = safety is Safety.DESTRUCTIVE
            entry["annotations"] = {**annotations, **self.extras.get("annotations", {})}
        return entry


@dataclass(frozen=True, kw_only=True, eq=False)
class AnsweringTool(Tool):
    """A tool that reads only our own catalog: arguments and reach in, the structured result out."""

    answer: Callable[[Mapping[str, Any], Reach], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A client's request to call a target. `args` is None where the token brings the arguments.

    `call` makes the call of arguments; it raises ValidationFailed for arguments that the target does not take.
    """

    target: str
    args: dict[str, Any] | None
    token: str | None
    call: Callable[[dict[str, Any]], AnyCall]


@dataclass(frozen=True, kw_only=True, eq=False)
class CallingTool(Tool):
    """A tool that calls code of the host: an operation, or a function."""

    @abstractmethod
    def read(self, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
        """Return the request in the tool's arguments. Raises NotFound and ValidationFailed."""


AnyTool = AnsweringTool | CallingTool
