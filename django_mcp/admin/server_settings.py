"""The server's settings: one row, one form."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_protect

from django_mcp.access import config_changes, server_config, stamps
from django_mcp.access.stamps import Stale
from django_mcp.admin.display import moment
from django_mcp.admin.forms import ServerSettingsForm, SwitchForm
from django_mcp.admin.staff import actor
from django_mcp.admin.stamped import StampedAdmin, received, refuse
from django_mcp.choices import EventKind
from django_mcp.models import ServerSettings
from django_mcp.text import one_line


@admin.register(ServerSettings)
class ServerSettingsAdmin(StampedAdmin):
    """The one row: its list leads to its form. The switch of all writes is a form of its own above it."""

    form = ServerSettingsForm
    change_form_template = "admin/django_mcp/serversettings/change_form.html"
    fieldsets = (
        (_("Approval"), {"fields": ("approval_mode", "confirmation_expiry")}),
        (_("What clients see"), {"fields": ("server_name", "instructions")}),
    )

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    # For those who may only look: the values that hold, from the row or from the project's settings.
    effective_fieldsets = (
        (_("Approval"), {"fields": ("effective_mode", "effective_expiry")}),
        (_("What clients see"), {"fields": ("effective_name", "effective_instructions")}),
    )

    def shown_values(self, obj: ServerSettings) -> Any:
        return config_changes.shown(obj, config_changes.SETTINGS_FIELDS)

    def changes_of(self, object_id: str) -> dict[str, Any]:
        return {"kind": EventKind.SETTINGS_CHANGED}

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
        return self._with_source(row.server_name, one_line(server_config.current().name))

    @admin.display(description=_("instructions"))
    def effective_instructions(self, row: ServerSettings) -> str | Promise:
        return self._with_source(row.instructions, server_config.current().instructions)

    def _with_source(self, own_value: object, value: str | Promise) -> str | Promise:
        return value if own_value else format_lazy(_("{value} (by the project's settings)"), value=value)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_switch_permission(request)

    def has_switch_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("django_mcp.switch_writes")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.switch_view)
        return [path("writes/", view, name="django_mcp_serversettings_writes"), *super().get_urls()]

    @method_decorator(csrf_protect)
    def switch_view(self, request: HttpRequest) -> HttpResponse:
        """Stop all writes, or let them go on; what a POST says of it is all that it changes."""
        if request.method != "POST":
            return self._to_form()
        if not self.has_switch_permission(request):
            raise PermissionDenied
        form = SwitchForm(request.POST)
        if not form.is_valid():
            messages.error(
                request, _("Nothing was switched: choose on or off, and give a reason of at most 500 characters.")
            )
            return self._to_form()
        enabled = form.cleaned_data["writes"] == "on"
        try:
            switched = config_changes.switch_writes(
                enabled=enabled, by=actor(request), reason=form.cleaned_data["reason"], stamp=received(request)
            )
        except Stale as refusal:
            refuse(request, refusal)
            return self._to_form()
        if not switched:
            messages.info(request, _("Nothing was changed."))
        elif enabled:
            messages.success(request, _("Writes go on from the next request on."))
        else:
            messages.warning(request, _("All writes are stopped from the next request on."))
        return self._to_form()

    def _to_form(self) -> HttpResponseRedirect:
        args = [ServerSettings.ONLY]
        return HttpResponseRedirect(
            reverse("admin:django_mcp_serversettings_change", args=args, current_app=self.admin_site.name)
        )

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> ServerSettings | None:
        return ServerSettings.load() if object_id == str(ServerSettings.ONLY) else None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        # The form asks for the permission; a list of one row has nothing to show.
        return self._to_form()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        extra = {
            "show_save_and_continue": False,
            "show_save_and_add_another": False,
            "switch": self._switch(request),
        }
        return super().change_view(request, object_id, form_url, {**extra, **(extra_context or {})})

    def _switch(self, request: HttpRequest) -> dict[str, Any]:
        """Return the state of the switch as the page shows it, and its form where the user may switch."""
        row = ServerSettings.load()
        return {
            "enabled": row.writes_enabled,
            "time": row.writes_changed_at and moment(row.writes_changed_at),
            "by": one_line(row.writes_changed_by),
            "reason": one_line(row.writes_reason, config_changes.MAX_REASON),
            "form": SwitchForm() if self.has_switch_permission(request) else None,
            "stamp": stamps.stamp(config_changes.shown(row, config_changes.SWITCH_FIELDS)),
        }

    def save_model(self, request: HttpRequest, obj: ServerSettings, form: Any, change: bool) -> None:  # noqa: FBT001
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        config_changes.set_settings(by=actor(request), stamp=received(request), **changes)

    def response_post_save_change(self, request: HttpRequest, obj: ServerSettings) -> HttpResponseRedirect:
        return HttpResponseRedirect(request.path)
