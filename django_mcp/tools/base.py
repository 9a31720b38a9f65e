"""What MCP clients list and call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django_mcp.exposure import Reach
from django_mcp.vocabulary import Safety, ToolCall


class Stored(Protocol):
    """Looks up the arguments that were kept with a confirmation: token, tool and target in, arguments or None out."""

    def __call__(self, token: str, *, tool: str, target: str) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One MCP tool. `safety` answers None where nothing may be promised to clients."""

    name: str
    title: str
    description: str
    group: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    safety: Callable[[Reach], Safety | None]

    def listing(self, reach: Reach) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it to this caller."""
        listed: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
        }
        safety = self.safety(reach)
        if safety is not None:
            listed["annotations"] = annotations(safety)
        return listed


@dataclass(frozen=True, kw_only=True)
class AnsweringTool(Tool):
    """A tool that reads only our own catalog: arguments and reach in, the structured result out."""

    answer: Callable[[Mapping[str, Any], Reach], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class CallingTool(Tool):
    """A tool that calls something of the host's: `resolve` returns the call, for the pipeline to decide on."""

    resolve: Callable[[Mapping[str, Any], Reach, Stored], ToolCall]


AnyTool = AnsweringTool | CallingTool


def annotations(safety: Safety) -> dict[str, Any]:
    """Return MCP's hints for a safety."""
    if safety is Safety.READ_ONLY:
        return {"readOnlyHint": True}
    return {"readOnlyHint": False, "destructiveHint": safety is Safety.DESTRUCTIVE}
