"""From an MCP method to what answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django_mcp.access import exposure
from django_mcp.access.server_config import Server
from django_mcp.errors import ProtocolError
from django_mcp.host.requests import Context
from django_mcp.pipeline import call_tool
from django_mcp.protocol import elicitation, headers
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.metadata import Metadata
from django_mcp.protocol.revisions import (
    OFFERED,
    complete,
    negotiate,
    trim_initialize,
    trim_result,
    trim_tool,
)
from django_mcp.protocol.serializers import CallToolParams, InitializeParams, InputParams, ListToolsParams, read
from django_mcp.text import quoted
from django_mcp.tools import api_tools, registry

CAPABILITIES: Mapping[str, Any] = {"tools": {}}
# How long and for whom a listing may be kept. What a caller reaches may change with the next request, and nothing would
# tell the client; and it is another for each caller.
CACHING: Mapping[str, Any] = {"ttlMs": 0, "cacheScope": "private"}


@dataclass(frozen=True, slots=True)
class _Request:
    """A message's parameters, and everything that a method may need to answer them."""

    params: Mapping[str, Any]
    context: Context
    server: Server
    metadata: Metadata

    def reach(self) -> exposure.Reach:
        return exposure.reach(self.context, self.server)

    def described(self) -> dict[str, Any]:
        """Return the server as MCP describes it."""
        return {"name": self.server.name, "title": self.server.name, "version": self.server.version}


Handler = Callable[[_Request], dict[str, Any]]


def dispatch(message: Message, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    """Answer a request with its result. `metadata` is what the request says of itself.

    Raises ProtocolError -32601 for a method that its revision has not, or that is not served, -32602 for wrong
    parameters or an unknown tool, -32020 where an argument's header differs.
    """
    handler = (_MODERN_METHODS if metadata.modern else _HANDSHAKE_METHODS).get(message.method)
    if handler is None:
        raise ProtocolError(
            ProtocolError.METHOD,
            f"Method not found: {quoted(message.method)}.",
            http_status=404 if metadata.modern else 200,
        )
    request = _Request(message.params, context, server, metadata)
    return complete(handler(request), request.described(), metadata.revision)


def _initialize(request: _Request) -> dict[str, Any]:
    revision = negotiate(read(InitializeParams, request.params)["protocolVersion"])
    result = {
        "protocolVersion": revision,
        "capabilities": CAPABILITIES,
        "serverInfo": request.described(),
        "instructions": registry.instructions(request.reach()),
    }
    return trim_initialize(result, revision)


def _discover(request: _Request) -> dict[str, Any]:
    return {
        "supportedVersions": list(OFFERED),
        "capabilities": CAPABILITIES,
        "instructions": registry.instructions(request.reach()),
        **CACHING,
    }


def _list_tools(request: _Request) -> dict[str, Any]:
    cursor = read(ListToolsParams, request.params).get("cursor") or ""
    page = registry.page(request.reach(), cursor)
    result: dict[str, Any] = {"tools": [trim_tool(tool, request.metadata.revision) for tool in page.tools]}
    if page.next_cursor:
        result["nextCursor"] = page.next_cursor
    return {**result, **CACHING} if request.metadata.modern else result


def _call_tool(request: _Request) -> dict[str, Any]:
    params = read(CallToolParams, request.params)
    name, arguments = params["name"], params.get("arguments") or {}
    reach, metadata = request.reach(), request.metadata
    tool = registry.find(name, reach)
    if metadata.modern:
        if name not in api_tools.BY_NAME:
            headers.check_arguments(tool.schemas(reach)[0], arguments, request.context.outer.headers)
        reach = replace(reach, context=replace(reach.context, inputs=_inputs(request)))
    result = call_tool(tool, arguments, reach).as_mcp()
    return result if elicitation.asks(result) else trim_result(result, metadata.revision)


def _inputs(request: _Request) -> elicitation.Inputs:
    params = read(InputParams, request.params)
    return elicitation.Inputs(
        supported=True,
        capabilities=request.metadata.capabilities,
        responses=params.get("inputResponses") or {},
        state=params.get("requestState"),
    )


def _nothing(_request: _Request) -> dict[str, Any]:
    return {}


def _empty(name: str) -> Handler:
    # Clients of the handshake revisions ask for these lists whatever the capabilities say, and take an error for a
    # broken server.
    return lambda _request: {name: []}


_HANDSHAKE_METHODS: Mapping[str, Handler] = {
    "initialize": _initialize,
    "ping": _nothing,
    "logging/setLevel": _nothing,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "prompts/list": _empty("prompts"),
    "resources/list": _empty("resources"),
    "resources/templates/list": _empty("resourceTemplates"),
}
_MODERN_METHODS: Mapping[str, Handler] = {
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
