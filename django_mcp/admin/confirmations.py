"""Confirmations, to read: the call, its preview, who agreed, and its outcome."""

import json
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from django_mcp.admin.display import fact_name, facts, label, moment, moment_column, outcome, pretty_column, with_note
from django_mcp.admin.filters import ConfirmationStateFilter, titled
from django_mcp.admin.record import RecordAdmin, uuid_of
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.types import State

# The record of one confirmation is short, unless someone replays its token all night.
MAX_TIMELINE_EVENTS = 200
MAX_SUMMARY_CHARACTERS = 120


@admin.register(Confirmation)
class ConfirmationAdmin(RecordAdmin):
    """The page of confirmations."""

    about = _("Each write that an agent proposed or made: what was shown, who agreed, and what became of it.")
    list_display = ("shown_issued", "call", "shown_state", "who")
    list_filter = (
        ConfirmationStateFilter,
        "safety",
        ("mode", titled(admin.ChoicesFieldListFilter, _("approval mode"))),
        ("channel", titled(admin.ChoicesFieldListFilter, _("who confirmed"))),
        ("issued_at", titled(admin.DateFieldListFilter, _("time issued"))),
    )
    sortable_by = ("shown_issued",)
    large_fields = ("arguments", "preview", "outcome", "effective", "argument_digests")
    exact_search = ("target", "subject")
    id_search = "jti"
    search_help_text = _("The whole name of an operation, a caller such as key:7, or the id of a confirmation.")
    change_form_template = "admin/django_mcp/confirmation/change_form.html"
    fieldsets = (
        (None, {"fields": ("shown_state", "summary", "tool", "target", "group", "safety", "mode")}),
        (_("Who"), {"fields": ("who", "address", "client", "channel", "decided_by")}),
        (_("When"), {"fields": ("shown_issued", "shown_expiry", "shown_claimed", "shown_settled")}),
        (_("What was shown"), {"fields": ("shown_arguments", "shown_preview", "shown_warnings")}),
        (_("What became of it"), {"fields": ("shown_outcome",)}),
    )
    readonly_fields = (
        "shown_state", "summary", "tool", "target", "group", "safety", "mode", "who", "address", "client", "channel",
        "decided_by", "shown_issued", "shown_expiry", "shown_claimed", "shown_settled", "shown_arguments",
        "shown_preview", "shown_warnings", "shown_outcome",
    )  # fmt: skip

    shown_issued = moment_column("issued_at", _("issued"))
    shown_expiry = moment_column("expires_at", _("expires"))
    shown_claimed = moment_column("claimed_at", _("confirmed"))
    shown_settled = moment_column("settled_at", _("settled"))
    shown_arguments = pretty_column("arguments", _("arguments"))
    shown_preview = pretty_column("preview", _("preview"))
    shown_outcome = pretty_column("outcome", _("outcome"))

    @admin.display(description=_("state"))
    def shown_state(self, row: Confirmation) -> Any:
        return label(State, row.shown_state)

    @admin.display(description=_("operation"))
    def call(self, row: Confirmation) -> Any:
        summary = row.summary[:MAX_SUMMARY_CHARACTERS].removeprefix(row.target).lstrip(" :")
        return with_note(row.target, summary)

    @admin.display(description=_("caller"))
    def who(self, row: Confirmation) -> str:
        names = [str(row.caller[part]) for part in ("username", "key_label") if row.caller.get(part)]
        return ", ".join(names) or row.subject

    @admin.display(description=_("address"))
    def address(self, row: Confirmation) -> str:
        return str(row.caller.get("address") or "-")

    @admin.display(description=_("client"))
    def client(self, row: Confirmation) -> str:
        return str(row.caller.get("client") or "-")

    @admin.display(description=_("warnings"))
    def shown_warnings(self, row: Confirmation) -> str:
        return " ".join(map(str, row.warnings)) or "-"

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        timeline = self._timeline(object_id) if request.method == "GET" else None
        return super().change_view(request, object_id, form_url, {"timeline": timeline, **(extra_context or {})})

    def _timeline(self, jti: str) -> list[dict[str, Any]]:
        identifier = uuid_of(jti)
        events = AuditEvent.objects.filter(confirmation=identifier) if identifier else AuditEvent.objects.none()
        return [
            {
                "event": event,
                "time": moment(event.time),
                "outcome": outcome(event.detail.get("status"), event.detail.get("code")),
                "who": event.username or event.subject,
                "facts": [(fact_name(name), self._fact_text(value)) for name, value in facts(event).items()],
            }
            for event in events.order_by("time", "id")[:MAX_TIMELINE_EVENTS]
        ]

    def _fact_text(self, value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
