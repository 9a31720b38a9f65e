"""Which tools there are, and which of them this caller may list and call."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import module_has_submodule

from django_mcp.decorators import TOOL_ATTRIBUTE
from django_mcp.errors import ProtocolError
from django_mcp.exposure import API_TOOLS, Reach, reach
from django_mcp.requests import Context
from django_mcp.server import Server
from django_mcp.tools import api_tools
from django_mcp.tools.base import AnyTool, CallingTool
from django_mcp.tools.hosted import tool_of

MODULE = "mcp"


@cache
def hosted_tools() -> Mapping[str, CallingTool]:
    """Return the tools that the installed apps define in their `mcp.py`, by name.

    Raises ImproperlyConfigured for a declaration that could not work, or two of one name.
    """
    found: dict[str, CallingTool] = {}
    for config in apps.get_app_configs():
        if config.module is None or not module_has_submodule(config.module, MODULE):
            continue
        for declared in vars(import_module(f"{config.name}.{MODULE}")).values():
            said = getattr(declared, TOOL_ATTRIBUTE, None)
            if not isinstance(said, Mapping):
                continue
            tool = tool_of(declared, said)
            if tool.name in found or tool.name in api_tools.BY_NAME:
                msg = f"Two MCP tools are called {tool.name!r}; rename the one in {config.name}.{MODULE}."
                raise ImproperlyConfigured(msg)
            found[tool.name] = tool
    return dict(sorted(found.items()))


def find(name: str, caller_reach: Reach) -> AnyTool:
    """Return the tool of that name. Raises ProtocolError where there is none or the caller does not reach it."""
    tool: AnyTool | None = api_tools.BY_NAME.get(name) or hosted_tools().get(name)
    if tool is None or not tool.reached(caller_reach):
        raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {name}")
    return tool


def listed(context: Context, server: Server) -> list[dict[str, Any]]:
    """Return the reached tools as MCP objects, with every field of the newest revision.

    The API tools come first, and only for a caller who reaches an operation through them.
    """
    caller_reach = reach(context, server)
    tools = (*api_tools.TOOLS, *hosted_tools().values())
    reached = [tool for tool in tools if tool.reached(caller_reach)]
    if not caller_reach.anything():
        reached = [tool for tool in reached if tool.group != API_TOOLS]
    return [tool.listing(caller_reach) for tool in reached]
