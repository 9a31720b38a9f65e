import pytest


@pytest.fixture
def declaring(settings):
    """Install an app whose `mcp.py` defines the tools `count_stamps` and `stamp` of the group `desk`."""
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.tools.declaring"]
