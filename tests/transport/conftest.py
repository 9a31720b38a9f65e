import json

import pytest
from django.test import Client

from demo_project.coffee_shop import mcp as shop_module
from django_mcp.access import keys, server_config
from django_mcp.choices import Safety
from django_mcp.decorators import mcp_tool
from django_mcp.models import ToolGroup
from django_mcp.tools import registry

# The revision without a handshake, and the metadata of its requests.
NEW = "2026-07-28"
PREFIX = "io.modelcontextprotocol"
META = {
    f"{PREFIX}/protocolVersion": NEW,
    f"{PREFIX}/clientInfo": {"name": "Inspector", "version": "3"},
    f"{PREFIX}/clientCapabilities": {},
}
# The tool `sql` as it is listed.
SQL = {
    "name": "sql",
    "title": "SQL",
    "description": "Čte.",
    "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}


@pytest.fixture
def exposed(db):
    """An exposed group, in a process that remembers nothing yet."""
    server_config.forget()
    return ToolGroup.objects.create(name="coffee-shop", exposed=True)


@pytest.fixture
def person(db, django_user_model):
    return django_user_model.objects.create_user("pat", password="pat")


@pytest.fixture
def secret(exposed, person):
    return keys.issue(name="test", user=person, all_groups=True)[1]


@pytest.fixture
def http():
    return Client(raise_request_exception=False)


@pytest.fixture
def stranger(http):
    """Return a function that posts without a key: a message, or bytes as they are."""

    def post(message=None, *, path="/mcp", content_type="application/json", headers=(), **extra):
        if not isinstance(message, bytes):
            message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"} if message is None else message).encode()
        # The test client leaves the content type out where the body is empty.
        environ = {"CONTENT_TYPE": content_type, **extra}
        return http.post(path, message, content_type=content_type, headers=dict(headers), **environ)

    return post


@pytest.fixture
def post(stranger, secret):
    """Return a function that posts with a key."""

    def post(message=None, *, headers=(), **extra):
        return stranger(message, headers={"Authorization": f"Bearer {secret}", **dict(headers)}, **extra)

    return post


@pytest.fixture
def ask(post):
    """Return a function that calls a method with a key and returns the parsed answer."""

    def ask(method, params=None, **headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": method}
        if params is not None:
            message["params"] = params
        response = post(message, headers={name.replace("_", "-"): value for name, value in headers.items()})
        assert response.status_code == 200, response.content
        return response.json()

    return ask


@pytest.fixture
def modern(post):
    """Return a function that sends a conforming request of the modern revision.

    `headers` add to its own or replace them; those that are None are removed.
    """

    def modern(method, *, headers=(), meta=META, **params):
        sent = {"MCP-Protocol-Version": NEW, "Mcp-Method": method}
        if isinstance(params.get("name"), str):
            sent["Mcp-Name"] = params["name"]
        sent.update(headers)
        if meta is not None:
            params["_meta"] = meta
        message = {"jsonrpc": "2.0", "id": "q", "method": method, "params": params}
        return post(message, headers={name: value for name, value in sent.items() if value is not None})

    return modern


@pytest.fixture
def calls(exposed):
    """The calls of `sql`, a tool of the host that wants an argument repeated in a header: callers and arguments."""
    calls = []

    @mcp_tool(
        group="coffee-shop",
        safety=Safety.READ_ONLY,
        title=SQL["title"],
        description=SQL["description"],
        input_schema=SQL["inputSchema"],
        output_schema=SQL["outputSchema"],
    )
    def sql(caller, data):
        calls.append((caller, dict(data)))
        return {"city": "Žďár"}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shop_module, "_sql", sql, raising=False)
        registry.hosted_tools.cache_clear()
        yield calls
    registry.hosted_tools.cache_clear()
