"""The API tools: the whole exposed API behind four tools, at a few KB of context."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django_mcp.access.exposure import Reach, offers_api_tools
from django_mcp.access.server_config import API_TOOLS
from django_mcp.approval.consent import CONSENT_NAMES
from django_mcp.approval.tokens import clean
from django_mcp.choices import Safety
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
    Tool,
)
from django_mcp.tools.calls import operation_call, reads_at_once


@dataclass(frozen=True, kw_only=True, eq=False)
class _ApiTool(Tool):
    """An API tool, whose input schema is the same for every caller."""

    group: str = API_TOOLS
    input_schema: Schema

    def reached(self, reach: Reach) -> bool:
        return offers_api_tools(reach.server)

    def safety(self, reach: Reach) -> Safety:
        return Safety.READ_ONLY

    def schemas(self, reach: Reach) -> tuple[Schema, Schema]:
        return self.input_schema, ANSWER_SCHEMA


@dataclass(frozen=True, kw_only=True, eq=False)
class _LookupTool(_ApiTool, AnsweringTool):
    """An API tool that answers from the catalog."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _CallTool(_ApiTool, CallingTool):
    """An API tool that calls operations: all that the caller reaches, or with `reads_only` those that run at once."""

    reads_only: bool

    def safety(self, reach: Reach) -> Safety:
        return Safety.READ_ONLY if self.reads_only else reach.worst()

    def read(self, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
        name = arguments.get("name")
        if not isinstance(name, str) or not name.strip():
            raise ValidationFailed("name must be the name of an operation, as api_search returns it.")
        unknown = arguments.keys() - {"name", "args", TOKEN} - CONSENT_NAMES
        if unknown:
            names = ", ".join(sorted(unknown))
            text = f"Unknown arguments beside name and args: {names}. Put the operation's own inside args."
            raise ValidationFailed(text)
        args = _object(arguments.get("args"))
        token = clean(arguments.get(TOKEN))
        if args is not None and TOKEN in args:
            token_inside = args.pop(TOKEN)
            token = token or clean(token_inside)
        operation = reach.get(name.strip())
        if operation is None:
            raise NotFound
        if self.reads_only:
            if not reads_at_once(operation, reach):
                raise ValidationFailed(f"{operation.name} changes data; use {API_CALL}.")
            token = None
        return CallRequest(
            target=operation.name,
            args=args or {} if token is None else args,
            token=token,
            call=partial(operation_call, self.name, operation, token, reach),
        )


def _object(args: Any) -> dict[str, Any] | None:
    """Return `args` as an object, also where it is JSON text, and None as it is. Raises ValidationFailed otherwise."""
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


_CALL_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The operation's name, as api_search returns it."},
        "args": {"type": "object", "description": "The operation's arguments: path, query and body fields together."},
    },
    "required": ["name", "args"],
}

TOOLS: tuple[AnyTool, ...] = (
    _LookupTool(
        name="api_search",
        title="Find operations",
        description=(
            "Find operations of this application. Any word of query may match; without query all are listed. Narrow "
            "by tag and safety (ReadOnly, Write, Destructive) whenever you know them."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What you want to do, in a few words."},
                "tag": {"type": "string", "description": "Only operations with this tag."},
                "safety": {"type": "string", "enum": [item.value for item in Safety]},
                "take": {"type": "integer", "description": "How many to return, 1 to 100; 20 if left out."},
            },
            "required": [],
        },
        answer=search,
    ),
    _LookupTool(
        name="api_describe",
        title="Describe operations",
        description="Return the arguments, result, safety and approval of up to 10 operations by name.",
        input_schema={
            "type": "object",
            "properties": {"names": {"type": "array", "items": {"type": "string"}}},
            "required": ["names"],
        },
        answer=describe,
    ),
    _CallTool(
        name=API_READ,
        title="Call an operation that only reads",
        description="Call a ReadOnly operation. It runs at once and changes nothing.",
        input_schema=_CALL_SCHEMA,
        reads_only=True,
    ),
    _CallTool(
        name=API_CALL,
        title="Call an operation",
        description=(
            "Call any operation. One that changes data first returns requires_confirmation with a summary and a "
            "confirmationToken and runs nothing: show summary and args to the user, and once they agree call again "
            "with the same args and the token."
        ),
        input_schema={**_CALL_SCHEMA, "properties": {**_CALL_SCHEMA["properties"], TOKEN: TOKEN_SCHEMA}},
        reads_only=False,
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}
