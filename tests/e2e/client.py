"""A small HTTP client for MCP and REST, on one connection that stays open."""

import base64
import http.client
import itertools
import json
from dataclasses import dataclass
from typing import Any, Self

ORDER = "CreateCoffeeShopOrder"


@dataclass(frozen=True)
class Answer:
    """An answer over HTTP."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def worker(self) -> int:
        """The process id of the worker that answered."""
        return int(self.headers["X-Worker"])

    @property
    def json(self) -> Any:
        assert self.headers.get_content_type() == "application/json", (self.status, self.body[:2000])
        return json.loads(self.body)

    @property
    def result(self) -> dict[str, Any]:
        assert self.status == 200, (self.status, self.body[:2000])
        assert "result" in self.json, self.json
        return self.json["result"]

    @property
    def structured(self) -> dict[str, Any]:
        """The structured content of a tool's result; the text beside it says the same."""
        content = self.result["structuredContent"]
        assert json.loads(self.result["content"][0]["text"]) == content
        return content

    @property
    def failed(self) -> bool:
        return bool(self.result.get("isError"))

    @property
    def code(self) -> str | None:
        """The error code of a tool's result, None where it is no error."""
        return self.structured["code"] if self.failed else None


class Client:
    """Speaks with one server as one caller. Not for use from two threads at once."""

    def __init__(self, port: int, key: str = "", *, headers: dict[str, str] | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._ids = itertools.count(1)
        self._headers = dict(headers or {})
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def send(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        self._connection.request(method, path, body=body, headers={**self._headers, **(headers or {})})
        response = self._connection.getresponse()
        return Answer(response.status, response.msg, response.read())

    def rest(self, user: str, method: str, path: str, data: Any = None) -> Answer:
        """Call the REST API itself, with the password that the demo's users have."""
        credentials = base64.b64encode(f"{user}:{user}".encode()).decode()
        headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
        return self.send(method, path, None if data is None else json.dumps(data).encode(), headers)

    def rpc(self, method: str, params: Any = None, *, request_id: int | None = None, **headers: str) -> Answer:
        message = {"jsonrpc": "2.0", "id": request_id or next(self._ids), "method": method, "params": params or {}}
        return self.post(json.dumps(message).encode(), headers)

    def post(self, body: bytes, headers: dict[str, str] | None = None) -> Answer:
        return self.send(
            "POST",
            "/mcp",
            body,
            {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2025-11-25",
                **(headers or {}),
            },
        )

    def tool(self, name: str, arguments: Any, *, request_id: int | None = None) -> Answer:
        return self.rpc("tools/call", {"name": name, "arguments": arguments}, request_id=request_id)

    def read(self, api: str, **args: Any) -> Answer:
        return self.tool("api_read", {"name": api, "args": args})

    def call(self, api: str, args: Any = None, token: Any = None, *, request_id: int | None = None) -> Answer:
        arguments = {"name": api}
        if args is not None:
            arguments["args"] = args
        if token is not None:
            arguments["confirmationToken"] = token
        return self.tool("api_call", arguments, request_id=request_id)

    def propose(self, args: Any, api: str = ORDER) -> str:
        """Make a first call; return the token."""
        content = self.call(api, args).structured
        assert content["status"] == "requires_confirmation", content
        return content["confirmationToken"]
