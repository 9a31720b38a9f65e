"""What each client that can call tools does in the shop. It runs in any Python that a client needs, with nothing else."""

import json
import os

URL = os.environ["MCP_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['MCP_KEY']}"}
TOOLS = {"api_search", "api_describe", "api_read", "api_call"}


class Failure(Exception):
    """The server answered otherwise than it should."""


def expect(fine, what, said):
    if not fine:
        raise Failure(f"{what}: {json.dumps(said, default=str)[:500]}")


async def visit(list_names, call):
    """List the tools, read the menu, place an order that is confirmed, and try its token again.

    `list_names` is an async function that returns the tools' names; `call` one that takes a tool's name and arguments
    and returns the text of the result's first block.
    """

    async def answer(tool, **arguments):
        return json.loads(await call(tool, arguments))

    names = await list_names()
    expect(set(names) >= TOOLS, "tools", names)
    menu = await answer("api_read", name="GetCoffeeShopMenu", args={"search": "latte"})
    expect(menu["status"] == "success", "menu", menu)
    product = menu["response"]["results"][0]
    order = {
        "name": "CreateCoffeeShopOrder",
        "args": {
            "customer_name": os.environ["MCP_CUSTOMER"],
            "items": [{"product_id": product["id"], "size": product["sizes"][0]["size"], "quantity": 1}],
        },
    }
    proposal = await answer("api_call", **order)
    expect(proposal["status"] == "requires_confirmation", "proposal", proposal)
    token = proposal["confirmationToken"]
    placed = await answer("api_call", **order, confirmationToken=token)
    expect(placed["status"] == "success", "order", placed)
    again = await answer("api_call", **order, confirmationToken=token)
    expect(again["code"] == "confirmation_used", "second use", again)
