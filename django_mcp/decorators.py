"""Decorators for hosts. They only annotate: nothing is registered or wrapped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from django.core.exceptions import ImproperlyConfigured

from django_mcp.choices import Safety
from django_mcp.options import checked, cure, is_permission, listed_names, refuse_unknown
from django_mcp.types import Caller, Hints

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
    dry_run: bool | Callable[..., Any]
    exclude: bool


def mcp_operation(
    *, actions: Sequence[str] | None = None, **options: Unpack[OperationOptions]
) -> Callable[[Target], Target]:
    """Describe an operation to agents: decorate a handler method, an `@action`, a function view or a view class.

    On a view class, `actions` names the handlers that the options are meant for (`"create"`, or `"post"` on an
    APIView); without it they are meant for all of them. Of two decorators that set an option, the one nearer to the
    handler wins.

    Raises ImproperlyConfigured for an unknown option, a value of the wrong kind, and an action that the target has not.
    """
    given = checked("mcp_operation", options, OperationOptions)
    for permission in given.get("permissions", ()):
        if not is_permission(permission):
            msg = f'mcp_operation(permissions=[{permission!r}]) has no permission; write it as "app_label.codename".'
            raise ImproperlyConfigured(msg)
    names = (None,) if actions is None else listed_names("mcp_operation(actions=", actions)

    def annotate(target: Target) -> Target:
        _refuse_unknown_actions(target, names)
        # A subclass must not write into the dict of its base, hence a new one each time.
        by_action: dict[str | None, dict[str, Any]] = dict(getattr(target, OPERATION_ATTRIBUTE, {}))
        for action in names:
            by_action[action] = {**by_action.get(action, {}), **given}
        setattr(target, OPERATION_ATTRIBUTE, by_action)
        return target

    return annotate


def annotations_of(target: Any) -> dict[str | None, dict[str, Any]]:
    """Return the options that `mcp_operation` set on a view, a class or a handler: by action, None for all actions.

    What a class does not set itself holds as any of its bases has it.
    """
    merged: dict[str | None, dict[str, Any]] = {}
    for base in reversed(target.__mro__) if isinstance(target, type) else (target,):
        for action, options in getattr(base, "__dict__", {}).get(OPERATION_ATTRIBUTE, {}).items():
            merged[action] = {**merged.get(action, {}), **options}
    return merged


def hints_for(*targets: Any, handler: str, action: str | None = None) -> Hints:
    """Return the hints that `targets` hold for a handler; a later target wins, option by option.

    `action` is what the handler does, where that has another name: `"create"` for `"post"` of a generic view.
    """
    merged: dict[str, Any] = {}
    for target in targets:
        by_action = annotations_of(target)
        for name in dict.fromkeys((None, action, handler)):
            merged |= by_action.get(name, {})
    return Hints(**merged)


# What answers requests in the views of REST framework: a method of HTTP, or a router's action.
METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
ACTIONS = frozenset({"list", "create", "retrieve", "update", "partial_update", "destroy"})
_LIBRARIES = frozenset({"builtins", "django", "rest_framework"})


def _refuse_unknown_actions(target: Any, names: Iterable[str | None]) -> None:
    handlers = _handlers(target)
    for name in names:
        if name is not None and handlers is not None and name not in handlers:
            of = f"{target.__module__}.{getattr(target, '__qualname__', target)}"
            msg = f"mcp_operation(actions=[{name!r}]) of {of} is about no action of it. {cure(name, handlers)}"
            raise ImproperlyConfigured(msg)


def _handlers(target: Any) -> set[str] | None:
    """Return the names that can be handlers of a view or a function; None for a mixin, which has not all of them."""
    view_class = getattr(target, "cls", target)
    if not isinstance(view_class, type):
        return {*METHODS, getattr(target, "__name__", "")}
    if not hasattr(view_class, "http_method_names"):
        return None
    # A route may lead to any method of the host's own; those of the libraries are handlers, or are called by them.
    own = {name for base in view_class.__mro__ if _package(base) not in _LIBRARIES for name in vars(base)}
    inherited = {name for base in view_class.__mro__ if _package(base) in _LIBRARIES for name in vars(base)}
    names = (own - inherited) | ((own | inherited) & (METHODS | ACTIONS))
    return {name for name in names if not name.startswith("_") and callable(getattr(view_class, name, None))}


def _package(base: type) -> str:
    return base.__module__.partition(".")[0]


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
    refuse_unknown("mcp_tool", options, ToolOptions)

    def annotate(target: Target) -> Target:
        declaration = {"name": name or getattr(target, "__name__", ""), "group": group, "safety": safety, **options}
        setattr(target, TOOL_ATTRIBUTE, declaration)
        return target

    return annotate
