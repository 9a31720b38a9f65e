"""From an MCP method to what answers it."""

from collections.abc import Callable, Mapping
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.pipeline import call_tool
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.revisions import negotiate, trim_initialize, trim_result, trim_tool
from django_mcp.protocol.serializers import CallToolParams, InitializeParams, ListToolsParams, read
from django_mcp.redaction import quoted
from django_mcp.requests import Context
from django_mcp.server import Server
from django_mcp.tools import registry

Params = Mapping[str, Any]
Handler = Callable[[Params, Context, Server, str | None], dict[str, Any]]


def dispatch(message: Message, context: Context, server: Server, revision: str | None) -> dict[str, Any] | None:
    """Answer a message with its result; None for a notification, which is never acted on.

    `revision` is the one the request named, None where it named none. Raises ProtocolError -32601 for an unknown
    method, -32602 for wrong parameters or an unknown tool.
    """
    if message.is_notification:
        return None
    handler = _METHODS.get(message.method)
    if handler is None:
        raise ProtocolError(ProtocolError.METHOD, f"Method not found: {quoted(message.method)}.")
    return handler(message.params, context, server, revision)


def _initialize(params: Params, context: Context, server: Server, revision: str | None) -> dict[str, Any]:
    spoken = negotiate(read(InitializeParams, params)["protocolVersion"])
    result = {
        "protocolVersion": spoken,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": server.name, "title": server.name, "version": server.version},
        "instructions": server.instructions,
    }
    return trim_initialize(result, spoken)


def _list_tools(params: Params, context: Context, server: Server, revision: str | None) -> dict[str, Any]:
    read(ListToolsParams, params)
    return {"tools": [trim_tool(tool, revision) for tool in registry.listed(context, server)]}


def _call_tool(params: Params, context: Context, server: Server, revision: str | None) -> dict[str, Any]:
    called = read(CallToolParams, params)
    result = call_tool(called["name"], called.get("arguments") or {}, context, server)
    return trim_result(result.as_mcp(), revision)


def _nothing(params: Params, context: Context, server: Server, revision: str | None) -> dict[str, Any]:
    return {}


def _empty(name: str) -> Handler:
    # Clients of the handshake revisions ask for these lists whatever the capabilities say, and take an error for a
    # broken server.
    def handler(params: Params, context: Context, server: Server, revision: str | None) -> dict[str, Any]:
        return {name: []}

    return handler


_METHODS: Mapping[str, Handler] = {
    "initialize": _initialize,
    "ping": _nothing,
    "logging/setLevel": _nothing,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "prompts/list": _empty("prompts"),
    "resources/list": _empty("resources"),
    "resources/templates/list": _empty("resourceTemplates"),
}
