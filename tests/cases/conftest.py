import pytest
from django.db import connection

from django_mcp.access import server_config
from django_mcp.models import ToolGroup
from django_mcp.testing import McpClient
from tests.host import rows, views
from tests.host import settings as host_settings


@pytest.fixture
def people(settings):
    """The host with its rows, all of it exposed; returns its users by name."""
    for name in ("ROOT_URLCONF", "MIDDLEWARE", "ALLOWED_HOSTS"):
        setattr(settings, name, getattr(host_settings, name))
    server_config.forget()
    views.seen.clear()
    views.hooks.clear()
    ToolGroup.objects.create(name="host", exposed=True)
    return rows.populate()


@pytest.fixture
def alice(people):
    return McpClient(user=people["alice"])


@pytest.fixture
def bob(people):
    return McpClient(user=people["bob"])


@pytest.fixture
def attempt(alice):
    """Return a function that makes a call as Alice to its end: a proposal is confirmed."""

    def attempt(operation, /, **args):
        result = alice.call(operation, args)
        return result.confirm() if result.status == "requires_confirmation" else result

    return attempt


@pytest.fixture
def autocommit():
    connection.settings_dict["ATOMIC_REQUESTS"] = False
    yield
    connection.settings_dict["ATOMIC_REQUESTS"] = True
