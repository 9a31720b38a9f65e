"""The demo project set up in this process, on an SQLite file, and callers of it that speak WSGI to it."""

import io
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def project() -> Iterator["Project"]:
    with tempfile.TemporaryDirectory() as directory:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="tests.benchmarks.settings",
            DJANGO_DEBUG="0",
            DJANGO_SECRET_KEY=secrets.token_hex(32),
            SHOP_SIGNING_SECRET=secrets.token_hex(32),
            DATABASE_URL=f"sqlite:///{Path(directory) / 'benchmark.sqlite3'}",
        )
        os.environ.pop("REDIS_URL", None)
        import django

        django.setup()
        yield Project()
        from django.db import connections

        connections.close_all()


class Project:
    """Every call is a whole request: WSGI handler, middleware, URL resolution, view, rendering."""

    def __init__(self) -> None:
        from django.contrib.auth.models import User
        from django.core.handlers.wsgi import WSGIHandler
        from django.core.management import call_command

        from django_mcp.access import keys
        from django_mcp.choices import Safety

        for command in (["migrate", "--verbosity=0"], ["seed"], ["mcp", "expose", "coffee-shop"]):
            call_command(*command, stdout=io.StringIO())
        _key, self._secret = keys.issue(
            name="benchmark",
            user=User.objects.get(username="kim"),
            groups=["coffee-shop"],
            highest_safety=Safety.DESTRUCTIVE,
        )
        self._handler = WSGIHandler()

    def configure(self, **values: Any) -> None:
        """Change the server's settings."""
        from django_mcp.models import ServerSettings

        row = ServerSettings.load()
        for name, value in values.items():
            setattr(row, name, value)
        row.save()

    def rest(self, method: str, path: str, query: str = "", data: Any = None) -> bytes:
        return self._send(method, path, query, b"" if data is None else json.dumps(data).encode())

    def post(self, method: str, params: Any) -> bytes:
        """Call a method of MCP; return the answer's bytes."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return self._send("POST", "/mcp", "", body)

    def tool(self, tool: str, **arguments: Any) -> bytes:
        """Call a tool; return the answer's bytes, unread as those of REST are."""
        answer = self.post("tools/call", {"name": tool, "arguments": arguments})
        if b'"isError":false' not in answer:
            raise RuntimeError(answer)
        return answer

    def _send(self, method: str, path: str, query: str, body: bytes) -> bytes:
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "127.0.0.1",
            "HTTP_ACCEPT": "application/json, text/event-stream" if path == "/mcp" else "application/json",
            "HTTP_AUTHORIZATION": f"Bearer {self._secret}",
            "HTTP_MCP_PROTOCOL_VERSION": "2025-11-25",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
        }
        statuses: list[str] = []
        response = self._handler(environ, lambda status, _headers: statuses.append(status))
        try:
            content = b"".join(response)
        finally:
            response.close()
        if not statuses[0].startswith("2"):
            raise RuntimeError(f"{method} {path}: {statuses[0]} {content[:2000]!r}")
        return content
