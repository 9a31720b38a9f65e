"""Calls that arrive at the same moment, each on a connection of its own, and what each of them is told."""

import contextlib
import http.client
import json
import re
import selectors
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

TIMEOUT = 100
# What no answer may show, whatever broke.
LEAKS = re.compile(rb"Traceback|<html|psycopg|pymysql|sqlite3?\.|SELECT |UPDATE |INSERT |redis://|File \\?\"/")


@dataclass(frozen=True)
class Attempt:
    """One call's answer. `verdict` is a success's status, an error's code, or what came instead of a tool's result."""

    verdict: str
    content: Mapping[str, Any] = field(default_factory=dict)
    leak: str = ""

    @property
    def outcome(self) -> str:
        """The status of what became of a spent token, empty where the answer does not say."""
        outcome = self.content.get("outcome")
        return str(outcome.get("status", "")) if isinstance(outcome, dict) else ""


NO_ANSWER = Attempt("no answer")
HANGS = Attempt("hangs")


@dataclass(frozen=True)
class Call:
    """A `tools/call` of `api_call` to the server on a port."""

    port: int
    key: str
    api: str
    args: Any
    token: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        arguments = {"name": self.api, "args": self.args}
        if self.token is not None:
            arguments["confirmationToken"] = self.token
        params = {"name": "api_call", "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        # Servers behind one balancer are called by one name.
        headers = {
            "Host": "127.0.0.1",
            "Connection": "close",
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
            "Content-Length": str(len(body)),
            **self.headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def together(calls: Sequence[Call]) -> list[Attempt]:
    """Make all calls at once: every connection is open before the first of them is sent."""
    attempts = [NO_ANSWER] * len(calls)
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as waiting:
        for number, call in enumerate(calls):
            with contextlib.suppress(OSError):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", call.port), timeout=TIMEOUT))
                waiting.register(connection, selectors.EVENT_READ, number)
        for key in [*waiting.get_map().values()]:
            with contextlib.suppress(OSError):
                key.fileobj.sendall(calls[key.data].encoded())
        while waiting.get_map():
            ready = waiting.select(TIMEOUT)
            for key, _events in ready:
                waiting.unregister(key.fileobj)
                attempts[key.data] = _answer(key.fileobj)
            if not ready:
                for key in waiting.get_map().values():
                    attempts[key.data] = HANGS
                break
    return attempts


def alone(call: Call) -> Attempt:
    return together([call])[0]


def abandoned(call: Call, *, after: float, part: float = 1.0) -> Attempt:
    """Send a call, or only a part of it, and hang up some seconds later without having read anything."""
    message = call.encoded()
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", call.port), TIMEOUT) as connection:
        connection.sendall(message[: int(len(message) * part)])
        time.sleep(after)
    return NO_ANSWER


def _answer(connection: socket.socket) -> Attempt:
    response = http.client.HTTPResponse(connection, method="POST")
    try:
        response.begin()
        body = response.read()
    except TimeoutError:
        return HANGS
    except (OSError, http.client.HTTPException):
        return NO_ANSWER
    finally:
        response.close()
        # A worker waits for its client to hang up, before it takes the next one.
        connection.close()
    return parsed(response.status, body)


def parsed(status: int, body: bytes) -> Attempt:
    """Return the attempt that was answered with that HTTP status and body."""
    match = LEAKS.search(body)
    leak = body[max(0, match.start() - 100) : match.end() + 100].decode(errors="replace") if match else ""
    try:
        message = json.loads(body)
    except ValueError:
        return Attempt(f"HTTP {status}, no JSON", leak=leak)
    if "error" in message:
        return Attempt(f"HTTP {status}, {message['error']['code']}", leak=leak)
    content = message["result"]["structuredContent"]
    return Attempt(content["code"] if message["result"].get("isError") else content["status"], content, leak)
