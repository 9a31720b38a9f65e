"""The endpoint under ASGI: synchronous views, bodies of unknown length."""

import io
import json

from asgiref.sync import async_to_sync
from django.core.handlers.asgi import ASGIRequest
from django.test import AsyncClient

from django_mcp.transport.views import McpView

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def request_without_length(secret, body):
    headers = [
        (b"host", b"testserver"),
        (b"content-type", b"application/json"),
        (b"transfer-encoding", b"chunked"),
        (b"authorization", f"Bearer {secret}".encode()),
    ]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
    return ASGIRequest(scope, io.BytesIO(body))


def test_a_post_is_answered_under_asgi(secret):
    response = async_to_sync(AsyncClient().post)(
        "/mcp", PING, content_type="application/json", headers={"Authorization": f"Bearer {secret}"}
    )
    assert response.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_body_of_unknown_length_is_read_under_asgi(secret):
    response = McpView.as_view()(request_without_length(secret, PING))
    assert json.loads(response.content)["result"] == {}


def test_a_body_of_unknown_length_is_cut_at_the_limit_under_asgi(settings, secret):
    settings.DJANGO_MCP = {"MAX_REQUEST_BYTES": 100}
    response = McpView.as_view()(request_without_length(secret, b" " * 10_000))
    assert response.status_code == 413
