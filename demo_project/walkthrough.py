"""The two-phase order, step by step over real HTTP. Each step checks the answer that it prints."""

import json
from collections.abc import Callable
from typing import Any

from demo_project.mcp_client import PROTOCOL_VERSION, McpClient, UnexpectedAnswerError

ORDER = {
    "customer_name": "Sam",
    "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}],
}
CREATE = "CreateCoffeeShopOrder"


class Walkthrough:
    def __init__(self, client: McpClient, say: Callable[[str], None]) -> None:
        self.client = client
        self.say = say
        self.number = 0

    def play(self) -> None:
        self.connect()
        self.discover()
        self.read_menu()
        token = self.propose()
        self.redeem(token)
        self.replay(token)
        self.change()
        self.count_orders()

    def connect(self) -> None:
        self._step("The client connects: initialize, tools/list")
        server = self.client.request(
            "initialize",
            protocolVersion=PROTOCOL_VERSION,
            capabilities={},
            clientInfo={"name": "walk-through", "version": "1"},
        )
        self.client.notify("notifications/initialized")
        info = server["serverInfo"]
        self.say(f"   server: {info['name']} {info['version']}, MCP {server['protocolVersion']}")
        names = [tool["name"] for tool in self.client.request("tools/list")["tools"]]
        self._check({"api_search", "api_describe", "api_call", "api_read"} <= set(names), names)
        self.say(f"   tools found: {', '.join(names)}")

    def discover(self) -> None:
        self._step("The agent looks for what it needs: api_search, api_describe")
        answer = self.client.call("api_search", query="order a coffee")
        hits = {api["name"]: api for api in answer.get("apis", [])}
        self._check(CREATE in hits, answer)
        self.say(f"   api_search “order a coffee”: {len(hits)} hits, among them")
        self.say(f"   {CREATE} ({hits[CREATE]['safety']}): {hits[CREATE]['method']} {hits[CREATE]['route']}")
        described = self.client.call("api_describe", names=[CREATE])["apis"][0]
        self._check(described["tool"]["requiresApproval"] is True, described)
        fields = ", ".join(described["inputSchema"]["properties"])
        self.say(f"   api_describe: takes {fields}; requires approval")

    def read_menu(self) -> None:
        self._step("A read runs at once: api_read GetCoffeeShopMenu")
        menu = self.client.call("api_read", name="GetCoffeeShopMenu", args={"search": "latte"})
        self._check(menu["status"] == "success", menu)
        for product in menu["response"]["results"]:
            prices = ", ".join(f"{size['size']} {size['price']}" for size in product["sizes"])
            self.say(f"   {product['id']}  {product['name']}: {prices}")

    def propose(self) -> str:
        self._step(f"A write does not: api_call {CREATE}")
        proposal = self._create(ORDER)
        self._check(proposal["status"] == "requires_confirmation", proposal)
        token = proposal["confirmationToken"]
        self.say(f"   status: {proposal['status']}")
        self.say(f"   summary: {proposal['summary']}")
        self.say(f"   confirmationToken: {token[:12]}… ({len(token)} characters, {proposal['expiresInSeconds']} s)")
        return token

    def redeem(self, token: str) -> None:
        self._step("The same call with the token runs, once")
        done = self._create(ORDER, token)
        self._check(done["status"] == "success", done)
        order = done["response"]
        self._check((order["id"], order["total"]) == (1042, "11.00"), order)
        self.say(f"   HTTP {done['httpStatus']}: order {order['id']} for {order['customer_name']}, {order['total']}")

    def replay(self, token: str) -> None:
        self._step("The token is spent: the same call again is refused, and told what became of the first")
        refused = self._create(ORDER, token)
        self._check(refused.get("code") == "confirmation_used", refused)
        self._check("already been used" in refused["error"], refused)
        outcome = refused["outcome"]
        self._check(outcome["status"] == "succeeded", refused)
        self.say(f"   {refused['code']}: {refused['error']}")
        self.say(f"   outcome: {outcome['status']}, HTTP {outcome['httpStatus']}, order {outcome['response']['id']}")

    def change(self) -> None:
        self._step("What runs is what was shown: a changed quantity is refused")
        proposal = self._create(ORDER)
        self._check(proposal["status"] == "requires_confirmation", proposal)
        self.say("   a fresh proposal of the same order, with a token of its own, is confirmed with 20 instead of 2:")
        changed = {**ORDER, "items": [{**ORDER["items"][0], "quantity": 20}]}
        refused = self._create(changed, proposal["confirmationToken"])
        self._check(refused.get("code") == "arguments_changed", refused)
        self._check(refused["changed"] == ["items[0].quantity"], refused)
        self.say(f"   {refused['code']}: {refused['error']}")
        self.say(f"   changed: {', '.join(refused['changed'])}")

    def count_orders(self) -> None:
        self._step("In the end there is one order: api_read ListCoffeeShopOrders")
        orders = self.client.call("api_read", name="ListCoffeeShopOrders", args={})
        self._check(orders["status"] == "success", orders)
        numbers = [order["id"] for order in orders["response"]["results"]]
        self._check(numbers == [1042], orders)
        self.say(f"   orders of Sam's: {numbers}")

    def _create(self, order: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        extra = {"confirmationToken": token} if token else {}
        return self.client.call("api_call", name=CREATE, args=order, **extra)

    def _step(self, title: str) -> None:
        self.number += 1
        self.say(f"\n{self.number}. {title}")

    def _check(self, holds: bool, answer: Any) -> None:  # noqa: FBT001
        if not holds:
            msg = f"Step {self.number} was not answered as it should be: {json.dumps(answer)[:1000]}"
            raise UnexpectedAnswerError(msg)
