"""The names that hosts import, from wherever the README or an earlier version of it told them to."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import django_mcp

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = {
    "django_mcp": {"ProtocolError", "Safety", "ToolError", "mcp_operation", "mcp_tool"},
    "django_mcp.decorators": {"mcp_operation", "mcp_tool"},
    "django_mcp.errors": {"NotFound", "PermissionRefused", "ProtocolError", "ToolError", "ValidationFailed"},
    "django_mcp.models": {"APIKey", "AuditEvent", "Confirmation", "ServerSettings", "ToolGroup", "ToolRule"},
    "django_mcp.signals": {"confirmation_issued", "confirmation_settled", "key_issued", "key_revoked"},
    "django_mcp.testing": {"McpClient", "exposing"},
    "django_mcp.tools.media": {"Audio", "EmbeddedResource", "File", "Image", "ResourceLink", "Text"},
    "django_mcp.tools.questions": {"InputRequired", "form", "request", "url"},
    "django_mcp.transport.authentication": {"APIKeyAuthentication"},
    "django_mcp.transport.throttling": {"CallerRateThrottle", "ToolRateThrottle"},
    "django_mcp.types": {"Caller", "Safety"},
    "django_mcp.urls": {"urlpatterns"},
    "django_mcp.vocabulary": {"Caller", "Safety"},
}


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_name_can_be_imported(module):
    missing = {name for name in PUBLIC[module] if not hasattr(import_module(module), name)}
    assert missing == set()


def test_a_public_name_is_the_same_thing_in_every_module_that_has_it():
    for name in PUBLIC["django_mcp"]:
        homes = [import_module(module) for module, names in PUBLIC.items() if name in names]
        assert {getattr(home, name) for home in homes} == {getattr(django_mcp, name)}


def test_the_package_exports_its_public_names_and_no_others():
    assert set(django_mcp.__all__) == PUBLIC["django_mcp"]


def test_the_readme_imports_public_names_only():
    imports = re.findall(r"^ *from (django_mcp\S*) import (.+)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(imports) >= 7
    for module, names in imports:
        assert set(names.split(", ")) <= PUBLIC[module]


def test_the_package_can_be_imported_before_there_are_settings():
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([sys.executable, "-c", "import django_mcp"], check=True, cwd=ROOT, env=environment)
