"""What is compared: the same work over plain REST and over MCP."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.project import Project

ORDER = {"customer_name": "Kim", "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": []}]}
PLACE = "CreateCoffeeShopOrder"
TOKEN = re.compile(rb"mcp_cf_[\w.-]+")


@dataclass(frozen=True)
class Scenario:
    """`budget` and `goal` are ratios of processor time, MCP to REST; None where none was set."""

    name: str
    rest: Callable[[], Any]
    mcp: Callable[[], Any]
    budget: float | None = None
    goal: float | None = None
    settings: Mapping[str, Any] = field(default_factory=lambda: {"approval_mode": ""})


def scenarios(project: Project) -> list[Scenario]:
    def rest_list() -> Any:
        return project.rest("GET", "/plain/", "limit=10")

    def rest_create() -> Any:
        return project.rest("POST", "/plain/", data=ORDER)

    def propose_and_confirm() -> Any:
        token = TOKEN.search(project.tool("api_call", name=PLACE, args=ORDER))
        return project.tool("api_call", name=PLACE, args=ORDER, confirmationToken=token[0].decode())

    return [
        Scenario(
            "list 10 rows, api_read",
            rest_list,
            lambda: project.tool("api_read", name="ListCoffeeShopOrders", args={"limit": 10}),
            budget=1.20,
            goal=0.88,
        ),
        Scenario(
            "list 10 rows, api_call",
            rest_list,
            lambda: project.tool("api_call", name="ListCoffeeShopOrders", args={"limit": 10}),
            budget=1.20,
            goal=0.88,
        ),
        Scenario(
            "retrieve one",
            lambda: project.rest("GET", "/plain/1001/"),
            lambda: project.tool("api_read", name="GetCoffeeShopOrder", args={"id": 1001}),
            budget=1.25,
            goal=0.83,
        ),
        Scenario(
            "create, delegate_to_client",
            rest_create,
            lambda: project.tool("api_call", name=PLACE, args=ORDER),
            budget=1.30,
            goal=0.75,
            settings={"approval_mode": "delegate_to_client"},
        ),
        Scenario("propose + confirm / one create", rest_create, propose_and_confirm, budget=2.6, goal=1.65),
        Scenario("tools/list / list 10 rows", rest_list, lambda: project.post("tools/list", {}), budget=0.8, goal=0.30),
        Scenario(
            "api_search / list 10 rows", rest_list, lambda: project.tool("api_search", query="place a coffee order")
        ),
        Scenario("api_describe / list 10 rows", rest_list, lambda: project.tool("api_describe", names=[PLACE])),
    ]
