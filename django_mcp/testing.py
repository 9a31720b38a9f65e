"""A client for host projects' own tests: it speaks to the real endpoint through Django's test client.

mcp = McpClient(user=sam)
order = mcp.call("CreateOrder", {"product_id": 7}).confirm()
assert order.response["total"] == "5.50"
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.db import models
from django.test import Client
from django.urls import reverse

from django_mcp.access import config_changes, keys
from django_mcp.choices import Safety
from django_mcp.models import ToolRule
from django_mcp.protocol import elicitation
from django_mcp.protocol.headers import METHOD_HEADER, NAME_HEADER
from django_mcp.protocol.metadata import VERSION_HEADER
from django_mcp.protocol.revisions import MODERN
from django_mcp.protocol.serializers import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from django_mcp.tools import api_tools, inventory, raw_schemas
from django_mcp.tools.base import API_CALL, API_READ, TOKEN

REVISION = "2025-11-25"


class RpcError(Exception):
    """The server answered with a JSON-RPC error, or refused the request: unknown tool, wrong key, nothing exposed."""

    def __init__(self, code: int, message: str, *, data: Any = None, http_status: int = 200) -> None:
        super().__init__(f"{message} (JSON-RPC {code}, HTTP {http_status})")
        self.code = code
        self.message = message
        self.data = data
        self.http_status = http_status


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a tool. `arguments` are those of the call, `raw` is MCP's result as it came."""

    client: "McpClient" = field(repr=False)
    tool: str
    arguments: Mapping[str, Any] = field(repr=False)
    raw: Mapping[str, Any]

    @property
    def is_error(self) -> bool:
        return bool(self.raw.get("isError"))

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content blocks: text, image, audio, resource and resource_link."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def data(self) -> dict[str, Any]:
        """The structured result, empty where there is none; an error may have it in its text alone."""
        if "structuredContent" in self.raw:
            return dict(self.raw["structuredContent"])
        return dict(json.loads(self.text)) if self.is_error else {}

    @property
    def status(self) -> str:
        """`success`, `error`, `requires_confirmation` or `input_required`; a tool that names no status succeeded."""
        if self.is_error:
            return "error"
        if elicitation.asks(self.raw):
            return elicitation.INPUT_REQUIRED
        is_proposal = self.data.get("status") == "requires_confirmation" and TOKEN in self.data
        return "requires_confirmation" if is_proposal else "success"

    @property
    def response(self) -> Any:
        """The answer of the operation's view."""
        return self.data.get("response")

    @property
    def error(self) -> str:
        """The text of an error, empty where it is none."""
        return str(self.data.get("error", "")) if self.is_error else ""

    @property
    def code(self) -> str:
        """The code of an error, empty where it is none."""
        return str(self.data.get("code", "")) if self.is_error else ""

    @property
    def token(self) -> str:
        """The token of a proposal. Raises AssertionError, with the server's answer, where the result is no proposal."""
        if self.status != "requires_confirmation":
            msg = f"{self.tool} asked for no confirmation; it answered: {self.error or self.text}"
            raise AssertionError(msg)
        return str(self.data[TOKEN])

    def confirm(self) -> "Result":
        """Make the same call again with the token. Raises AssertionError where the result is no proposal."""
        return self.client.tool(self.tool, {**self.arguments, TOKEN: self.token})

    @property
    def questions(self) -> dict[str, dict[str, Any]]:
        """The requests that the tool makes of the client, by key; empty where it makes none."""
        return dict(self.raw.get("inputRequests", {}))

    def answer(self, **results: Mapping[str, Any]) -> "Result":
        """Make the same call again with the client's results: `answer(seats={"action": "accept", "content": {…}})`."""
        params = {"inputResponses": results, "requestState": self.raw.get("requestState")}
        return self.client.tool(self.tool, self.arguments, **params)


class McpClient:
    """A caller of the MCP endpoint.

    Give a `user`, for whom a key is issued that reaches `groups`, or one group, up to `highest_safety`; or the secret
    of a `key` that exists; or neither, for a caller that does not authenticate. `url` is for an endpoint that is
    mounted elsewhere. With `capabilities`, such as `{"elicitation": {}}`, the tools can ask the client.
    """

    def __init__(
        self,
        *,
        user: Any = None,
        key: str | None = None,
        groups: str | Collection[str] = "all",
        highest_safety: Safety = Safety.DESTRUCTIVE,
        url: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        if user is not None and key is not None:
            msg = "McpClient() takes a user or a key: a key belongs to its own user."
            raise TypeError(msg)
        if user is not None:
            names = [groups] if isinstance(groups, str) else groups
            _row, key = keys.issue(
                name="test",
                user=user,
                groups=() if groups == "all" else names,
                all_groups=groups == "all",
                highest_safety=Safety(highest_safety),
            )
        self.key = key
        self.url = url or reverse("django_mcp:mcp")
        self.http = Client(raise_request_exception=False)
        self.capabilities = capabilities
        revision = REVISION if capabilities is None else MODERN[-1]
        self.headers: dict[str, str] = {VERSION_HEADER: revision, "Accept": "application/json"}
        self._ids = count(1)

    def post(self, body: bytes | str, **headers: str) -> Any:
        """Send a body as it is and return Django's response. `headers` are added to the client's own."""
        credentials = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return self.http.post(
            self.url, body, content_type="application/json", headers={**credentials, **self.headers, **headers}
        )

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a JSON-RPC request and return its result. Raises RpcError."""
        params = dict(params or {})
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        headers: dict[str, str] = {}
        if self.capabilities is not None:
            params["_meta"] = {PROTOCOL_VERSION: self.headers[VERSION_HEADER], CLIENT_CAPABILITIES: self.capabilities}
            headers = {METHOD_HEADER: method, **({NAME_HEADER: params["name"]} if "name" in params else {})}
        response = self.post(json.dumps(message), **headers)
        try:
            answer = json.loads(response.content)
        except ValueError:
            # Something before the endpoint has answered in its place.
            text = response.content[:200].decode(errors="replace")
            raise RpcError(0, f"No JSON: {text}", http_status=int(response.status_code)) from None
        if "error" in answer:
            error = answer["error"]
            raise RpcError(error["code"], error["message"], data=error.get("data"), http_status=response.status_code)
        return dict(answer["result"])

    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the tools that are listed for this caller, by name, in the server's order."""
        tools: dict[str, dict[str, Any]] = {}
        params: dict[str, Any] = {}
        while True:
            page = self.request("tools/list", params)
            tools.update({tool["name"]: tool for tool in page["tools"]})
            if not page.get("nextCursor"):
                return tools
            params = {"cursor": page["nextCursor"]}

    def search(self, query: str = "", **filters: Any) -> list[dict[str, Any]]:
        """Return the operations that `api_search` finds; `filters` are its `tag`, `safety` and `take`."""
        arguments = {"query": query, **filters} if query else filters
        return list(self.tool("api_search", arguments).data["apis"])

    def describe(self, name: str) -> dict[str, Any]:
        """Return the description of one operation by `api_describe`, with an `error` where it is out of reach."""
        return dict(self.tool("api_describe", {"names": [name]}).data["apis"][0])

    def read(self, name: str, **args: Any) -> Result:
        """Run an operation that only reads."""
        return self.tool(API_READ, {"name": name, "args": args})

    def call(self, name: str, args: Mapping[str, Any] | None = None) -> Result:
        """Call an operation. A write is a proposal first: `call(…).confirm()` runs it."""
        return self.tool(API_CALL, {"name": name, "args": dict(args or {})})

    def tool(self, name: str, arguments: Mapping[str, Any] | None = None, **params: Any) -> Result:
        """Call a tool by its own name: one that the host defines, or an operation that is published as one.

        `params` are sent beside name and arguments.

        Raises RpcError where there is no such tool for this caller, or the tool answers with a protocol error, and
        AssertionError where the result does not fit the output schema of the tool: strict clients would refuse it.
        """
        arguments = dict(arguments or {})
        raw = self.request("tools/call", {"name": name, "arguments": arguments, **params})
        if name not in api_tools.BY_NAME:
            self._check_schema(name, raw)
        return Result(client=self, tool=name, arguments=arguments, raw=raw)

    def _check_schema(self, name: str, raw: Mapping[str, Any]) -> None:
        schema = self.tools().get(name, {}).get("outputSchema")
        if schema is None or elicitation.asks(raw):
            return
        problems: list[str] = []
        if "structuredContent" in raw:
            errors = raw_schemas.validator(schema).iter_errors(raw["structuredContent"])
            problems = [f"{raw_schemas.path_of(error)}: {error.message}" for error in errors]
        elif not raw.get("isError"):
            problems = ["there is no structured content; return a dict or serializer data"]
        if problems:
            msg = f"The result of {name} does not fit its output schema: {'; '.join(problems)}"
            raise AssertionError(msg)


@contextmanager
def exposing(*names: str) -> Iterator[None]:
    """Expose groups, operations or tools of these names for a while, in the database but not in the record.

    Raises LookupError for a name that nothing has.
    """
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(_exposing(name))
        yield


@contextmanager
def _exposing(name: str) -> Iterator[None]:
    row, field_name, value = _row(name)
    before = getattr(row, field_name) if row.pk else None
    setattr(row, field_name, value)
    row.save()
    try:
        yield
    finally:
        if before is None:
            row.delete()
        else:
            setattr(row, field_name, before)
            row.save(update_fields=[field_name])


def _row(name: str) -> tuple[models.Model, str, Any]:
    """Return the row of a group, operation or tool, and the field and the value that expose it."""
    groups = inventory.group_names()
    if name in groups:
        return config_changes.group_row(name), "exposed", True
    target = inventory.named(name)
    if target is None:
        msg = f"There is no group, operation or tool {name!r}. {inventory.cure(name, [*groups, *inventory.names()])}"
        raise LookupError(msg)
    rule = config_changes.rule_row(target.name)
    rule.name, rule.method, rule.route = target.name, target.method, target.route
    return rule, "exposure", ToolRule.Exposure.EXPOSED.value
