"""Tools that the host defines in code, in any app's `mcp.py`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.urls import path
from drf_spectacular.utils import extend_schema
from jsonschema.protocols import Validator
from rest_framework.generics import GenericAPIView

from django_mcp import error_reports
from django_mcp.access.exposure import Reach, admits_tool, exposed_tool
from django_mcp.access.server_config import approval_required
from django_mcp.approval.policy import Run, decide
from django_mcp.approval.tokens import clean
from django_mcp.arguments.normalise import normalise
from django_mcp.schema.operations import OperationSchema, schema_for
from django_mcp.schema.portable import portable
from django_mcp.tools import raw_schemas
from django_mcp.tools.base import TOKEN, TOKEN_SCHEMA, CallingTool, CallRequest, Schema
from django_mcp.tools.calls import plan_of
from django_mcp.tools.declarations import declared
from django_mcp.tools.questions import Dialogue
from django_mcp.types import Caller, FunctionCall, HostedTool, Operation


def tool_of(function: Callable[..., Any], said: Mapping[str, Any]) -> CallingTool:
    """Return the MCP tool for a function and what `mcp_tool` said of it.

    Raises ImproperlyConfigured, naming the tool and the cure, for whatever would fail only in a call.
    """
    tool = declared(function, said)
    more: dict[str, Any] = {}
    if tool.icons:
        more["icons"] = [dict(icon) for icon in tool.icons]
    if tool.meta:
        more["_meta"] = dict(tool.meta)
    if tool.annotations:
        more["annotations"] = dict(tool.annotations)
    return CallingTool(
        name=tool.name,
        title=tool.title or tool.name.replace("_", " ").replace("-", " ").capitalize(),
        description=tool.description,
        group=tool.group,
        more=more,
        safety=lambda _reach: tool.safety,
        reached=partial(_reached, tool),
        schemas=partial(_schemas, tool),
        fits=partial(_fits, tool),
        read=partial(_read, tool),
        declared=tool,
        asks=tool.asks,
    )


def _reached(tool: HostedTool, reach: Reach) -> bool:
    caller = reach.context.caller
    # What a callable asks for, and what nobody declared, is not known by name.
    named = frozenset(tool.permissions) if isinstance(tool.permissions, tuple) else None
    return (
        exposed_tool(tool.name, tool.group, reach.server)
        and admits_tool(caller, group=tool.group, safety=tool.acts_as, permissions=named)
        and _permits(tool, caller)
    )


def _permits(tool: HostedTool, caller: Caller) -> bool:
    said = tool.permissions
    if not said:
        return True
    if isinstance(said, tuple):
        return bool((caller.user or AnonymousUser()).has_perms(said))
    try:
        return bool(said(caller))
    except Exception as error:  # noqa: BLE001 - reported; one tool's mistake must not empty the whole list
        error_reports.report(f"The permissions of the tool {tool.name} failed.", error)
        return False


def _schemas(tool: HostedTool, reach: Reach) -> tuple[Schema, Schema | None]:
    decision = decide(_bare_call(tool, reach), reach.server, reach.context.caller)
    return listed(tool, takes_token=not isinstance(decision, Run))


def _fits(tool: HostedTool, structured: Mapping[str, Any], reach: Reach) -> bool:
    schema = _schemas(tool, reach)[1]
    return schema is None or raw_schemas.validator(schema).is_valid(structured)


def _bare_call(tool: HostedTool, reach: Reach, **more: Any) -> FunctionCall:
    """Return the call of a tool; without arguments it is enough to decide on."""
    rules = reach.server.rules_for(tool.name)
    return FunctionCall(
        tool=tool.name,
        target=tool.name,
        title=tool.title or tool.description.partition("\n")[0],
        safety=tool.acts_as,
        requires_approval=approval_required(rules, said=tool.requires_approval),
        group=tool.group,
        summary=tool.summary,
        declaration=tool,
        **more,
    )


def _read(tool: HostedTool, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
    token = clean(arguments.get(TOKEN))
    args: dict[str, Any] | None = {name: value for name, value in arguments.items() if name != TOKEN}
    if token is not None and not args:
        args = None
    return CallRequest(target=tool.name, args=args, token=token, call=partial(_call, tool, token, reach))


def _call(tool: HostedTool, token: str | None, reach: Reach, args: dict[str, Any]) -> FunctionCall:
    effective: Mapping[str, Any] = args
    warnings: tuple[str, ...] = ()
    sensitive = frozenset(tool.sensitive_fields)
    if tool.input is not None:
        schema = described(tool)
        effective, warnings = normalise(schema.derived(plan_of), args)
        sensitive |= schema.sensitive
    else:
        raw_schemas.check(args, _input_validator(tool), sensitive)
    call = _bare_call(
        tool,
        reach,
        sent=args,
        arguments=effective,
        token=token,
        sensitive=sensitive,
        warnings=warnings,
    )
    if not tool.asks:
        return call
    return replace(call, dialogue=Dialogue.opened(tool.name, effective, reach.context, asking=not call.mutates))


@cache
def _input_validator(tool: HostedTool) -> Validator:
    return raw_schemas.validator(tool.input_schema or NO_ARGUMENTS)


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
