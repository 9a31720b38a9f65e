"""The smallest MCP client that plays the walk-through: JSON-RPC over POST, a new connection each time."""

import http.client
import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

PROTOCOL_VERSION = "2025-11-25"


class UnexpectedAnswerError(Exception):
    """The server did not answer as it should; the text says what came instead."""


@dataclass
class McpClient:
    host: str
    port: int
    key: str
    _ids: "count[int]" = field(default_factory=lambda: count(1))

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a JSON-RPC request."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        status, body = self._post(message)
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        if status != 200 or not isinstance(answer.get("result"), dict):
            msg = f"{method} was answered with HTTP {status}: {body[:500]}"
            raise UnexpectedAnswerError(msg)
        return answer["result"]

    def notify(self, method: str) -> None:
        status, body = self._post({"jsonrpc": "2.0", "method": method})
        if status != 202:
            msg = f"{method} was answered with HTTP {status}: {body[:500]}"
            raise UnexpectedAnswerError(msg)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured content of a tool's result, an error's too."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        if not isinstance(result.get("structuredContent"), dict):
            msg = f"{tool} answered without structuredContent: {json.dumps(result)[:500]}"
            raise UnexpectedAnswerError(msg)
        return result["structuredContent"]

    def _post(self, message: dict[str, Any]) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL_VERSION,
        }
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            msg = f"{message['method']} was not answered: {error}"
            raise UnexpectedAnswerError(msg) from error
        finally:
            connection.close()
