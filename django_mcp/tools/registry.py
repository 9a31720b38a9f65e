"""Which tools there are, and which of them this caller may list and call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import module_has_submodule

from django_mcp.access.exposure import Reach, offers_api_tools
from django_mcp.conf import INSTRUCTIONS, INSTRUCTIONS_WITHOUT_API_TOOLS
from django_mcp.decorators import TOOL_ATTRIBUTE
from django_mcp.errors import ProtocolError
from django_mcp.text import quoted
from django_mcp.tools import api_tools
from django_mcp.tools.base import AnyTool, CallingTool
from django_mcp.tools.hosted import tool_of
from django_mcp.tools.operation_tools import tools_of

MODULE = "mcp"
PAGE_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Tools as MCP objects, with every field of the newest revision; `last` is the position of the last of them.

    `last` is empty on the last page.
    """

    tools: list[dict[str, Any]]
    last: str = ""


@cache
def hosted_tools() -> Mapping[str, CallingTool]:
    """Return the tools that the installed apps define in their `mcp.py`, by name.

    Raises ImproperlyConfigured for a declaration that could not work, or two of one name.
    """
    found: dict[str, CallingTool] = {}
    functions: list[Any] = []
    for config in apps.get_app_configs():
        if config.module is None or not module_has_submodule(config.module, MODULE):
            continue
        for declared in vars(import_module(f"{config.name}.{MODULE}")).values():
            said = getattr(declared, TOOL_ATTRIBUTE, None)
            # A module may import the tools of another, or give one a second name.
            if not isinstance(said, Mapping) or any(declared is known for known in functions):
                continue
            functions.append(declared)
            tool = tool_of(declared, said)
            if tool.name in found or tool.name in api_tools.BY_NAME:
                msg = f"Two MCP tools are called {tool.name!r}; rename the one in {config.name}.{MODULE}."
                raise ImproperlyConfigured(msg)
            found[tool.name] = tool
    return dict(sorted(found.items()))


def _operation_tools(reach: Reach) -> Mapping[str, CallingTool]:
    if not reach.server.publishes_tools:
        return {}
    return tools_of(reach.catalog, frozenset({*api_tools.BY_NAME, *hosted_tools()}))


def find(name: str, reach: Reach) -> AnyTool:
    """Return the tool of that name. Raises ProtocolError where there is none or the caller does not reach it."""
    tool: AnyTool | None = api_tools.BY_NAME.get(name) or hosted_tools().get(name) or _operation_tools(reach).get(name)
    if tool is None or not tool.reached(reach):
        raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {quoted(name)}. List the tools with tools/list.")
    return tool


def listed(reach: Reach, *, after: str = "") -> Page:
    """Return the reached tools whose position is after the given one, at most a page of them.

    The API tools come first, and only for a caller who reaches an operation through them; then the host's tools, then
    those of operations, each by name. A position says where a tool belongs whether or not it is there, so a listing
    goes on where it stopped though tools came or went meanwhile.
    """
    found = ((position, tool) for position, tool in _placed(reach, after) if tool.reached(reach))
    shown = list(islice(found, PAGE_SIZE + 1))
    more = len(shown) > PAGE_SIZE
    return Page(
        tools=[tool.listing(reach) for _position, tool in shown[:PAGE_SIZE]],
        last=shown[PAGE_SIZE - 1][0] if more else "",
    )


def instructions(reach: Reach) -> str:
    """Return what the client's model is told: the host's words, else ours on the tools that this caller is shown."""
    server = reach.server
    if server.instructions != INSTRUCTIONS:
        return server.instructions
    shown = offers_api_tools(server) and reach.anything()
    return INSTRUCTIONS if shown else INSTRUCTIONS_WITHOUT_API_TOOLS


def _placed(reach: Reach, after: str) -> Iterator[tuple[str, AnyTool]]:
    """Yield the tools after a position, each with its own: texts in the order of the listing."""
    if not after and reach.anything():
        yield from ((f"0{index}", tool) for index, tool in enumerate(api_tools.TOOLS))
    for section, tools in (("1", hosted_tools()), ("2", _operation_tools(reach))):
        yield from ((section + name, tool) for name, tool in tools.items() if section + name > after)
