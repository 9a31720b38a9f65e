"""A project with 300 operations in one group: fifty viewsets of six operations each, beside the MCP endpoint."""

from itertools import product

from django.urls import include, path
from rest_framework.routers import SimpleRouter
from rest_framework.serializers import ModelSerializer
from rest_framework.viewsets import ModelViewSet

from demo_project.coffee_shop.models import Product
from django_mcp.decorators import mcp_operation

GROUP = "many"
KINDS = ("regional", "seasonal", "archived", "customer-facing", "internal")
THINGS = (
    "invoice", "inventory-adjustment", "delivery", "reservation", "supplier-agreement", "shift", "refund-request",
    "price-list", "loyalty-programme", "stocktake",
)  # fmt: skip


def viewset(kind, thing):
    name = f"{kind} {thing}".replace("-", " ")
    meta = type("Meta", (), {"model": Product, "fields": "__all__", "ref_name": name.title().replace(" ", "")})
    serializer = type("Serializer", (ModelSerializer,), {"Meta": meta})
    return mcp_operation(group=GROUP, when_to_use=f"Work on one {name}, or on several.")(
        type(
            f"{name.title().replace(' ', '')}ViewSet",
            (ModelViewSet,),
            {
                "__module__": __name__,
                "__doc__": f"Every {name} of the company, with its price and whether it is on offer.",
                "queryset": Product.objects.order_by("pk"),
                "serializer_class": serializer,
            },
        )
    )


router = SimpleRouter()
for kind, thing in product(KINDS, THINGS):
    router.register(f"{kind}-{thing}", viewset(kind, thing), f"{kind}-{thing}")
urlpatterns = [path("", include("django_mcp.urls")), path("api/", include(router.urls))]
