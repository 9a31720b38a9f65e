"""The former home of names that hosts import; today they come from `django_mcp` and `django_mcp.types`."""

from django_mcp.types import Caller, Safety

__all__ = ["Caller", "Safety"]
