"""Confirmations, to read: the call, its preview, who agreed, and its outcome."""

import json
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_protect

from django_mcp.admin.display import (
    fact_name,
    facts,
    label,
    line_column,
    moment,
    moment_column,
    outcome,
    pretty_column,
    with_note,
)
from django_mcp.admin.filters import ConfirmationStateFilter, titled
from django_mcp.admin.forms import WithdrawalForm
from django_mcp.admin.record import RecordAdmin, uuid_of
from django_mcp.admin.staff import actor
from django_mcp.approval import decisions
from django_mcp.approval.decisions import NotOpen
from django_mcp.choices import State
from django_mcp.errors import Unavailable
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import OPEN_STATES
from django_mcp.text import one_line

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
        (
            None,
            {"fields": ("shown_state", "shown_summary", "shown_tool", "shown_target", "shown_group", "safety", "mode")},
        ),
        (_("Who"), {"fields": ("who", "address", "client", "channel", "shown_decider", "shown_reason")}),
        (_("When"), {"fields": ("shown_issued", "shown_expiry", "shown_claimed", "shown_settled")}),
        (_("What was shown"), {"fields": ("shown_arguments", "shown_preview", "shown_warnings")}),
        (_("What became of it"), {"fields": ("shown_outcome",)}),
    )
    readonly_fields = (
        "shown_state", "shown_summary", "shown_tool", "shown_target", "shown_group", "safety", "mode", "who", "address",
        "client", "channel", "shown_decider", "shown_reason", "shown_issued", "shown_expiry", "shown_claimed", "shown_settled", "shown_arguments",
        "shown_preview", "shown_warnings", "shown_outcome",
    )  # fmt: skip

    shown_issued = moment_column("issued_at", _("issued"))
    shown_expiry = moment_column("expires_at", _("expires"))
    shown_claimed = moment_column("claimed_at", _("confirmed"))
    shown_settled = moment_column("settled_at", _("settled"))
    shown_summary = line_column("summary", _("summary"))
    shown_tool = line_column("tool", _("tool"))
    shown_target = line_column("target", _("operation"))
    shown_group = line_column("group", _("group"))
    shown_decider = line_column("decided_by", _("decided by"))
    shown_reason = line_column("reason", _("reason"))
    shown_arguments = pretty_column("arguments", _("arguments"))
    shown_preview = pretty_column("preview", _("preview"))
    shown_outcome = pretty_column("outcome", _("outcome"))

    @admin.display(description=_("state"))
    def shown_state(self, row: Confirmation) -> Any:
        return label(State, row.shown_state)

    @admin.display(description=_("operation"))
    def call(self, row: Confirmation) -> Any:
        summary = row.summary.removeprefix(row.target).lstrip(" :")
        return with_note(one_line(row.target), one_line(summary, MAX_SUMMARY_CHARACTERS))

    @admin.display(description=_("caller"))
    def who(self, row: Confirmation) -> str:
        names = [str(row.caller[part]) for part in ("username", "key_label") if row.caller.get(part)]
        return one_line(", ".join(names) or row.subject)

    @admin.display(description=_("address"))
    def address(self, row: Confirmation) -> str:
        return one_line(row.caller.get("address") or "-")

    @admin.display(description=_("client"))
    def client(self, row: Confirmation) -> str:
        return one_line(row.caller.get("client") or "-")

    @admin.display(description=_("warnings"))
    def shown_warnings(self, row: Confirmation) -> str:
        return " ".join(map(one_line, row.warnings)) or "-"

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        timeline = self._timeline(object_id) if request.method == "GET" else None
        return super().change_view(request, object_id, form_url, {"timeline": timeline, **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        open_to_user = self.has_withdraw_permission(request) and context["original"].shown_state in OPEN_STATES
        context["withdrawal"] = WithdrawalForm() if open_to_user else None
        return super().render_change_form(request, context, *args, **kwargs)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("django_mcp.change_confirmation")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.withdraw_view)
        # The decision is committed by itself, also where each request is a transaction.
        for alias in connections:
            view = transaction.non_atomic_requests(using=alias)(view)
        return [path("<uuid:jti>/withdraw/", view, name="django_mcp_confirmation_withdraw"), *super().get_urls()]

    @method_decorator(csrf_protect)
    def withdraw_view(self, request: HttpRequest, jti: UUID) -> HttpResponse:
        """Withdraw an open confirmation; a redemption that comes later runs nothing."""
        page = HttpResponseRedirect(
            reverse("admin:django_mcp_confirmation_change", args=[jti], current_app=self.admin_site.name)
        )
        if request.method != "POST":
            return page
        if not self.has_withdraw_permission(request):
            raise PermissionDenied
        form = WithdrawalForm(request.POST)
        if not form.is_valid():
            messages.error(request, _("Nothing was withdrawn: give a reason of at most 500 characters."))
            return page
        try:
            decisions.withdraw(jti, by=actor(request), reason=form.cleaned_data["reason"])
        except NotOpen as refusal:
            state = _("gone") if refusal.state is None else refusal.state.label
            messages.error(
                request, _("Nothing was withdrawn. The confirmation is no longer open: %(state)s.") % {"state": state}
            )
        except Unavailable:
            messages.error(request, _("Nothing is known to be withdrawn: the database did not answer. Try again."))
        else:
            messages.success(request, _("The confirmation was withdrawn. It will never run."))
        return page

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
