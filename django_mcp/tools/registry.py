"""Which tools there are, which of them a caller may list and call, and the pages of their listing."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import module_has_submodule

from django_mcp.access.exposure import Reach, offers_api_tools
from django_mcp.conf import INSTRUCTIONS, INSTRUCTIONS_WITHOUT_API_TOOLS
from django_mcp.decorators import TOOL_ATTRIBUTE
from django_mcp.errors import ProtocolError
from django_mcp.text import quoted
from django_mcp.tools import api_tools
from django_mcp.tools.base import AnyTool
from django_mcp.tools.hosted import FunctionTool, tool_of
from django_mcp.tools.operation_tools import OperationTool, tools_of

MODULE = "mcp"
PAGE_SIZE = 100


class Position(NamedTuple):
    """The place of a tool in the listing: the part of the listing, then the name within the part.

    A position stands whether or not its tool is there, so a listing goes on where it stopped though tools came or went
    meanwhile.
    """

    part: int
    name: str

    @classmethod
    def of(cls, cursor: str) -> "Position":
        """Return the position of a cursor. Raises ProtocolError -32602 for one that was never handed out."""
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
        except (UnicodeError, binascii.Error):
            text = ""
        if _POSITION.fullmatch(text):
            position = cls(int(text[0]), text[1:])
            # Several texts decode to the same bytes.
            if position.cursor == cursor:
                return position
        raise ProtocolError(ProtocolError.PARAMS, "Invalid params. cursor: Unknown cursor; leave it out.")

    @property
    def cursor(self) -> str:
        """Return the cursor for the position: text that means nothing to a client."""
        return base64.urlsafe_b64encode(f"{self.part}{self.name}".encode()).rstrip(b"=").decode()


_POSITION = re.compile(r"[0-9][A-Za-z0-9_-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the listing: tools as MCP objects. `next_cursor` is empty on the last page."""

    tools: list[dict[str, Any]]
    next_cursor: str = ""


@cache
def hosted_tools() -> Mapping[str, FunctionTool]:
    """Return the tools that the installed apps define in their `mcp.py`, by name.

    Raises ImproperlyConfigured for a declaration that could not work, or two of one name.
    """
    tools: dict[str, FunctionTool] = {}
    functions: list[Any] = []
    for config in apps.get_app_configs():
        if config.module is None or not module_has_submodule(config.module, MODULE):
            continue
        for function in vars(import_module(f"{config.name}.{MODULE}")).values():
            options = getattr(function, TOOL_ATTRIBUTE, None)
            # A module may import the tools of another, or give one a second name.
            if not isinstance(options, Mapping) or any(function is other for other in functions):
                continue
            functions.append(function)
            tool = tool_of(function, options)
            if tool.name in tools or tool.name in api_tools.BY_NAME:
                msg = f"Two MCP tools are called {tool.name!r}; rename the one in {config.name}.{MODULE}."
                raise ImproperlyConfigured(msg)
            tools[tool.name] = tool
    return dict(sorted(tools.items()))


def _operation_tools(reach: Reach) -> Mapping[str, OperationTool]:
    if not reach.server.publishes_tools:
        return {}
    return tools_of(reach.catalog, frozenset({*api_tools.BY_NAME, *hosted_tools()}))


def find(name: str, reach: Reach) -> AnyTool:
    """Return the tool of that name. Raises ProtocolError where there is none or the caller does not reach it."""
    operation_tools = _operation_tools(reach)
    tool: AnyTool | None = api_tools.BY_NAME.get(name) or hosted_tools().get(name) or operation_tools.get(name)
    if tool is not None and tool.reached(reach):
        return tool
    # It costs the same whether there is none, whether it is hidden, or whether the caller lacks a permission.
    for other in (*hosted_tools().values(), *operation_tools.values()):
        if other is not tool:
            other.reached(reach)
    raise ProtocolError(ProtocolError.PARAMS, f"Unknown tool: {quoted(name)}. List the tools with tools/list.")


def page(reach: Reach, cursor: str = "") -> Page:
    """Return the first page of the tools that the caller reaches, or the page after a cursor.

    The API tools come first, and only for a caller who reaches an operation through them; then the host's tools, then
    those of operations, each by name.

    Raises ProtocolError -32602 for a cursor that was never handed out.
    """
    after = Position.of(cursor) if cursor else None
    reached = ((position, tool) for position, tool in _positions(reach, after) if tool.reached(reach))
    entries = list(islice(reached, PAGE_SIZE + 1))
    tools = [tool.listing(reach) for _position, tool in entries[:PAGE_SIZE]]
    last = entries[PAGE_SIZE - 1][0] if len(entries) > PAGE_SIZE else None
    return Page(tools=tools, next_cursor=last.cursor if last else "")


def _positions(reach: Reach, after: Position | None) -> Iterator[tuple[Position, AnyTool]]:
    """Yield the tools after a position, each with its own, in the order of the listing."""
    if after is None and reach.anything():
        yield from ((Position(0, str(index)), tool) for index, tool in enumerate(api_tools.TOOLS))
    for part, tools in ((1, hosted_tools()), (2, _operation_tools(reach))):
        positions = ((Position(part, name), tool) for name, tool in tools.items())
        yield from ((position, tool) for position, tool in positions if after is None or position > after)


def instructions(reach: Reach) -> str:
    """Return the server's instructions: the host's own, else ours on the tools that this caller is listed."""
    server = reach.server
    if server.instructions != INSTRUCTIONS:
        return server.instructions
    has_api_tools = offers_api_tools(server) and reach.anything()
    return INSTRUCTIONS if has_api_tools else INSTRUCTIONS_WITHOUT_API_TOOLS
