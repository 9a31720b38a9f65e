"""A listing of 300 operations, which these tests share."""

import re

import pytest
from django.test import override_settings
from django.utils import translation

from django_mcp.catalog.discovery import get_catalog
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.schema import operations as schemas
from django_mcp.schema.portable import portable
from django_mcp.tools import operation_tools
from django_mcp.tools.operation_tools import tool_names
from tests.schema.test_portable import KEYWORDS, keywords
from tests.tools.listing import pages, publish, tools

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@pytest.fixture(scope="module", autouse=True)
def operations():
    """Describe the operations once: a change of settings would forget them."""
    with override_settings(ROOT_URLCONF="tests.benchmarks.many"):
        yield


@pytest.fixture
def many(mcp):
    """Return a client of the operations, which are published as one tool each."""
    ToolGroup.objects.all().delete()
    publish("one_tool_each", group="many")
    return mcp


def test_300_operations_are_listed_in_pages(many):
    listing = pages(many)
    names = [tool["name"] for page in listing for tool in page]
    assert [len(page) for page in listing] == [100, 100, 100]
    assert names == sorted(set(names))
    assert all(NAME.fullmatch(name) for name in names)
    assert pages(many) == listing


def test_a_listing_goes_on_where_tools_came_and_went(many):
    first = many.rpc("tools/list")["result"]
    last = first["tools"][-1]["name"]
    names = tool_names([operation.name for operation in get_catalog().operations], ())
    (hidden,) = (operation for operation, name in names.items() if name == last)
    ToolRule.objects.create(name=hidden, exposure="hidden")
    second = many.rpc("tools/list", {"cursor": first["nextCursor"]})["result"]["tools"]
    assert len(second) == 100
    assert second[0]["name"] > last
    assert many.rpc("tools/list")["result"]["tools"][-1]["name"] == second[0]["name"]


def test_every_listed_schema_is_one_that_strict_clients_take(many):
    publish("both", group="many")
    for tool in tools(many).values():
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            assert isinstance(schema["properties"], dict)
            assert set(keywords(schema)) <= KEYWORDS, tool["name"]


def test_an_operation_of_many_is_called_by_its_shortened_name(many):
    name = next(name for name in tools(many) if name.startswith("archived_supplier_agreement_l"))
    answer = many.tool(name, {})
    assert (answer["status"], answer["api"]) == ("success", "archived_supplier_agreement_list")


def test_a_schema_is_made_portable_once_for_each_language(many, monkeypatch):
    schemas.forget()
    made = []
    monkeypatch.setattr(operation_tools, "portable", lambda schema: made.append(schema) or portable(schema))
    tools(many)
    tools(many)
    assert len(made) == 300
    ToolGroup.objects.update(approval_mode="delegate_to_client")
    tools(many)
    assert len(made) == 300
    with translation.override("de"):
        tools(many)
    assert len(made) == 300 + 300
