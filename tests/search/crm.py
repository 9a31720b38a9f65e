"""The operations of a small CRM, and short ways to search them."""

from django_mcp.choices import Safety
from django_mcp.search.index import SearchIndex
from django_mcp.types import Operation

METHODS = {
    "list": ("GET", Safety.READ_ONLY),
    "retrieve": ("GET", Safety.READ_ONLY),
    "create": ("POST", Safety.WRITE),
    "update": ("PUT", Safety.WRITE),
    "partial_update": ("PATCH", Safety.WRITE),
    "destroy": ("DELETE", Safety.DESTRUCTIVE),
}


def operation(name, handler="list", **attributes):
    method, safety = METHODS.get(handler, ("POST", Safety.WRITE))
    attributes = {"route": f"/api/{name.lower()}/", "group": "", "safety": safety, **attributes}
    return Operation(
        name=name,
        method=method,
        requires_approval=safety is not Safety.READ_ONLY,
        callback=print,
        view_class=object,
        handler=handler,
        **attributes,
    )


def viewset(noun, group="", **attributes):
    """Return the six operations of a viewset."""
    route = f"/api/{noun}s/"
    return [operation(f"{noun}_{handler}", handler, route=route, group=group, **attributes) for handler in METHODS]


CRM = [
    *viewset("contact", "crm", description="A person who works at the company."),
    *viewset("company", "crm", description="The organisation."),
    *viewset("invoice", "billing", description="The invoices that a company was sent."),
    *viewset("invoice_line", "billing", description="One line of an invoice."),
    *viewset("theme", "look", description="The colours of the user interface."),
    operation("CreateCoffeeShopOrder", "create", group="coffee-shop", tags=("shop",), summary="Place an order"),
    operation("GetCoffeeShopMenu", "list", group="coffee-shop", summary="The menu"),
    operation("CancelCoffeeShopOrder", "destroy", group="coffee-shop", summary="Cancel an order"),
]


def names(query, operations=CRM, **options):
    return [hit.operation.name for hit in SearchIndex(operations, **options).search(query)]


def first(query, operations=CRM, **options):
    return names(query, operations, **options)[0]


def weak(query, operations=CRM):
    """Return whether each hit is weak, by name."""
    return {hit.operation.name: hit.weak for hit in SearchIndex(operations).search(query)}
