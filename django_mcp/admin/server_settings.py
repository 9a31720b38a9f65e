"""The server's settings: one row, one form."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from django_mcp.access import config_changes, server_config
from django_mcp.admin.display import LABELS, ModeForm
from django_mcp.admin.forms import actor
from django_mcp.conf import conf
from django_mcp.models import ServerSettings
from django_mcp.types import EventKind


class ServerSettingsForm(ModeForm):
    """A blank leaves the word to the project's settings, whose word is shown beside it."""

    confirmation_expiry = forms.IntegerField(
        label=_("Confirmation expiry"),
        required=False,
        min_value=1,
        max_value=7 * 24 * 60 * 60,
        help_text=_("How long a confirmation token holds, in seconds."),
    )

    class Meta:
        model = ServerSettings
        fields = ["writes_enabled", "approval_mode", "confirmation_expiry", "server_name", "instructions"]
        help_texts = {
            # The section's own sentence says it.
            "writes_enabled": "",
            "approval_mode": _(
                "Confirmation token: a write is previewed, and runs when the identical call comes back with its token. "
                "Run at once: the server does not ask. Reject: no write runs. A group or a rule may say otherwise."
            ),
            "server_name": _("What clients call this server."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.blank_mode = format_lazy(
            _("As in the project's settings: {mode}"), mode=LABELS.get(conf.APPROVAL_MODE, conf.APPROVAL_MODE)
        )
        super().__init__(*args, **kwargs)
        placeholders = {
            "server_name": conf.SERVER_NAME,
            "confirmation_expiry": str(conf.CONFIRMATION_TOKEN_EXPIRY),
            "instructions": conf.INSTRUCTIONS,
        }
        for name in placeholders.keys() & self.fields.keys():
            self.fields[name].widget.attrs["placeholder"] = placeholders[name]


def _said(own: object, value: str | Promise) -> str | Promise:
    return value if own else format_lazy(_("{value} (by the project's settings)"), value=value)


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

    # For those who may only look: what holds, whoever said it.
    effective = (
        (_("Writes"), {"fields": ("writes_enabled",)}),
        (_("Approval"), {"fields": ("effective_mode", "effective_expiry")}),
        (_("What clients see"), {"fields": ("effective_name", "effective_instructions")}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        return self.fieldsets if self.has_change_permission(request, obj) else self.effective

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        if self.has_change_permission(request, obj):
            return ()
        return ("effective_mode", "effective_expiry", "effective_name", "effective_instructions")

    @admin.display(description=_("approval mode"))
    def effective_mode(self, row: ServerSettings) -> Any:
        return _said(row.approval_mode, LABELS[server_config.current().mode.value])

    @admin.display(description=_("confirmation expiry"))
    def effective_expiry(self, row: ServerSettings) -> Any:
        return _said(row.confirmation_expiry, _("%(count)d seconds") % {"count": server_config.current().expiry})

    @admin.display(description=_("server name"))
    def effective_name(self, row: ServerSettings) -> Any:
        return _said(row.server_name, server_config.current().name)

    @admin.display(description=_("instructions"))
    def effective_instructions(self, row: ServerSettings) -> Any:
        return _said(row.instructions, server_config.current().instructions)

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
        before = {name: form.initial.get(name) for name in form.cleaned_data}
        if config_changes.record(
            EventKind.SETTINGS_CHANGED,
            by=actor(request),
            target="server",
            before=before,
            after=form.cleaned_data,
        ):
            obj.save()

    def response_post_save_change(self, request: HttpRequest, obj: ServerSettings) -> HttpResponseRedirect:
        return HttpResponseRedirect(request.path)
