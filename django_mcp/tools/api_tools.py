"""The API tools: the whole exposed API behind four tools, at a few KB of context."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django_mcp.access.exposure import Reach, offers_api_tools
from django_mcp.access.server_config import API_TOOLS
from django_mcp.approval.tokens import clean
from django_mcp.errors import NotFound, ValidationFailed
from django_mcp.protocol.json import NotStrict, parse
from django_mcp.tools.api_describe import describe
from django_mcp.tools.api_search import search
from django_mcp.tools.base import (
    ANSWER_SCHEMA,
    API_CALL,
    API_READ,
    TOKEN,
    TOKEN_SCHEMA,
    AnsweringTool,
    AnyTool,
    CallingTool,
    CallRequest,
    Schema,
)
from django_mcp.tools.calls import CONSENT_NAMES, operation_call, reads_at_once
from django_mcp.types import Safety


def _call(arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
    return _request(API_CALL, arguments, reach)


def _read(arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
    return _request(API_READ, arguments, reach)


def _request(tool: str, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
    """Return the request of `api_call` or `api_read`: an operation among those reached, its arguments, the token.

    Raises NotFound and ValidationFailed.
    """
    name = arguments.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValidationFailed("name must be the name of an operation, as api_search returns it.")
    unknown = arguments.keys() - {"name", "args", TOKEN} - CONSENT_NAMES
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValidationFailed(f"Unknown arguments beside name and args: {names}. Put the operation's own inside args.")
    args = _object(arguments.get("args"))
    token = clean(arguments.get(TOKEN))
    if args is not None and TOKEN in args:
        token_inside = args.pop(TOKEN)
        token = token or clean(token_inside)
    operation = reach.get(name.strip())
    if operation is None:
        raise NotFound
    if tool == API_READ:
        if not reads_at_once(operation, reach):
            raise ValidationFailed(f"{operation.name} changes data; use {API_CALL}.")
        token = None
    if token is None:
        args = args or {}
    return CallRequest(
        target=operation.name, args=args, token=token, call=partial(operation_call, tool, operation, token, reach)
    )


def _object(args: Any) -> dict[str, Any] | None:
    if args is None:
        return None
    if isinstance(args, str):
        try:
            args = parse(args)
        except NotStrict:
            args = None
    if not isinstance(args, Mapping):
        raise ValidationFailed('args must be a JSON object, such as {"id": 5}; send the object itself, not text.')
    return dict(args)


_CALL_PROPERTIES: Schema = {
    "name": {"type": "string", "description": "The operation's name, as api_search returns it."},
    "args": {"type": "object", "description": "The operation's arguments: path, query and body fields together."},
}


def _taking(properties: Schema, required: list[str]) -> Callable[[Reach], tuple[Schema, Schema]]:
    taken = {"type": "object", "properties": properties, "required": required}
    return lambda _reach: (taken, ANSWER_SCHEMA)


def _read_only(_reach: Reach) -> Safety:
    return Safety.READ_ONLY


def _offered(reach: Reach) -> bool:
    return offers_api_tools(reach.server)


TOOLS: tuple[AnyTool, ...] = (
    AnsweringTool(
        name="api_search",
        title="Find operations",
        group=API_TOOLS,
        description=(
            "Find operations of this application. Any word of query may match; without query all are listed. Narrow "
            "by tag and safety (ReadOnly, Write, Destructive) whenever you know them."
        ),
        schemas=_taking(
            {
                "query": {"type": "string", "description": "What you want to do, in a few words."},
                "tag": {"type": "string", "description": "Only operations with this tag."},
                "safety": {"type": "string", "enum": [item.value for item in Safety]},
                "take": {"type": "integer", "description": "How many to return, 1 to 100; 20 if left out."},
            },
            [],
        ),
        safety=_read_only,
        reached=_offered,
        answer=search,
    ),
    AnsweringTool(
        name="api_describe",
        title="Describe operations",
        group=API_TOOLS,
        description="Return the arguments, result, safety and approval of up to 10 operations by name.",
        schemas=_taking({"names": {"type": "array", "items": {"type": "string"}}}, ["names"]),
        safety=_read_only,
        reached=_offered,
        answer=describe,
    ),
    CallingTool(
        name=API_READ,
        title="Call an operation that only reads",
        group=API_TOOLS,
        description="Call a ReadOnly operation. It runs at once and changes nothing.",
        schemas=_taking(_CALL_PROPERTIES, ["name", "args"]),
        safety=_read_only,
        reached=_offered,
        read=_read,
    ),
    CallingTool(
        name=API_CALL,
        title="Call an operation",
        group=API_TOOLS,
        description=(
            "Call any operation. One that changes data first returns requires_confirmation with a summary and a "
            "confirmationToken and runs nothing: show summary and args to the user, and once they agree call again "
            "with the same args and the token."
        ),
        schemas=_taking({**_CALL_PROPERTIES, TOKEN: TOKEN_SCHEMA}, ["name", "args"]),
        safety=Reach.worst,
        reached=_offered,
        read=_call,
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}
