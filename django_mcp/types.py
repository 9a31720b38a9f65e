"""The nouns that every part of the package shares: frozen, without behaviour beyond comparing themselves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from django_mcp.choices import ApprovalMode, Safety, State

if TYPE_CHECKING:
    # It needs models, and hosts import from here before there are any.
    from rest_framework.serializers import BaseSerializer


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls and what they may reach, made once per request.

    `groups` and `permissions` are None where the caller is not narrowed to any. `auth` is what the host's views see as
    `request.auth`, a key unless `KEY_AS_REQUEST_AUTH` is off. `host` is the name that the server was called by.
    """

    subject: str
    user: Any
    auth: Any = None
    key_id: int | None = None
    key_label: str = ""
    groups: frozenset[str] | None = frozenset()
    highest_safety: Safety = Safety.READ_ONLY
    permissions: frozenset[str] | None = None
    mode: ApprovalMode | None = None
    address: str = ""
    client: str = ""
    host: str = ""

    def snapshot(self) -> dict[str, Any]:
        """Return what the record keeps of the caller after its user and key are gone."""
        username = self.user.get_username() if self.user is not None else ""
        return {
            "subject": self.subject,
            "user_id": str(self.user.pk) if getattr(self.user, "pk", None) is not None else "",
            "username": username,
            "key_id": self.key_id,
            "key_label": self.key_label,
            "address": self.address,
            "client": self.client,
            "host": self.host,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What `mcp_operation` says about an operation. None and empty mean "not said"."""

    name: str | None = None
    group: str | None = None
    safety: Safety | None = None
    requires_approval: bool | None = None
    description: str | None = None
    when_to_use: str | None = None
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    examples: tuple[Any, ...] = ()
    prerequisites: tuple[str, ...] = ()
    preview: str | None = None
    follow_ups: tuple[str, ...] = ()
    summary: Callable[[Caller, Mapping[str, Any]], str] | None = None
    permissions: tuple[str, ...] | None = None
    sensitive_fields: tuple[str, ...] = ()
    volatile_fields: tuple[str, ...] = ()
    state: Callable[..., Any] | None = None
    preflight: bool = True
    dry_run: Callable[..., Any] | bool = False
    exclude: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operation:
    """One callable API of the host: an endpoint and a method.

    `route` is the URI template whose holes are argument names. `path_arguments` maps an argument to the name
    that the host's URL pattern gives it. `path_regex` and `namespace` are the pattern's own, empty for what no URL
    leads to. `callback` is the view function as the URLconf holds it: a dispatched request must resolve to this very
    object.
    """

    name: str
    method: str
    route: str
    safety: Safety
    requires_approval: bool
    group: str
    tags: tuple[str, ...] = ()
    summary: str = ""
    description: str = ""
    callback: Callable[..., Any]
    view_class: type
    handler: str
    path_arguments: Mapping[str, str] = field(default_factory=dict)
    path_regex: str = ""
    namespace: str = ""
    hints: Hints = Hints()
    own_authentication: bool = False
    notes: tuple[str, ...] = ()

    @property
    def mutates(self) -> bool:
        """Tell whether calling it needs a decision and a record."""
        return self.safety is not Safety.READ_ONLY or self.requires_approval


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """Where an argument goes in the host's request: `location` is path, query or body, `wire` its name there.

    `file` is True where the value is a data URI that becomes an upload, `json` where it is any JSON value, which a
    form has as text.
    """

    location: Literal["path", "query", "body"]
    wire: str
    file: bool = False
    json: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class HostedTool:
    """A function of the host as `mcp_tool` declares it, checked. A serializer or a raw schema describes each side, never both.

    `permissions` is None where the host declared none.
    """

    function: Callable[..., Any]
    name: str
    group: str
    safety: Safety | None = None
    title: str = ""
    description: str = ""
    input: "type[BaseSerializer[Any]] | None" = None
    output: "type[BaseSerializer[Any]] | None" = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    permissions: tuple[str, ...] | Callable[[Caller], bool] | None = None
    requires_approval: bool = False
    summary: Callable[[Caller, Mapping[str, Any]], str] | None = None
    sensitive_fields: tuple[str, ...] = ()
    atomic: bool | None = None
    asks: bool = False
    annotations: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    icons: tuple[Mapping[str, Any], ...] = ()

    @property
    def acts_as(self) -> Safety:
        """Return the safety that is enforced; a tool without one counts as a write."""
        return self.safety or Safety.WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as it will be decided on and run.

    `tool` is the MCP tool that was invoked, `target` the operation's name or the host tool's. `sent` is what the
    caller wrote, `arguments` are the effective arguments: what is hashed and what is dispatched. `warnings` are
    the normaliser's notes for the model.
    """

    tool: str
    target: str
    safety: Safety
    requires_approval: bool
    group: str
    title: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    token: str | None = None
    sensitive: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()
    summary: Callable[[Caller, Mapping[str, Any]], str] | None = None

    @property
    def mutates(self) -> bool:
        """Tell whether it needs a decision and a record."""
        return self.safety is not Safety.READ_ONLY or self.requires_approval

    @property
    def endpoint(self) -> tuple[str, str]:
        """Return the method and route by which rules know the target besides its name; blank for a host's tool."""
        return "", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCall(Call):
    """A call of an operation. `placement` says where each argument goes in the host's request."""

    operation: Operation
    placement: Mapping[str, Argument] = field(default_factory=dict)

    @property
    def endpoint(self) -> tuple[str, str]:
        return self.operation.method, self.operation.route


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall(Call):
    """A call of a function that the host declared as a tool. `dialogue` is None where the tool does not ask."""

    declaration: HostedTool
    dialogue: "Dialogue | None" = None


AnyCall = OperationCall | FunctionCall


class Dialogue(Protocol):
    """The questions and answers of one call."""

    @property
    def answers(self) -> Any: ...

    def ask(self, required: Any) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a call: `status` as in `State`, what the view answered, redacted and bounded."""

    status: State
    http_status: int | None = None
    response: Any = None
    error_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome in its wire form."""
        return {"status": str(self.status), "httpStatus": self.http_status, "response": self.response}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The row that a call would change: `fields` are the model's attribute names to compare, in order.

    `relations` are the many-to-many fields that the call would set.
    """

    model: type
    pk: Any
    using: str
    fields: tuple[str, ...]
    relations: tuple[str, ...] = ()
