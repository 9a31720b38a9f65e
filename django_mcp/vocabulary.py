"""The former home of names that hosts import; today they come from `django_mcp` and `django_mcp.types`."""

from django_mcp.choices import Safety
from django_mcp.types import Caller

__all__ = ["Caller", "Safety"]
