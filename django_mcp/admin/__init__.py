"""The admin's pages, one module each."""

from django_mcp.admin.audit import AuditEventAdmin
from django_mcp.admin.confirmations import ConfirmationAdmin
from django_mcp.admin.exposure import ToolGroupAdmin
from django_mcp.admin.keys import APIKeyAdmin
from django_mcp.admin.rules import ToolRuleAdmin
from django_mcp.admin.server_settings import ServerSettingsAdmin

__all__ = [
    "APIKeyAdmin",
    "AuditEventAdmin",
    "ConfirmationAdmin",
    "ServerSettingsAdmin",
    "ToolGroupAdmin",
    "ToolRuleAdmin",
]
