from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from demo_project.coffee_shop.models import Order


class StatusFilter(BaseFilterBackend):
    """Narrow orders to one status. An unknown one is refused: an empty list would read as "there are none"."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Order], view: APIView) -> QuerySet[Order]:
        status = request.query_params.get("status")
        if status is None:
            return queryset
        if status not in Order.Status.values:
            raise ValidationError({"status": [f"Unknown status. Choose from: {', '.join(Order.Status.values)}."]})
        return queryset.filter(status=status)

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            {
                "name": "status",
                "in": "query",
                "required": False,
                "description": "Only orders in this status.",
                "schema": {"type": "string", "enum": Order.Status.values},
            }
        ]
