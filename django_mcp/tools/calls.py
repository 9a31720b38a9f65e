"""An operation for one caller: its schema, its need of approval, and its call."""

from collections.abc import Iterable
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.access.server_config import approval_required
from django_mcp.approval.consent import CONSENT_NAMES
from django_mcp.arguments.normalise import normalise
from django_mcp.arguments.plans import Plan, argument_plan
from django_mcp.choices import Safety
from django_mcp.schema.operations import OperationSchema, schema_for
from django_mcp.types import Operation, OperationCall


def schema_of(operation: Operation, reach: Reach) -> OperationSchema:
    """Return the operation's schema as this caller's user sees it."""
    return schema_for(operation, lambda: reach.view(operation), reach.schemas)


def requires_approval(operation: Operation, reach: Reach) -> bool:
    """Tell whether the operation asks before it runs, because its host or a rule says so."""
    rules = reach.server.rules_for(operation.name, operation.method, operation.route)
    return approval_required(rules, said=operation.requires_approval)


def reads_at_once(operation: Operation, reach: Reach) -> bool:
    """Tell whether `api_read` may call it."""
    return operation.safety is Safety.READ_ONLY and not requires_approval(operation, reach)


def bare_call(operation: Operation, reach: Reach, *, tool: str, **more: Any) -> OperationCall:
    """Return the call of an operation through a tool; without arguments it is enough for `policy.decide`."""
    return OperationCall(
        tool=tool,
        target=operation.name,
        title=operation.summary,
        safety=operation.safety,
        requires_approval=requires_approval(operation, reach),
        group=operation.group,
        operation=operation,
        summary=operation.hints.summary,
        **more,
    )


def reachable_names(names: Iterable[str], reach: Reach) -> list[str]:
    """Return the canonical names of those operations that the caller reaches, in whatever way they are published."""
    operations = (reach.catalog.get(name) for name in names)
    return [operation.name for operation in operations if operation is not None and reach.reaches(operation)]


def operation_call(
    tool: str, operation: Operation, token: str | None, reach: Reach, args: dict[str, Any]
) -> OperationCall:
    """Return the call of an operation through an MCP tool, with its effective arguments.

    Raises ValidationFailed for arguments that the operation does not take.
    """
    schema = schema_of(operation, reach)
    args, ignored = without_consent(args, schema)
    plan = schema.derived(plan_of)
    effective, warnings = normalise(plan, _with_lists(args, schema), partial=operation.method == "PATCH")
    return bare_call(
        operation,
        reach,
        tool=tool,
        sent=args,
        arguments=effective,
        placement=schema.placement,
        token=token,
        sensitive=schema.sensitive,
        warnings=(*ignored, *warnings),
    )


def plan_of(schema: OperationSchema) -> Plan:
    """Return the plan by which the arguments of an operation are checked."""
    route = frozenset(name for name, argument in schema.placement.items() if argument.location == "path")
    return argument_plan(schema.input, read_only=schema.read_only, route=route, lenient=schema.lenient)


def _with_lists(args: dict[str, Any], schema: OperationSchema) -> dict[str, Any]:
    """Return the arguments with single values of the query as lists where lists are meant: ?name=a is a list of one."""
    properties = schema.input.get("properties", {})
    wrapped = dict(args)
    for name, value in args.items():
        argument = schema.placement.get(name)
        if argument is None or argument.location != "query" or "array" not in properties.get(name, {}).get("type", ()):
            continue
        # A blank text is an argument that is not set, one that begins with a bracket is a list.
        if isinstance(value, int | float) or (isinstance(value, str) and value.lstrip()[:1] not in {"", "["}):
            wrapped[name] = [value]
    return wrapped


def without_consent(args: dict[str, Any], schema: OperationSchema) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments without names of consent that the operation does not take, and a warning for each.

    An operation that takes any argument may mean something by them.
    """
    if schema.input.get("additionalProperties") is not False:
        return args, ()
    consent = [name for name in args if name in CONSENT_NAMES and name not in schema.placement]
    rest = {name: value for name, value in args.items() if name not in consent}
    return rest, tuple(f'"{name}" confirms nothing and was ignored; only the token does.' for name in consent)
