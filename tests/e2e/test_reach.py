"""Hidden, forbidden and non-existent look alike, wherever an operation could show."""

import json

import pytest

from tests.e2e.server import Backend, shop

CANCEL = "CancelCoffeeShopOrder"
MISSING = "QuasarNebulaPulsars00"  # as long as CANCEL, and like no word of the catalog


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory):
    with shop(Backend("sqlite:///"), tmp_path_factory.mktemp("reach"), workers=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def port_without(open_shop):
    """A server on the same stores in whose catalog the operation does not exist."""
    server = open_shop.start(SHOP_EXCLUDES=CANCEL)
    yield server.port
    server.stop()


@pytest.fixture(params=["hidden", "forbidden by its safety", "forbidden by its group"])
def key(request, open_shop):
    """A key for whom cancelling is out of reach, for one reason or another."""
    if request.param == "forbidden by its safety":
        yield open_shop.inside.issue_key(user="sam", highest_safety="Write")
    elif request.param == "forbidden by its group":
        yield open_shop.inside.issue_key(user="sam", groups=["another group"])
    else:
        open_shop.inside.rule(name=CANCEL, exposure="hidden")
        yield open_shop.keys["sam"]
        open_shop.inside.unrule(name=CANCEL)


@pytest.fixture
def agent(open_shop, key):
    return open_shop.client(key=key)


@pytest.fixture
def elsewhere(open_shop, key, port_without):
    """The same caller where the operation does not exist."""
    return open_shop.client(key=key, port=port_without)


def echo(answer, name):
    return answer.body.replace(name.encode(), b"<name>")


@pytest.mark.parametrize("tool", ["api_call", "api_read"])
@pytest.mark.parametrize(
    "args", [{}, {"id": 1001}, {"unknown": 1}], ids=["no arguments", "arguments", "wrong arguments"]
)
def test_calling_it_is_like_calling_nothing(agent, tool, args):
    unreachable, missing = (agent.tool(tool, {"name": name, "args": args}, request_id=1) for name in (CANCEL, MISSING))
    assert echo(unreachable, CANCEL) == echo(missing, MISSING)


def test_the_call_says_that_it_is_not_found(open_shop, agent):
    answer = agent.call(CANCEL, {"id": 1001})
    if answer.status == 200 and "result" in answer.json:
        assert answer.code == "not_found"
        assert answer.structured["error"] == "Not found or not available to you."
    else:  # the API tools are not listed for a key without any operation
        assert answer.json["error"]["code"] == -32602


@pytest.mark.parametrize("token", ["yes", "mcp_cf_a.b.c"])
def test_a_token_does_not_tell_them_apart(agent, token):
    unreachable, missing = (agent.call(name, {"id": 1001}, token, request_id=1) for name in (CANCEL, MISSING))
    assert echo(unreachable, CANCEL) == echo(missing, MISSING)


def test_describing_it_is_like_describing_nothing(agent):
    unreachable, missing = (agent.tool("api_describe", {"names": [name]}, request_id=1) for name in (CANCEL, MISSING))
    assert echo(unreachable, CANCEL) == echo(missing, MISSING)


QUERIES = ["cancel", "cancle", CANCEL, "cancel order", "delete", "coffee shop orders", "orders", ""]


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_searching_for_it_finds_what_a_catalog_without_it_has(agent, elsewhere, query):
    with_it, without_it = (caller.tool("api_search", {"query": query}, request_id=1) for caller in (agent, elsewhere))
    assert with_it.body == without_it.body
    assert CANCEL.encode() not in with_it.body.replace(json.dumps(query).encode(), b"")


def test_searching_by_its_safety_finds_what_a_catalog_without_it_has(agent, elsewhere):
    with_it, without_it = (
        caller.tool("api_search", {"safety": "Destructive"}, request_id=1) for caller in (agent, elsewhere)
    )
    assert with_it.body == without_it.body


def test_what_leads_to_it_does_not_name_it(agent, elsewhere):
    names = {"names": ["CreateCoffeeShopOrder", "GetCoffeeShopOrder", "ListCoffeeShopOrders"]}
    with_it, without_it = (caller.tool("api_describe", names, request_id=1) for caller in (agent, elsewhere))
    assert with_it.body == without_it.body
    assert CANCEL.encode() not in with_it.body


def test_a_near_name_does_not_suggest_it(agent, elsewhere):
    with_it, without_it = (
        caller.call("CancelCoffeeShopOrders", {"id": 1001}, request_id=1) for caller in (agent, elsewhere)
    )
    assert with_it.body == without_it.body
    assert b"CancelCoffeeShopOrder" not in with_it.body.replace(b"CancelCoffeeShopOrders", b"")


def test_the_tools_are_those_of_a_catalog_without_it(agent, elsewhere):
    assert agent.rpc("tools/list", request_id=1).body == elsewhere.rpc("tools/list", request_id=1).body


def test_somebody_elses_order_is_like_no_order(open_shop):
    sam = open_shop.client("sam")
    others, none = (sam.read("GetCoffeeShopOrder", id=number) for number in (1001, 9001))
    assert others.code == none.code == "not_found"
    assert others.body.replace(b"1001", b"9001").partition(b'"result"')[2] == none.body.partition(b'"result"')[2]


def test_somebody_elses_order_cannot_be_proposed_for_cancelling(open_shop):
    assert open_shop.client("sam").call(CANCEL, {"id": 1041}).code == "not_found"


def test_nothing_exposed_answers_404(open_shop):
    open_shop.inside.manage(arguments=["mcp", "hide", "coffee-shop"])
    try:
        assert open_shop.client("sam").rpc("tools/list").status == 404
    finally:
        open_shop.inside.manage(arguments=["mcp", "expose", "coffee-shop"])
    assert open_shop.client("sam").rpc("tools/list").status == 200


def test_a_revoked_key_is_refused_at_once(open_shop):
    key = open_shop.inside.issue_key(user="sam")
    client = open_shop.client(key=key)
    assert client.rpc("tools/list").status == 200
    open_shop.inside.revoke(secret=key)
    assert client.rpc("tools/list").status == 401


def test_a_key_made_on_the_command_line_works(open_shop):
    command = ["mcp", "key", "create", "agent", "--user", "kim", "--group", "coffee-shop", "--max-safety", "Write"]
    key = open_shop.inside.manage(arguments=command).strip()
    assert key.startswith("ak-")
    client = open_shop.client(key=key)
    assert client.read("GetCoffeeShopOrder", id=1001).structured["response"]["id"] == 1001
    assert client.call(CANCEL, {"id": 1001}).code == "not_found"
