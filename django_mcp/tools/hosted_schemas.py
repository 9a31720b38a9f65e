"""What a host's tool takes and answers, as clients are told: from its serializers, or as the host wrote it."""

from functools import cache
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView

from django_mcp.catalog.schema import OperationSchema, schema_for
from django_mcp.tools.base import TOKEN, TOKEN_SCHEMA, Schema
from django_mcp.tools.declarations import HostedTool
from django_mcp.tools.portable_schema import portable
from django_mcp.vocabulary import Operation

NO_ARGUMENTS: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
# What a request for confirmation and an error say, as the README lists it.
_STANDING_IN = frozenset(
    {
        "status", "api", "safety", "confirmationToken", "expiresInSeconds", "summary", "args", "instruction", "preview",
        "warnings", "reviewUrl", "code", "error", "errorId", "errors", "changed", "outcome", "retryAfter", "httpStatus",
        "response",
    }
)  # fmt: skip
# Root keywords that say nothing of the value; the rest would refuse what stands in the result's place.
_HARMLESS = frozenset({"$schema", "$id", "$anchor", "$defs", "definitions", "$comment", "title", "description"})


def listed(tool: HostedTool, *, takes_token: bool) -> tuple[Schema, Schema | None]:
    """Return input and output schema, None where nothing was said of the output; what the host wrote is as it is.

    With `takes_token` it may answer with a request for confirmation, and takes the token of that.
    """
    taken = tool.input_schema or portable(described(tool).input if tool.input else NO_ARGUMENTS)
    output = described(tool).output if tool.output else None
    given = tool.output_schema or (None if output is None else portable(output, answers=True))
    if not takes_token:
        return taken, given
    properties = {**taken.get("properties", {}), TOKEN: TOKEN_SCHEMA}
    return {**taken, "properties": properties}, None if given is None else _loosened(given)


def described(tool: HostedTool) -> OperationSchema:
    """Return what its serializers say, as for an operation that takes and answers them."""
    return schema_for(_operation(tool))


@cache
def _operation(tool: HostedTool) -> Operation:
    def post(self: Any, request: Any) -> None: ...

    view = type(
        tool.name,
        (GenericAPIView,),
        {"post": extend_schema(request=tool.input, responses=tool.output)(post), "__doc__": tool.description},
    )
    return Operation(
        name=tool.name,
        method="POST",
        route="/",
        safety=tool.acts_as,
        requires_approval=tool.requires_approval,
        group=tool.group,
        callback=path("", view.as_view()).callback,  # type: ignore[attr-defined]
        view_class=view,
        handler="post",
    )


def _loosened(schema: Schema) -> dict[str, Any]:
    """Return an output schema that the request for confirmation, which comes in the result's place, fits as well."""
    kept = {key: value for key, value in schema.items() if key in _HARMLESS}
    properties = {name: {} if name in _STANDING_IN else said for name, said in schema.get("properties", {}).items()}
    return {**kept, "type": "object", "properties": {"status": {}, **properties}}
