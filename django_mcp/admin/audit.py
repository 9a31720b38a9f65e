"""The record, to read."""

from typing import Any

from django.contrib import admin
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from django_mcp.admin.record import RecordAdmin, pretty
from django_mcp.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(RecordAdmin):
    """Audit events."""

    list_display = ("time", "kind", "target", "who", "key_label")
    list_filter = ("kind", "time")
    sortable_by = ("time",)
    large_fields = ("detail",)
    exact_search = ("target", "username")
    id_search = "confirmation"
    search_help_text = _("The whole name of an operation or a user, or the id of a confirmation.")
    fields = (
        "time", "kind", "tool", "target", "who", "subject", "key_label", "address", "client",
        "confirmation_link", "shown_detail",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description=_("user"), empty_value="-")
    def who(self, event: AuditEvent) -> str:
        return event.username

    @admin.display(description=_("confirmation"), empty_value="-")
    def confirmation_link(self, event: AuditEvent) -> Any:
        if event.confirmation is None:
            return None
        try:
            url = reverse(
                "admin:django_mcp_confirmation_change", args=[event.confirmation], current_app=self.admin_site.name
            )
        except NoReverseMatch:
            return str(event.confirmation)
        return format_html('<a href="{}">{}</a>', url, event.confirmation)

    @admin.display(description=_("detail"))
    def shown_detail(self, event: AuditEvent) -> Any:
        return pretty(event.detail)
