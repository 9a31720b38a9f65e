"""From an MCP method to what answers it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django_mcp.access.exposure import reach
from django_mcp.access.server_config import Server
from django_mcp.errors import ProtocolError
from django_mcp.host.requests import Context
from django_mcp.pipeline import call_tool
from django_mcp.protocol import elicitation, headers, serializers
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

Params = Mapping[str, Any]
Handler = Callable[[Params, Context, Server, Metadata], dict[str, Any]]

CAPABILITIES: Mapping[str, Any] = {"tools": {}}
# How long and for whom a listing may be kept. What a caller reaches may change with the next request, and nothing would
# tell the client; and it is another for each caller.
CACHING: Mapping[str, Any] = {"ttlMs": 0, "cacheScope": "private"}


def dispatch(message: Message, context: Context, server: Server, metadata: Metadata) -> dict[str, Any] | None:
    """Answer a message with its result; None for a notification, which is never acted on.

    `metadata` is what the request said of itself. Raises ProtocolError -32601 for a method that its revision has not,
    or that is not served, -32602 for wrong parameters or an unknown tool, -32020 where an argument's header differs.
    """
    if message.is_notification:
        return None
    handler = (_MODERN_METHODS if metadata.modern else _HANDSHAKE_METHODS).get(message.method)
    if handler is None:
        raise ProtocolError(
            ProtocolError.METHOD,
            f"Method not found: {quoted(message.method)}.",
            http_status=404 if metadata.modern else 200,
        )
    result = handler(message.params, context, server, metadata)
    return complete(result, _described(server), metadata.revision)


def _described(server: Server) -> dict[str, Any]:
    return {"name": server.name, "title": server.name, "version": server.version}


def _initialize(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    spoken = negotiate(read(InitializeParams, params)["protocolVersion"])
    result = {
        "protocolVersion": spoken,
        "capabilities": CAPABILITIES,
        "serverInfo": _described(server),
        "instructions": registry.instructions(context, server),
    }
    return trim_initialize(result, spoken)


def _discover(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    return {
        "supportedVersions": list(OFFERED),
        "capabilities": CAPABILITIES,
        "instructions": registry.instructions(context, server),
        **CACHING,
    }


def _list_tools(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    page = registry.listed(context, server, after=read(ListToolsParams, params).get("cursor") or "")
    result: dict[str, Any] = {"tools": [trim_tool(tool, metadata.revision) for tool in page.tools]}
    if page.last:
        result["nextCursor"] = serializers.encode_cursor(page.last)
    return {**result, **CACHING} if metadata.modern else result


def _call_tool(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    called = read(CallToolParams, params)
    name, arguments = called["name"], called.get("arguments") or {}
    if metadata.modern and name not in api_tools.BY_NAME:
        caller_reach = reach(context, server)
        schema, _ = registry.find(name, caller_reach).schemas(caller_reach)
        headers.check_arguments(schema, arguments, context.outer.headers)
    if metadata.modern:
        context = replace(context, inputs=_inputs(params, metadata))
    result = call_tool(name, arguments, context, server).as_mcp()
    return result if elicitation.asks(result) else trim_result(result, metadata.revision)


def _inputs(params: Params, metadata: Metadata) -> elicitation.Inputs:
    said = read(InputParams, params)
    return elicitation.Inputs(
        supported=True,
        capabilities=metadata.capabilities,
        responses=said.get("inputResponses") or {},
        state=said.get("requestState"),
    )


def _nothing(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
    return {}


def _empty(name: str) -> Handler:
    # Clients of the handshake revisions ask for these lists whatever the capabilities say, and take an error for a
    # broken server.
    def handler(params: Params, context: Context, server: Server, metadata: Metadata) -> dict[str, Any]:
        return {name: []}

    return handler


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
