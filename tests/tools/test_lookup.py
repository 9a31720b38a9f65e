"""api_search and api_describe, seen through the endpoint."""

import json

import pytest
from django.test import RequestFactory

from django_mcp.access import server_config
from django_mcp.access.exposure import reach
from django_mcp.choices import Safety
from django_mcp.host.requests import Context
from django_mcp.models import ToolGroup
from django_mcp.tools import api_search
from django_mcp.types import Caller

CREATE = "CreateCoffeeShopOrder"
MENU = "GetCoffeeShopMenu"


def search(mcp, **arguments):
    return mcp.tool("api_search", arguments)


def test_a_search_names_what_matches_best_first(mcp):
    answer = search(mcp, query="place an order")
    assert answer["status"] == "success"
    assert answer["apis"][0]["name"] == CREATE
    assert set(answer["apis"][0]) == {"name", "summary", "tags", "safety", "method", "route"}


def test_without_a_query_everything_is_listed(mcp):
    answer = search(mcp)
    assert answer["count"] == 7
    assert [api["name"] for api in answer["apis"]] == sorted(api["name"] for api in answer["apis"])


def test_what_was_left_out_is_counted_by_tag(mcp):
    answer = search(mcp, take=3)
    assert answer["count"] == 3
    assert "4 more" in answer["next"]
    assert "coffee-shop (4)" in answer["next"]


@pytest.mark.parametrize(("take", "count"), [(0, 1), (-5, 1), (1000, 7), ("2", 2), (None, 7), ("", 7)])
def test_take_is_clamped(mcp, take, count):
    assert search(mcp, take=take)["count"] == count


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"take": "many"}, "take must be"),
        ({"take": [1]}, "take must be"),
        ({"take": float(2**70)}, None),
        ({"query": 5}, "query must be"),
        ({"tag": ["x"]}, "tag must be"),
        ({"safety": "Safe"}, "ReadOnly, Write, Destructive"),
    ],
)
def test_a_wrong_argument_says_what_is_right(mcp, arguments, hint):
    answer = search(mcp, **arguments)
    assert answer["status"] == "success" if hint is None else hint in answer["error"]


def test_a_long_tag_is_read_once_however_many_operations_there_are(mcp, user):
    """A mebibyte of it is folded in milliseconds, but not for each of thousands of operations."""

    class Tag(str):
        __slots__ = ()

        def casefold(self):
            folded.append(self)
            return super().casefold()

    folded = []
    context = Context(
        outer=RequestFactory().post("/mcp"),
        caller=Caller(subject="key:1", user=user, groups=None, highest_safety=Safety.DESTRUCTIVE),
    )
    answer = api_search.search({"tag": Tag("Coffee-Shop")}, reach(context, server_config.current()))
    assert (answer["count"], len(folded)) == (7, 1)


def test_tag_and_safety_narrow(mcp):
    assert {api["safety"] for api in search(mcp, safety="ReadOnly")["apis"]} == {"ReadOnly"}
    assert search(mcp, tag="Coffee-Shop")["count"] == 7
    assert search(mcp, tag="other")["status"] == "no_match"


def test_no_match_says_where_to_look(mcp):
    answer = search(mcp, query="zebra")
    assert answer["status"] == "no_match"
    assert (answer["count"], answer["apis"]) == (0, [])
    assert answer["availableTags"] == ["coffee-shop"]


def test_a_near_name_is_suggested_where_nothing_fits(mcp):
    answer = search(mcp, query="CreateCofeeShopOrder", tag="other")
    assert CREATE in answer["suggestedApis"]


def test_a_description_is_all_that_a_call_needs(mcp):
    api = mcp.tool("api_describe", {"names": [CREATE]})["apis"][0]
    assert api["inputSchema"]["required"] == ["customer_name", "items"]
    assert api["tool"]["name"] == "api_call"
    assert api["tool"]["requiresApproval"] is True
    assert api["tool"]["approval"] == "confirmation_token"
    assert api["preview"] == "PreviewCoffeeShopOrder"
    assert MENU in api["prerequisites"]
    assert api["tool"]["examples"]


def test_names_may_come_as_json_text(mcp):
    assert mcp.tool("api_describe", {"names": f'["{CREATE}", "{MENU}"]'})["count"] == 2


def test_a_read_is_described_as_needing_no_approval(mcp):
    api = mcp.tool("api_describe", {"names": MENU})["apis"][0]
    assert api["tool"]["name"] == "api_read"
    assert api["tool"]["requiresApproval"] is False
    assert api["tool"]["approval"] is None


def test_the_approval_is_that_of_the_moment(mcp):
    ToolGroup.objects.filter(name="coffee-shop").update(approval_mode="reject")
    tool = mcp.tool("api_describe", {"names": CREATE})["apis"][0]["tool"]
    assert (tool["approval"], tool["requiresApproval"]) == ("reject", True)


def test_an_unreachable_name_is_an_entry_of_its_own(mcp):
    answer = mcp.tool("api_describe", {"names": [CREATE, "Nope"]})
    assert answer["count"] == 2
    assert answer["apis"][1] == {"name": "Nope", "error": "Not found or not available to you"}


@pytest.mark.parametrize("names", [None, [], [5], {}, ["x"] * 11])
def test_wrong_names_are_explained(mcp, names):
    assert mcp.tool("api_describe", {"names": names})["code"] == "validation_error"


def test_the_tools_and_a_full_listing_take_little_context(mcp):
    assert len(json.dumps(mcp.rpc("tools/list"))) < 6 * 1024
    assert len(json.dumps(search(mcp))) < 8 * 1024
