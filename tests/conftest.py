"""Fixtures that every part of the suite shares."""

import json
import os
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import translation

from django_mcp.testing import McpClient

SERVICES = {
    "databases": "TEST_DATABASE_URLS",
    "redis": "TEST_REDIS_URL",
    "memcached": "TEST_MEMCACHED",
    "chromium": "TEST_CHROMIUM",
    "node": "TEST_NODE",
    "clients": "TEST_CLIENTS",
    "apps": "TEST_APPS",
    "schemas": "MCP_SCHEMAS",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs a service that no variable names, and remember it for the closing lines."""
    selected, left_out = [], {}
    for item in items:
        needed = {name for marker in item.iter_markers("service") for name in marker.args}
        missing = sorted(SERVICES[name] for name in needed if not os.environ.get(SERVICES[name]))
        if missing:
            left_out.setdefault(", ".join(missing), []).append(item)
        else:
            selected.append(item)
    items[:] = selected
    config.stash[LEFT_OUT] = {variable: len(deselected) for variable, deselected in left_out.items()}
    config.hook.pytest_deselected(items=[item for deselected in left_out.values() for item in deselected])


LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for variable, number in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"left out: {number} tests, {variable} is not set")


@pytest.fixture(autouse=True)
def fresh_cache():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def own_language():
    """Leave no language behind: Django's LocaleMiddleware leaves the one of its last request active."""
    yield
    translation.deactivate()


class Mcp:
    """A client of the endpoint with one key, whose answers are plain dicts: the package's own test client underneath."""

    def __init__(self, secret: str) -> None:
        self.client = McpClient(key=secret)

    @property
    def secret(self) -> str:
        return self.client.key

    @secret.setter
    def secret(self, secret: str) -> None:
        self.client.key = secret

    @property
    def headers(self) -> dict[str, str]:
        return self.client.headers

    def post(self, body: Any, **headers: str) -> Any:
        return self.client.post(body if isinstance(body, bytes | str) else json.dumps(body), **headers)

    def rpc(self, method: str, params: Any = None) -> Any:
        """Send a request and return the whole answer, an error's too."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method}
        return self.post(body if params is None else {**body, "params": params}).json()

    def tool(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and return its structured result."""
        result = self.client.tool(tool, arguments)
        assert json.loads(result.content[0]["text"]) == result.raw["structuredContent"]
        return result.data

    def call(self, name: str, args: Any = None, **more: Any) -> dict[str, Any]:
        arguments = {"name": name, **more}
        if args is not None:
            arguments["args"] = args
        return self.tool("api_call", arguments)

    def propose(self, name: str, args: Any) -> str:
        """Make a first call and return its token."""
        answer = self.call(name, args)
        assert answer["status"] == "requires_confirmation", answer
        return answer["confirmationToken"]

    def write(self, name: str, args: Any) -> dict[str, Any]:
        """Propose and confirm."""
        return self.call(name, args, confirmationToken=self.propose(name, args))


@pytest.fixture
def shop(db):
    """The coffee shop with its users and menu, exposed."""
    from django.core.management import call_command

    from django_mcp.models import ToolGroup

    call_command("seed", verbosity=0)
    ToolGroup.objects.update_or_create(name="coffee-shop", defaults={"exposed": True})


@pytest.fixture
def user(shop, django_user_model):
    return django_user_model.objects.get(username="sam")


@pytest.fixture
def make_mcp(user):
    """Return a function that issues a key with the given limits and returns its client."""
    from django_mcp.access import keys
    from django_mcp.choices import Safety

    def make(owner: Any = None, **limits: Any) -> Mcp:
        limits = {"all_groups": True, "highest_safety": Safety.DESTRUCTIVE, **limits}
        return Mcp(keys.issue(name="test", user=owner or user, **limits)[1])

    return make


@pytest.fixture
def mcp(make_mcp) -> Mcp:
    return make_mcp()
