"""Decorators for hosts. They only annotate: nothing is registered or wrapped."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from django.core.exceptions import ImproperlyConfigured

from django_mcp.types import Caller, Hints, Safety

Target = TypeVar("Target", bound=Callable[..., Any] | type)

OPERATION_ATTRIBUTE = "_mcp_operation"
TOOL_ATTRIBUTE = "_mcp_tool"


class OperationOptions(TypedDict, total=False):
    """What `mcp_operation` takes; each is described in the README."""

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
    """Describe an operation to agents: put it on a handler method, an `@action`, a function view or a view class.

    On a view class, `actions` names the handlers it is meant for (`"create"`, or `"post"` on an APIView); without
    it, it is meant for all of them. What is said nearest to the handler wins, option by option.

    Raises ImproperlyConfigured for an unknown option or a list given as one string.
    """
    unknown = set(options) - set(OperationOptions.__annotations__)
    if unknown:
        msg = f"mcp_operation() does not know {', '.join(sorted(unknown))}."
        raise ImproperlyConfigured(msg)
    said: dict[str, Any] = dict(options)
    for key in _SEQUENCES & said.keys():
        if isinstance(said[key], str):
            msg = f"mcp_operation({key}=…) takes a list; write {key}=[{said[key]!r}]."
            raise ImproperlyConfigured(msg)
        said[key] = tuple(said[key])
    if "safety" in said:
        said["safety"] = Safety(said["safety"])

    def annotate(target: Target) -> Target:
        # A subclass must not write into what it inherited, hence a new dict each time.
        inherited: dict[str | None, dict[str, Any]] = dict(getattr(target, OPERATION_ATTRIBUTE, {}))
        for action in actions or (None,):
            inherited[action] = {**inherited.get(action, {}), **said}
        setattr(target, OPERATION_ATTRIBUTE, inherited)
        return target

    return annotate


def hints_for(*targets: Any, handler: str) -> Hints:
    """Merge what was said on `targets`, the farthest first, for the handler of that name."""
    merged: dict[str, Any] = {}
    for target in targets:
        said: Mapping[str | None, Mapping[str, Any]] = getattr(target, OPERATION_ATTRIBUTE, {})
        merged.update(said.get(None, {}))
        merged.update(said.get(handler, {}))
    return Hints(**merged)


class ToolOptions(TypedDict, total=False):
    """What `mcp_tool` takes beside name, group and safety; each is described in the README."""

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
    """Offer a function as an MCP tool of its own, from any app's `mcp.py`.

    The function is called with the caller and the validated arguments, a mapping. A tool whose safety is not declared
    counts as a write, and promises nothing to clients. `input` and `output` are DRF serializer classes;
    `input_schema` and `output_schema` are for what serializers cannot say. Without `atomic`, the function runs in a
    transaction where `ATOMIC_REQUESTS` asks for one. With `asks=True` it takes the answers to its own questions as a
    third argument (`django_mcp.tools.questions`).

    Raises ImproperlyConfigured for an unknown option; the rest is checked at start-up.
    """
    unknown = set(options) - set(ToolOptions.__annotations__)
    if unknown:
        msg = f"mcp_tool() does not know {', '.join(sorted(unknown))}."
        raise ImproperlyConfigured(msg)

    def annotate(target: Target) -> Target:
        said = {"name": name or getattr(target, "__name__", ""), "group": group, "safety": safety, **options}
        setattr(target, TOOL_ATTRIBUTE, said)
        return target

    return annotate
