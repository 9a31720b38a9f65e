"""The server's settings: one row, one form."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from django_mcp.access import config_changes, server_config
from django_mcp.admin.forms import ServerSettingsForm
from django_mcp.admin.staff import actor
from django_mcp.models import ServerSettings


@admin.register(ServerSettings)
class ServerSettingsAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The one row: its list leads to its form."""

    form = ServerSettingsForm
    change_form_template = "admin/django_mcp/serversettings/change_form.html"
    fieldsets = (
        (
            _("Writes"),
            {
                "fields": ("writes_enabled",),
                "description": _(
                    "Switched off, no agent changes anything: open confirmations are not redeemed either."
                ),
            },
        ),
        (_("Approval"), {"fields": ("approval_mode", "confirmation_expiry")}),
        (_("What clients see"), {"fields": ("server_name", "instructions")}),
    )

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    # For those who may only look: the values that hold, from the row or from the project's settings.
    effective_fieldsets = (
        (_("Writes"), {"fields": ("writes_enabled",)}),
        (_("Approval"), {"fields": ("effective_mode", "effective_expiry")}),
        (_("What clients see"), {"fields": ("effective_name", "effective_instructions")}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        return self.fieldsets if self.has_change_permission(request, obj) else self.effective_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        if self.has_change_permission(request, obj):
            return ()
        return ("effective_mode", "effective_expiry", "effective_name", "effective_instructions")

    @admin.display(description=_("approval mode"))
    def effective_mode(self, row: ServerSettings) -> str | Promise:
        return self._with_source(row.approval_mode, server_config.current().mode.label)

    @admin.display(description=_("confirmation expiry"))
    def effective_expiry(self, row: ServerSettings) -> str | Promise:
        seconds = _("%(count)d seconds") % {"count": server_config.current().expiry}
        return self._with_source(row.confirmation_expiry, seconds)

    @admin.display(description=_("server name"))
    def effective_name(self, row: ServerSettings) -> str | Promise:
        return self._with_source(row.server_name, server_config.current().name)

    @admin.display(description=_("instructions"))
    def effective_instructions(self, row: ServerSettings) -> str | Promise:
        return self._with_source(row.instructions, server_config.current().instructions)

    def _with_source(self, own_value: object, value: str | Promise) -> str | Promise:
        return value if own_value else format_lazy(_("{value} (by the project's settings)"), value=value)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> ServerSettings | None:
        return ServerSettings.load() if object_id == str(ServerSettings.ONLY) else None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        # The form asks for the permission; a list of one row has nothing to show.
        return HttpResponseRedirect(
            reverse(
                "admin:django_mcp_serversettings_change", args=[ServerSettings.ONLY], current_app=self.admin_site.name
            )
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        buttons = {"show_save_and_continue": False, "show_save_and_add_another": False}
        return super().change_view(request, object_id, form_url, {**buttons, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: ServerSettings, form: Any, change: bool) -> None:  # noqa: FBT001
        config_changes.set_settings(by=actor(request), **form.cleaned_data)

    def response_post_save_change(self, request: HttpRequest, obj: ServerSettings) -> HttpResponseRedirect:
        return HttpResponseRedirect(request.path)
