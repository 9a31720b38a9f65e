"""The data: keys, exposure, confirmations and the record."""

from django_mcp.models.audit import AuditEvent
from django_mcp.models.confirmations import Confirmation
from django_mcp.models.exposure import ServerSettings, ToolGroup, ToolRule
from django_mcp.models.keys import APIKey

__all__ = ["APIKey", "AuditEvent", "Confirmation", "ServerSettings", "ToolGroup", "ToolRule"]
