"""The names that hosts import: `from django_mcp import Safety, mcp_operation, mcp_tool, ToolError, ProtocolError`."""

from django_mcp.choices import Safety
from django_mcp.decorators import mcp_operation, mcp_tool
from django_mcp.errors import ProtocolError, ToolError

__all__ = ["ProtocolError", "Safety", "ToolError", "mcp_operation", "mcp_tool"]
