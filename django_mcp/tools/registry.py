"""Which tools there are, and which of them this caller may list and call."""

from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.exposure import Reach, offers_api_tools, reach
from django_mcp.requests import Context
from django_mcp.server import Server
from django_mcp.tools.api_tools import TOOLS
from django_mcp.tools.base import AnyTool

_BY_NAME = {tool.name: tool for tool in TOOLS}


def reached(caller_reach: Reach) -> tuple[AnyTool, ...]:
    """Return the tools this caller may call: the API tools, where it reaches any operation through them."""
    return TOOLS if offers_api_tools(caller_reach.server) and caller_reach.anything() else ()


def find(name: str, caller_reach: Reach) -> AnyTool:
    """Return the tool of that name. Raises ProtocolError where there is none or the caller does not reach it."""
    tool = _BY_NAME.get(name)
    if tool is None or not offers_api_tools(caller_reach.server):
        raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {name}")
    return tool


def listed(context: Context, server: Server) -> list[dict[str, Any]]:
    """Return the reached tools as MCP objects, with every field of the newest revision."""
    caller_reach = reach(context, server)
    return [tool.listing(caller_reach) for tool in reached(caller_reach)]
