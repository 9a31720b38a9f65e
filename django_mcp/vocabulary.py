"""The name that `Safety` had before `from django_mcp import Safety`."""

from django_mcp.types import Safety

__all__ = ["Safety"]
