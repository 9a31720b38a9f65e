"""The README's blocks are valid and run; its tables name what exists."""

import json
import re
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.dispatch import Signal
from django.utils.module_loading import import_string

from django_mcp import signals
from django_mcp.conf import KEYS
from django_mcp.decorators import OPERATION_ATTRIBUTE, TOOL_ATTRIBUTE, OperationOptions, ToolOptions
from django_mcp.host.requests import Context
from django_mcp.management.commands.mcp import Command
from django_mcp.testing import McpClient, Result
from django_mcp.tools.hosted import tool_of
from django_mcp.tools.media import rendered
from django_mcp.types import Caller
from tests.conftest import SERVICES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    matches = re.findall(rf"^( *)```{language}\n(.*?)^ *```", README, re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in matches]


def rows(title):
    table = README.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("text", blocks("json"))
def test_json_blocks_are_json(text):
    assert json.loads(text)


def test_the_install_block_is_python_that_runs():
    install = blocks("python")[0]
    names = {"INSTALLED_APPS": [], "urlpatterns": [], "path": lambda *args: args, "include": str}
    exec(install, names)
    assert names["INSTALLED_APPS"] == ["django_mcp"]
    assert names["urlpatterns"] == [("", "django_mcp.urls")]


def test_the_decorator_block_is_python_that_runs():
    names = {}
    exec(blocks("python")[1], names)
    options = getattr(names["OrderViewSet"], OPERATION_ATTRIBUTE)["create"]
    assert options["summary"](None, {"items": [1, 2], "customer_name": "Sam"}) == "Order 2 items for Sam"


def test_the_context_of_a_tenant_is_python_that_is_fit_for_the_setting():
    (block,) = [block for block in blocks("python") if "EXECUTION_CONTEXT" in block or "tenant_of_path" in block]
    names = {}
    # The project's own modules are made up.
    exec("\n".join(line for line in block.splitlines() if not line.startswith("from shop.")), names)
    seen = []
    names["tenant_scope"] = lambda tenant: nullcontext(seen.append(tenant))
    with names["tenant_of_path"](SimpleNamespace(path_info="/mcp")):
        assert seen == [None]


def defined_by(block):
    names = {}
    exec(block, names)
    return names


def test_the_tool_blocks_declare_tools_that_would_be_registered():
    declarations = [block for block in blocks("python") if "@mcp_tool" in block]
    assert len(declarations) == 3
    for block in declarations:
        (function,) = [value for value in defined_by(block).values() if hasattr(value, TOOL_ATTRIBUTE)]
        assert tool_of(function, getattr(function, TOOL_ATTRIBUTE)).description


def test_the_report_block_returns_content(settings, rf):
    settings.STORAGES = {"default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    default_storage.save("reports/2026-05.pdf", ContentFile(b"%PDF"))
    (block,) = [block for block in blocks("python") if "def monthly_report" in block]
    names = {**defined_by(block), "draw_chart": lambda: b"PNG", "play_jingle": lambda: b"RIFF"}
    returned = FunctionType(names["monthly_report"].__code__, names)(None, {})
    caller = Caller(subject="key:1", user=None)
    result = rendered(returned, Context(outer=rf.get("/"), caller=caller))
    assert result.structured == {"revenue": "1204.50"}
    kinds = ["text", "text", "image", "audio", "resource_link", "resource_link", "resource"]
    assert [block["type"] for block in result.blocks] == kinds


def test_the_testing_block_is_python_that_runs_and_names_what_exists():
    (block,) = [block for block in blocks("python") if "McpClient" in block]
    assert {"mcp", "test_an_order_is_confirmed"} <= set(defined_by(block))
    table = README.split("## Testing your project\n", 1)[1].split("\n## ", 1)[0]
    for name in re.findall(r"`mcp\.(\w+)", table):
        assert hasattr(McpClient, name)
    for name in re.findall(r"`(?:result)?\.(\w+)[`(]", table):
        assert hasattr(Result, name)


def test_every_documented_option_of_a_tool_exists_and_every_option_is_documented():
    assert rows("Tools of your own") == {"group", "name", "safety", *ToolOptions.__annotations__}


def test_every_documented_setting_exists_and_every_setting_is_documented():
    assert rows("Settings") == KEYS


def test_every_documented_option_of_the_decorator_exists_and_every_option_is_documented():
    assert rows("Operations") == set(OperationOptions.__annotations__)


def test_the_throttling_block_names_classes_and_their_rates(settings):
    (block,) = [block for block in blocks("python") if "DEFAULT_THROTTLE_RATES" in block]
    names = defined_by(block)
    settings.REST_FRAMEWORK = names["REST_FRAMEWORK"]
    throttles = [import_string(path)() for path in names["DJANGO_MCP"]["THROTTLE_CLASSES"]]
    assert {throttle.scope: throttle.rate for throttle in throttles} == settings.REST_FRAMEWORK[
        "DEFAULT_THROTTLE_RATES"
    ]


def test_every_signal_is_documented():
    names = {name for name, value in vars(signals).items() if isinstance(value, Signal)}
    assert names
    assert {name for name in names if f"`{name}`" not in README} == set()


def test_every_target_of_make_is_documented():
    targets = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[0].split()
    written = re.findall(r"^\$ make (\w+)", README, re.MULTILINE)
    assert set(written) == set(targets) - {"clean"}


def test_every_variable_of_the_suite_is_documented():
    assert {name for name in SERVICES.values() if f"`{name}`" not in README} == set()


@pytest.mark.parametrize(
    "text", ["mcp writes off|on", "from cron", "`PUBLISH_AS`", "path/to/clone", "issue_for_others"]
)
def test_operators_find_what_they_need(text):
    assert text in README


def test_the_command_line_is_documented_as_it_is():
    written = re.findall(r"^\$ manage\.py mcp (\w+)", README, re.MULTILINE)
    parser = Command().create_parser("manage.py", "mcp")
    (commands,) = [action for action in parser._actions if action.dest == "command"]
    assert set(written) == set(commands.choices)
