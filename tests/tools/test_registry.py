"""Which tools are found and listed, and in which order."""

import base64

import pytest
from django.core.exceptions import ImproperlyConfigured

from django_mcp.decorators import mcp_tool
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.tools import registry
from tests.schema.test_portable import KEYWORDS, keywords
from tests.tools.declaring import mcp as declared
from tests.tools.listing import pages

API_TOOLS = ["api_search", "api_describe", "api_read", "api_call"]


@pytest.fixture
def desk(declaring, mcp):
    """A client of an exposed group of two host tools."""
    ToolGroup.objects.create(name="desk", exposed=True)
    return mcp


def listed(mcp, **params):
    return [tool["name"] for tool in mcp.rpc("tools/list", params)["result"]["tools"]]


def cursor(text):
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def test_tools_of_installed_apps_are_found_once(declaring):
    assert {"count_stamps", "stamp"} <= registry.hosted_tools().keys()


def test_tools_of_other_apps_are_not(desk, settings):
    settings.INSTALLED_APPS = [name for name in settings.INSTALLED_APPS if name != "tests.tools.declaring"]
    assert "stamp" not in registry.hosted_tools()


def test_order_is_the_api_tools_then_host_tools_then_operations(desk):
    ToolGroup.objects.filter(name="coffee-shop").update(publish_as="both")
    names = listed(desk)
    assert names[:6] == [*API_TOOLS, "count_stamps", "stamp"]
    assert names[6:] == sorted(names[6:])
    assert "CreateCoffeeShopOrder" in names[6:]


def test_api_tools_are_left_out_where_only_host_tools_are_reached(desk):
    ToolGroup.objects.filter(name="coffee-shop").update(exposed=False)
    assert listed(desk) == ["count_stamps", "stamp"]


def test_pages_are_cut_anywhere_without_loss(desk, monkeypatch):
    ToolGroup.objects.filter(name="coffee-shop").update(publish_as="both")
    whole = listed(desk)
    # The API tools are on the first page always.
    monkeypatch.setattr(registry, "PAGE_SIZE", 5)
    assert [tool["name"] for page in pages(desk) for tool in page] == whole


def test_the_last_full_page_has_no_cursor(desk, monkeypatch):
    monkeypatch.setattr(registry, "PAGE_SIZE", len(listed(desk)))
    assert "nextCursor" not in desk.rpc("tools/list")["result"]


def test_a_cursor_behind_everything_is_an_empty_page(desk):
    assert desk.rpc("tools/list", {"cursor": cursor("2zzz")})["result"] == {"tools": []}


@pytest.mark.parametrize(
    "sent", ["abc", cursor("stamp"), cursor("1"), cursor("1ü"), cursor("1stamp") + "=", "\0", "1" * 999]
)
def test_a_cursor_that_was_never_handed_out_is_refused(desk, sent):
    assert desk.rpc("tools/list", {"cursor": sent})["error"]["code"] == -32602


def test_a_change_of_tools_is_never_announced(desk):
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    assert desk.rpc("initialize", params)["result"]["capabilities"] == {"tools": {}}


def test_settings_expose_one_host_tool(declaring, mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOLS": ["stamp"]}
    assert listed(mcp) == ["stamp"]
    assert mcp.rpc("tools/call", {"name": "count_stamps", "arguments": {}})["error"]["code"] == -32602


def test_settings_expose_a_group_of_host_tools(declaring, mcp, settings):
    ToolGroup.objects.all().delete()
    settings.DJANGO_MCP = {"TOOL_GROUPS": ["desk"]}
    assert listed(mcp) == ["count_stamps", "stamp"]


def test_naming_a_hidden_tool_does_not_reach_it(desk, settings):
    ToolRule.objects.create(name="stamp", exposure="hidden")
    settings.DJANGO_MCP = {"TOOLS": ["stamp"]}
    assert "stamp" not in listed(desk)
    assert desk.rpc("tools/call", {"name": "stamp", "arguments": {}})["error"]["code"] == -32602


def test_a_key_reaches_only_the_host_tools_of_its_groups(declaring, make_mcp):
    ToolGroup.objects.create(name="desk", exposed=True)
    assert listed(make_mcp(all_groups=False, groups=["desk"])) == ["count_stamps", "stamp"]
    assert "stamp" not in listed(make_mcp(all_groups=False, groups=["coffee-shop"]))


def test_schemas_from_serializers_are_listed_as_strict_clients_take_them(desk):
    (tool,) = (tool for tool in desk.rpc("tools/list")["result"]["tools"] if tool["name"] == "stamp")
    assert set(keywords(tool["inputSchema"])) <= KEYWORDS
    assert set(keywords(tool["outputSchema"])) <= KEYWORDS
    properties = tool["inputSchema"]["properties"]
    assert properties["times"] == {"type": "integer", "description": "At least 1. At most 9."}
    assert "One of 1, 2." in properties["size"]["description"]


def test_what_is_not_listed_still_holds(desk):
    assert desk.tool("stamp", {"times": 10})["code"] == "validation_error"
    assert desk.tool("stamp", {"times": 9})["status"] == "requires_confirmation"


def test_an_operation_never_takes_the_name_of_a_host_tool(desk, monkeypatch):
    monkeypatch.setattr(declared, "extra", mcp_tool(group="desk", name="GetCoffeeShopMenu")(menu), raising=False)
    registry.hosted_tools.cache_clear()
    ToolGroup.objects.filter(name="coffee-shop").update(publish_as="both")
    names = listed(desk)
    registry.hosted_tools.cache_clear()
    assert names.count("GetCoffeeShopMenu") == 1
    assert any(name.startswith("GetCoffeeShopMenu_") for name in names)


def menu(caller, data):
    """Show a menu of another kind."""


def wrong(caller):
    """Take too little."""


@pytest.mark.parametrize(
    ("function", "options", "problem"),
    [
        (menu, {"name": "stamp"}, "Two MCP tools are called 'stamp'"),
        (menu, {"name": "api_call"}, "Two MCP tools are called 'api_call'"),
        (menu, {"name": "no good"}, "'no good' .* needs a name of 1 to 48 letters"),
        (wrong, {}, "'wrong' .* must take the caller and the arguments"),
    ],
)
def test_a_wrong_declaration_stops_the_start(declaring, monkeypatch, function, options, problem):
    from django.apps import apps

    monkeypatch.setattr(declared, "extra", mcp_tool(group="desk", **options)(function), raising=False)
    registry.hosted_tools.cache_clear()
    with pytest.raises(ImproperlyConfigured, match=problem):
        apps.get_app_config("django_mcp").ready()


def test_a_module_that_cannot_be_imported_stops_the_start(declaring, monkeypatch):
    from django.apps import apps

    def broken(name):
        raise ImportError(name)

    registry.hosted_tools.cache_clear()
    monkeypatch.setattr(registry, "import_module", broken)
    with pytest.raises(ImportError, match=r"\.mcp"):
        apps.get_app_config("django_mcp").ready()
