"""Pages whose forms say what they were made from: one that is no longer true is refused with who changed what."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from django_mcp.access import stamps
from django_mcp.access.stamps import Stale
from django_mcp.admin.display import moment_text
from django_mcp.admin.lookups import FilterLookups
from django_mcp.models import AuditEvent
from django_mcp.text import one_line

FIELD = "stamp"
MAX_VALUE_CHARACTERS = 60


def received(request: HttpRequest) -> str:
    """Return the stamp that came with a form; the empty one, which is never true, where none did."""
    return request.POST.get(FIELD, "")


def refuse(request: HttpRequest, refusal: Stale) -> None:
    """Tell the person at the admin that nothing was saved, and who changed what since the page was opened."""
    changes = "; ".join(_change(event) for event in refusal.events)
    if not changes:
        changes = _("The record does not say by whom.")
    if refusal.gone:
        text = _("Nothing was saved: this was deleted after the page was opened. %(changes)s")
    else:
        text = _(
            "Nothing was saved: this was changed after the page was opened, and is shown as it is now. %(changes)s"
        )
    messages.error(request, text % {"changes": changes})


def _change(event: AuditEvent) -> str:
    before, after = event.detail.get("before") or {}, event.detail.get("after") or {}
    columns = ", ".join(_columns(before, after))
    who = event.username or event.subject or "-"
    return one_line(f"{who}, {moment_text(event.time)}: {event.target}: {columns or event.get_kind_display()}", 500)


def _columns(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for name in after:
        old, new = (one_line(values.get(name), MAX_VALUE_CHARACTERS) for values in (before, after))
        yield f"{name} {old} → {new}"


class StampedAdmin(FilterLookups, admin.ModelAdmin):  # type: ignore[type-arg]
    """Forms of rows that carry a stamp. Saving and deleting compare it, behind the lock of the row."""

    change_form_template = "admin/django_mcp/change_form.html"
    delete_confirmation_template = "admin/django_mcp/delete.html"

    def shown_values(self, obj: Any) -> Any:
        """Return the values of a row that its form is made from."""
        raise NotImplementedError

    def changes_of(self, object_id: str) -> dict[str, Any]:
        """Return the columns of the events that may tell what became of a row."""
        raise NotImplementedError

    def get_stamp(self, request: HttpRequest, obj: Any) -> str:
        # A form that comes back with errors is no newer than it was.
        return received(request) if request.method == "POST" else stamps.stamp(self.shown_values(obj))

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,  # noqa: FBT001, FBT002
        change: bool = False,  # noqa: FBT001, FBT002
        form_url: str = "",
        obj: models.Model | None = None,
    ) -> HttpResponse:
        context[FIELD] = self.get_stamp(request, obj)
        return super().render_change_form(request, context, add, change, form_url, obj)

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> Any:
        context[FIELD] = self.get_stamp(request, context["object"])
        return super().render_delete_form(request, context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        try:
            self._require_row(request, object_id)
            return super().changeform_view(request, object_id, form_url, extra_context)
        except Stale as refusal:
            return self._refused(request, refusal)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            self._require_row(request, object_id)
            return super().delete_view(request, object_id, extra_context)
        except Stale as refusal:
            return self._refused(request, refusal)

    def _require_row(self, request: HttpRequest, object_id: str | None) -> None:
        if request.method != "POST" or object_id is None or not self.has_change_permission(request):
            return
        row: Any = self.get_object(request, object_id)
        if row is None:
            raise stamps.stale(received(request), gone=True, **self.changes_of(object_id))
        # A key that was revoked meanwhile may no longer be changed; whoever opened its form before is told why.
        if received(request) and not self.has_change_permission(request, row):
            stamps.check(received(request), self.shown_values(row), **self.changes_of(object_id))

    def _refused(self, request: HttpRequest, refusal: Stale) -> HttpResponse:
        refuse(request, refusal)
        if not refusal.gone:
            return HttpResponseRedirect(request.get_full_path())
        return HttpResponseRedirect(
            reverse(f"admin:django_mcp_{self.opts.model_name}_changelist", current_app=self.admin_site.name)
        )
