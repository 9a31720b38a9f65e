"""The app's configuration."""

from typing import Any

from django.apps import AppConfig
from django.core.signals import setting_changed
from django.db.models.signals import pre_delete
from django.utils.translation import gettext_lazy as _


class DjangoMcpConfig(AppConfig):
    """Registers the system checks and finds the host's tools."""

    name = "django_mcp"
    label = "django_mcp"
    verbose_name = _("MCP server")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django_mcp import checks
        from django_mcp.access import keys
        from django_mcp.host import outbox, throttles
        from django_mcp.tools import registry

        checks.register_checks()
        # Here all models are loaded, and a declaration with a mistake stops the start.
        registry.hosted_tools()
        throttles.honour_charges()
        outbox.honour_rehearsals()
        pre_delete.connect(keys.record_deletion, self.get_model("APIKey"), dispatch_uid="django_mcp.record_deletion")
        setting_changed.connect(forget_catalog, dispatch_uid="django_mcp.forget_catalog")


# The settings that the catalog is made from. Only tests change them, by `override_settings`.
_READ_BY_CATALOG = frozenset(
    {"DJANGO_MCP", "INSTALLED_APPS", "LANGUAGE_CODE", "REST_FRAMEWORK", "ROOT_URLCONF", "SPECTACULAR_SETTINGS"}
)


def forget_catalog(*, setting: str, **_kwargs: Any) -> None:
    """Forget the catalog, and the tools of apps, after a setting that they are made from was overridden."""
    if setting in _READ_BY_CATALOG:
        from django_mcp.catalog import discovery

        discovery.forget()
    if setting == "INSTALLED_APPS":
        from django_mcp.tools import registry

        registry.hosted_tools.cache_clear()
