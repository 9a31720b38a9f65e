"""Tools that the host defines in code, in any app's `mcp.py`."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache, partial
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.db import connections, transaction
from django.urls import path
from drf_spectacular.utils import extend_schema
from jsonschema import Draft202012Validator
from rest_framework.generics import GenericAPIView

from django_mcp import incidents
from django_mcp.approval.policy import decide
from django_mcp.approval.tokens import clean
from django_mcp.catalog.arguments import normalise
from django_mcp.catalog.schema import OperationSchema, schema_for
from django_mcp.errors import ProtocolError, ToolError, ValidationFailed
from django_mcp.exposure import Reach, admits_tool, exposed_tool
from django_mcp.requests import Context, forwarded_headers, host_context, inner_request
from django_mcp.tools.base import TOKEN, TOKEN_SCHEMA, CallingTool, Stored
from django_mcp.tools.declarations import HostedTool
from django_mcp.tools.media import rendered
from django_mcp.vocabulary import Operation, Reply, Run, ToolCall


def tool_of(function: Callable[..., Any], said: Mapping[str, Any]) -> CallingTool:
    """Return the MCP tool for a function and what `mcp_tool` said of it.

    Raises ImproperlyConfigured, naming the tool and the cure, for whatever would fail only in a call.
    """
    options: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    options["description"] = options.get("description") or inspect.getdoc(function) or ""
    tool = HostedTool(function=function, **options)
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
        resolve=partial(_resolve, tool),
    )


def _described(tool: HostedTool) -> OperationSchema:
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


def _requires_approval(tool: HostedTool, reach: Reach) -> bool:
    return tool.requires_approval or any(rule.requires_approval for rule in reach.server.rules_for(tool.name))


def _reached(tool: HostedTool, reach: Reach) -> bool:
    caller = reach.context.caller
    named = None if callable(tool.permissions) else frozenset(tool.permissions)
    if not exposed_tool(tool.name, tool.group, reach.server):
        return False
    if not admits_tool(caller, group=tool.group, safety=tool.acts_as, permissions=named):
        return False
    return bool(tool.permissions(caller) if named is None else caller.user.has_perms(named))


def _schemas(tool: HostedTool, reach: Reach) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    taken = tool.input_schema or (_described(tool).input if tool.input else {"type": "object", "properties": {}})
    given = tool.output_schema or (_described(tool).output if tool.output else None)
    if isinstance(decide(_call(tool, reach), reach.server, reach.context.caller), Run):
        return taken, given
    properties = {**taken.get("properties", {}), TOKEN: TOKEN_SCHEMA}
    return {**taken, "properties": properties}, None if given is None else _loosened(given)


def _loosened(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output schema that the request for confirmation, which comes in the result's place, fits as well."""
    return {"type": "object", "properties": {"status": {}, **schema.get("properties", {})}}


def _call(tool: HostedTool, reach: Reach, **more: Any) -> ToolCall:
    return ToolCall(
        tool=tool.name,
        target=tool.name,
        title=tool.title or tool.description.partition("\n")[0],
        safety=tool.acts_as,
        requires_approval=_requires_approval(tool, reach),
        group=tool.group,
        summary=tool.summary,
        **more,
    )


def _resolve(tool: HostedTool, arguments: Mapping[str, Any], reach: Reach, stored: Stored) -> ToolCall:
    args = dict(arguments)
    token = clean(args.pop(TOKEN, None))
    if token is not None and not args:
        args = dict(stored(token, tool=tool.name, target=tool.name) or {})
    warnings: tuple[str, ...] = ()
    sensitive = frozenset(tool.sensitive_fields)
    if tool.input is not None:
        schema = _described(tool)
        effective, warnings = normalise(schema.input, args, read_only=schema.read_only)
        sensitive |= schema.sensitive
    else:
        effective = _fitting(tool.input_schema or {"type": "object", "additionalProperties": False}, args)
    data = _validated(tool, effective, reach.context)
    return _call(
        tool,
        reach,
        sent=args,
        arguments=effective,
        token=token,
        sensitive=sensitive,
        forwarded=forwarded_headers(reach.context.outer),
        warnings=warnings,
        run=partial(_run, tool, data, reach.context),
    )


def _fitting(schema: Mapping[str, Any], args: dict[str, Any]) -> dict[str, Any]:
    errors: dict[str, list[str]] = {}
    for error in Draft202012Validator(schema).iter_errors(args):
        errors.setdefault(error.json_path.removeprefix("$.") or "args", []).append(error.message)
    if errors:
        text = " ".join(f"{where}: {said[0]}." for where, said in list(errors.items())[:5])
        raise ValidationFailed(f"The arguments do not fit. {text}", errors=errors)
    return args


def _validated(tool: HostedTool, effective: dict[str, Any], context: Context) -> Mapping[str, Any]:
    if tool.input is None:
        return effective
    serializer = tool.input(data=effective, context={"caller": context.caller, "request": context.outer})
    if serializer.is_valid():
        return serializer.validated_data  # type: ignore[no-any-return]
    raise ValidationFailed("The arguments are not valid; errors says which and why.", errors=serializer.errors)


def _run(tool: HostedTool, data: Mapping[str, Any], context: Context) -> Reply:
    aliases = _atomic_on(tool)
    returned = False
    inner = inner_request(context, method="POST", path=context.outer.path_info)
    try:
        with host_context(inner), ExitStack() as transactions:
            for alias in aliases:
                transactions.enter_context(transaction.atomic(using=alias))
            function: Any = async_to_sync(tool.function) if iscoroutinefunction(tool.function) else tool.function
            answer = function(context.caller, data)
            result = rendered(tool.output(answer) if tool.output else answer, context)
            returned = True
    except (ToolError, ProtocolError) as error:
        code = error.code if isinstance(error, ToolError) else str(error.code)
        said = {"code": code, "error": str(error)}
        return Reply(status=400, data=said, error=error, rolled_back=bool(aliases) and not returned)
    except Exception as error:  # noqa: BLE001 - reported; the model gets its id
        error_id = incidents.report(f"The tool {tool.name} failed.", error)
        return Reply(status=500, error_id=error_id, rolled_back=bool(aliases) and not returned)
    return Reply(status=200, data=result.data, structured=result.structured, blocks=result.blocks)


def _atomic_on(tool: HostedTool) -> tuple[str, ...]:
    if tool.atomic is not None:
        return ("default",) if tool.atomic else ()
    return tuple(alias for alias, options in connections.settings.items() if options["ATOMIC_REQUESTS"])
