import json

import pytest
from django.test import Client

from django_mcp.access import keys, server_config
from django_mcp.models import ToolGroup


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
        said = {"CONTENT_TYPE": content_type, **extra}
        return http.post(path, message, content_type=content_type, headers=dict(headers), **said)

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
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = post(message, headers=named)
        assert response.status_code == 200, response.content
        return response.json()

    return ask
