"""Audit events, to read."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from django_mcp.admin.display import facts, moment_column, outcome, pretty, with_note
from django_mcp.admin.record import RecordAdmin
from django_mcp.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(RecordAdmin):
    """The page of audit events."""

    about = _("What agents and people did, line by line. Nothing here is ever changed.")
    list_display = ("shown_time", "kind", "outcome", "target", "who_and_where")
    list_filter = ("kind", "time")
    sortable_by = ("shown_time",)
    large_fields = ("detail",)
    exact_search = ("target", "username")
    id_search = "confirmation"
    search_help_text = _("The whole name of an operation or a user, or the id of a confirmation.")
    fields = (
        "shown_time", "kind", "outcome", "tool", "target", "who", "caller", "key_label", "address", "client",
        "confirmation_link", "shown_detail",
    )  # fmt: skip
    readonly_fields = fields

    shown_time = moment_column("time", _("time"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        # The two short texts of the outcome: the detail itself may be large and stays in the database.
        rows: QuerySet[AuditEvent] = super().get_queryset(request)
        return rows.annotate(status=KT("detail__status"), code=KT("detail__code"))

    @admin.display(description=_("outcome"))
    def outcome(self, event: Any) -> Any:
        return outcome(event.status, event.code) or "-"

    @admin.display(description=_("who"))
    def who(self, event: AuditEvent) -> str:
        return event.username or "-"

    @admin.display(description=_("caller"))
    def caller(self, event: AuditEvent) -> str:
        return event.subject or "-"

    @admin.display(description=_("who, address"))
    def who_and_where(self, event: AuditEvent) -> str:
        key = "" if event.key_label == event.target else event.key_label
        return with_note(event.username or event.subject or "-", ", ".join(filter(None, (key, event.address))))

    @admin.display(description=_("confirmation"))
    def confirmation_link(self, event: AuditEvent) -> Any:
        if event.confirmation is None:
            return "-"
        try:
            url = reverse(
                "admin:django_mcp_confirmation_change", args=[event.confirmation], current_app=self.admin_site.name
            )
        except NoReverseMatch:
            return str(event.confirmation)
        return format_html('<a href="{}">{}</a>', url, event.confirmation)

    @admin.display(description=_("detail"))
    def shown_detail(self, event: AuditEvent) -> Any:
        return pretty(facts(event))
