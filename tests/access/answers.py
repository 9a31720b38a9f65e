"""The operations of the coffee shop, and what the API tools answer of them."""

import json

MENU = "GetCoffeeShopMenu"
CREATE = "CreateCoffeeShopOrder"
CANCEL = "CancelCoffeeShopOrder"


def search_names(mcp, **arguments):
    """Return the names of the operations that search finds."""
    return {api["name"] for api in mcp.tool("api_search", {"take": 100, **arguments})["apis"]}


def without_name(answer, name):
    """Return an answer as text without the one part that may differ: the echoed name."""
    return json.dumps(answer).replace(name, "NAME")


def out_of_reach(mcp, name):
    """Return the whole answers of describe and call to a name that the caller does not reach."""
    return (
        without_name(mcp.tool("api_describe", {"names": [name]}), name),
        without_name(mcp.call(name, {}), name),
        without_name(mcp.tool("api_read", {"name": name, "args": {}}), name),
    )
