"""The README's blocks are valid and run; its tables name what exists."""

import json
import re
from pathlib import Path

import pytest

from django_mcp.conf import KEYS
from django_mcp.decorators import OPERATION_ATTRIBUTE, OperationOptions

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", README, re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


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
    said = getattr(names["OrderViewSet"], OPERATION_ATTRIBUTE)["create"]
    assert said["summary"](None, {"items": [1, 2], "customer_name": "Sam"}) == "Order 2 items for Sam"


def test_every_documented_setting_exists():
    assert rows("Settings")
    assert rows("Settings") <= KEYS


def test_every_documented_option_of_the_decorator_exists():
    assert rows("Operations")
    assert rows("Operations") <= set(OperationOptions.__annotations__)
