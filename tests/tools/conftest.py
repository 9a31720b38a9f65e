from functools import wraps

import pytest

from demo_project.coffee_shop import mcp as shop_module
from django_mcp.decorators import mcp_tool
from django_mcp.models import ToolGroup
from django_mcp.tools import registry


@pytest.fixture
def declaring(settings):
    """Install an app whose `mcp.py` defines the tools `count_stamps` and `stamp` of the group `desk`."""
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.tools.declaring"]


@pytest.fixture
def sam(db, django_user_model):
    # Something else is exposed as well, or hiding the one tool would close the endpoint.
    ToolGroup.objects.create(name="coffee-shop", exposed=True)
    return django_user_model.objects.create_user("sam")


@pytest.fixture
def offer(db, monkeypatch):
    """Return a function that defines a tool, as the shop's `mcp.py` would, and exposes its group."""

    def define(function, **options):
        options = {"group": "kitchen", "description": "Does it.", "name": function.__name__, **options}
        # Its own function each time: the decorator annotates the one that it is given.
        decorated = mcp_tool(**options)(wraps(function)(lambda *args: function(*args)))
        monkeypatch.setattr(shop_module, f"_{options['name']}", decorated, raising=False)
        registry.hosted_tools.cache_clear()
        ToolGroup.objects.update_or_create(name=options["group"], defaults={"exposed": True})
        return options["name"]

    yield define
    monkeypatch.undo()
    registry.hosted_tools.cache_clear()
