"""Functions of the host as MCP tools, from any app's `mcp.py`: declaration, tool, schemas."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
from django_mcp.choices import Safety
from django_mcp.schema.operations import OperationSchema, schema_for
from django_mcp.schema.portable import portable
from django_mcp.tools import raw_schemas
from django_mcp.tools.base import TOKEN, TOKEN_SCHEMA, CallingTool, CallRequest, Schema
from django_mcp.tools.calls import plan_of
from django_mcp.tools.declarations import declared
from django_mcp.tools.questions import Dialogue
from django_mcp.types import FunctionCall, HostedTool, Operation

NO_ARGUMENTS: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
# The members of a request for confirmation and of an error, as the README lists them.
_ENVELOPE = frozenset(
    {
        "status", "api", "safety", "confirmationToken", "expiresInSeconds", "summary", "args", "instruction", "preview",
        "warnings", "reviewUrl", "code", "error", "errorId", "errors", "changed", "outcome", "retryAfter", "httpStatus",
        "response",
    }
)  # fmt: skip
# Root keywords that constrain no value; the others would refuse the envelope that stands in the result's place.
_HARMLESS = frozenset({"$schema", "$id", "$anchor", "$defs", "definitions", "$comment", "title", "description"})


def tool_of(function: Callable[..., Any], options: Mapping[str, Any]) -> "FunctionTool":
    """Return the MCP tool for a function and the options of its `mcp_tool`.

    Raises ImproperlyConfigured, naming the tool and the cure, for whatever would fail only in a call.
    """
    tool = declared(function, options)
    extras = {
        "icons": [dict(icon) for icon in tool.icons],
        "_meta": dict(tool.meta),
        "annotations": dict(tool.annotations),
    }
    return FunctionTool(
        name=tool.name,
        title=tool.title or tool.name.replace("_", " ").replace("-", " ").capitalize(),
        description=tool.description,
        group=tool.group,
        extras={member: value for member, value in extras.items() if value},
        asks=tool.asks,
        declaration=tool,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class FunctionTool(CallingTool):
    """The tool of a host's function."""

    declaration: HostedTool

    def reached(self, reach: Reach) -> bool:
        caller, permissions = reach.context.caller, self.declaration.permissions
        # Permissions behind a callable, and those of a tool that declares none, are not known by name.
        names = frozenset(permissions) if isinstance(permissions, tuple) else None
        if not exposed_tool(self.name, self.group, reach.server):
            return False
        if not admits_tool(caller, group=self.group, safety=self.declaration.acts_as, permissions=names):
            return False
        if not callable(permissions):
            return not permissions or bool((caller.user or AnonymousUser()).has_perms(permissions))
        try:
            return bool(permissions(caller))
        except Exception as error:  # noqa: BLE001 - reported; one tool's mistake must not empty the whole list
            error_reports.report(f"The permissions of the tool {self.name} failed.", error)
            return False

    def safety(self, reach: Reach) -> Safety | None:
        return self.declaration.safety

    def schemas(self, reach: Reach) -> tuple[Schema, Schema | None]:
        decision = decide(self._bare_call(reach), reach.server, reach.context.caller)
        return _schemas(self.declaration, takes_token=not isinstance(decision, Run))

    def fits(self, structured: Mapping[str, Any], reach: Reach) -> bool:
        output_schema = self.schemas(reach)[1]
        return output_schema is None or raw_schemas.validator(output_schema).is_valid(structured)

    def read(self, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
        token = clean(arguments.get(TOKEN))
        args = {name: value for name, value in arguments.items() if name != TOKEN}
        left_to_token = token is not None and not args
        return CallRequest(
            target=self.name,
            args=None if left_to_token else args,
            token=token,
            call=partial(self._call, token, reach),
        )

    def _call(self, token: str | None, reach: Reach, args: dict[str, Any]) -> FunctionCall:
        tool = self.declaration
        effective: Mapping[str, Any] = args
        warnings: tuple[str, ...] = ()
        sensitive = frozenset(tool.sensitive_fields)
        if tool.input is not None:
            schema = _described(tool)
            effective, warnings = normalise(schema.derived(plan_of), args)
            sensitive |= schema.sensitive
        else:
            raw_schemas.check(args, _validator(tool), sensitive)
        call = self._bare_call(
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

    def _bare_call(self, reach: Reach, **more: Any) -> FunctionCall:
        """Return the call of the function; without arguments it is enough to decide on."""
        tool, rules = self.declaration, reach.server.rules_for(self.name)
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


@cache
def _validator(tool: HostedTool) -> Validator:
    return raw_schemas.validator(tool.input_schema or NO_ARGUMENTS)


def _schemas(tool: HostedTool, *, takes_token: bool) -> tuple[Schema, Schema | None]:
    """Return input and output schema, None where the host declares no output; a schema of the host's is as it wrote it.

    With `takes_token` the tool takes a token, and may answer with a request for confirmation in the result's place.
    """
    input_schema = tool.input_schema or portable(_described(tool).input if tool.input else NO_ARGUMENTS)
    described = _described(tool).output if tool.output else None
    output_schema = tool.output_schema or (None if described is None else portable(described, answers=True))
    if not takes_token:
        return input_schema, output_schema
    input_schema = {**input_schema, "properties": {**input_schema.get("properties", {}), TOKEN: TOKEN_SCHEMA}}
    if output_schema is None:
        return input_schema, None
    harmless = {keyword: value for keyword, value in output_schema.items() if keyword in _HARMLESS}
    own = output_schema.get("properties", {})
    properties = {"status": {}, **{name: {} if name in _ENVELOPE else schema for name, schema in own.items()}}
    return input_schema, {**harmless, "type": "object", "properties": properties}


def _described(tool: HostedTool) -> OperationSchema:
    """Return the schema of the tool's serializers, as that of an operation with them as request and response."""
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
