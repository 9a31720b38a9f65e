"""Decorators for hosts. They only annotate: nothing is registered or wrapped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from django.core.exceptions import ImproperlyConfigured

from django_mcp.types import Caller, Hints, Safety

Target = TypeVar("Target", bound=Callable[..., Any] | type)

OPERATION_ATTRIBUTE = "_mcp_operation"
TOOL_ATTRIBUTE = "_mcp_tool"


class OperationOptions(TypedDict, total=False):
    """The options of `mcp_operation`; the README describes each."""

    name: str
    group: str
    safety: Safety
    requires_approval: bool
    description: str
    when_to_use: str
    keywords: Sequence[str]
    aliases: Sequence[str]
    examples: Sequence[Any]
    prerequisites: Sequence[str]
    preview: str
    follow_ups: Sequence[str]
    summary: Callable[[Caller, Mapping[str, Any]], str]
    permissions: Sequence[str]
    sensitive_fields: Sequence[str]
    volatile_fields: Sequence[str]
    state: Callable[..., Any]
    preflight: bool
    dry_run: Callable[..., Any]
    exclude: bool


_SEQUENCES = frozenset(
    {
        "keywords", "aliases", "examples", "prerequisites", "follow_ups", "permissions", "sensitive_fields",
        "volatile_fields",
    }
)  # fmt: skip


def mcp_operation(
    *, actions: Sequence[str] | None = None, **options: Unpack[OperationOptions]
) -> Callable[[Target], Target]:
    """Describe an operation to agents: decorate a handler method, an `@action`, a function view or a view class.

    On a view class, `actions` names the handlers that the options are meant for (`"create"`, or `"post"` on an
    APIView); without it they are meant for all of them. Of two decorators that set an option, the one nearer to the
    handler wins.

    Raises ImproperlyConfigured for an unknown option, or a string where a list is expected.
    """
    _refuse_unknown("mcp_operation", options, OperationOptions)
    hints: dict[str, Any] = dict(options)
    for key in _SEQUENCES & hints.keys():
        if isinstance(hints[key], str):
            msg = f"mcp_operation({key}=…) takes a list; write {key}=[{hints[key]!r}]."
            raise ImproperlyConfigured(msg)
        hints[key] = tuple(hints[key])
    if "safety" in hints:
        hints["safety"] = Safety(hints["safety"])

    def annotate(target: Target) -> Target:
        # A subclass must not write into the dict of its base, hence a new one each time.
        by_action: dict[str | None, dict[str, Any]] = dict(getattr(target, OPERATION_ATTRIBUTE, {}))
        for action in actions or (None,):
            by_action[action] = {**by_action.get(action, {}), **hints}
        setattr(target, OPERATION_ATTRIBUTE, by_action)
        return target

    return annotate


def hints_for(*targets: Any, handler: str) -> Hints:
    """Return the hints that `targets` hold for the handler of that name; a later target wins, option by option."""
    merged: dict[str, Any] = {}
    for target in targets:
        by_action: Mapping[str | None, Mapping[str, Any]] = getattr(target, OPERATION_ATTRIBUTE, {})
        merged |= {**by_action.get(None, {}), **by_action.get(handler, {})}
    return Hints(**merged)


class ToolOptions(TypedDict, total=False):
    """The options of `mcp_tool` beside name, group and safety; the README describes each."""

    title: str
    description: str
    input: type
    output: type
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    permissions: Sequence[str] | Callable[[Caller], bool]
    requires_approval: bool
    summary: Callable[[Caller, Mapping[str, Any]], str]
    sensitive_fields: Sequence[str]
    atomic: bool
    asks: bool
    annotations: Mapping[str, Any]
    meta: Mapping[str, Any]
    icons: Sequence[Mapping[str, Any]]


def mcp_tool(
    *, group: str, name: str | None = None, safety: Safety | None = None, **options: Unpack[ToolOptions]
) -> Callable[[Target], Target]:
    """Offer a function of any app's `mcp.py` as an MCP tool of its own.

    The function is called with the caller and the validated arguments, a mapping. A tool whose safety is not declared
    counts as a write, and promises nothing to clients. `input` and `output` are DRF serializer classes;
    `input_schema` and `output_schema` are for schemas that serializers cannot express. Without `atomic`, the function
    runs in a transaction where `ATOMIC_REQUESTS` asks for one. With `asks=True` it takes the answers to its own
    questions as a third argument (`django_mcp.tools.questions`).

    Raises ImproperlyConfigured for an unknown option; the values are checked at start-up.
    """
    _refuse_unknown("mcp_tool", options, ToolOptions)

    def annotate(target: Target) -> Target:
        declaration = {"name": name or getattr(target, "__name__", ""), "group": group, "safety": safety, **options}
        setattr(target, TOOL_ATTRIBUTE, declaration)
        return target

    return annotate


def _refuse_unknown(decorator: str, options: Iterable[str], known: type) -> None:
    unknown = set(options) - set(known.__annotations__)
    if unknown:
        msg = f"{decorator}() does not know {', '.join(sorted(unknown))}."
        raise ImproperlyConfigured(msg)
