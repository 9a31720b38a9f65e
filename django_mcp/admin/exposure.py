"""Tool groups: every group of operations and tools, its members, and whether agents reach them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models, router
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_protect

from django_mcp.access import config_changes, server_config, stamps
from django_mcp.access.exposure import exposes_anything
from django_mcp.access.server_config import Server
from django_mcp.access.stamps import Stale
from django_mcp.admin.forms import GroupForm, GroupModeForm
from django_mcp.admin.staff import actor
from django_mcp.admin.stamped import StampedAdmin, received, refuse
from django_mcp.catalog.discovery import get_catalog
from django_mcp.choices import EventKind
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.text import one_line
from django_mcp.tools.inventory import Offer, OfferedGroup, offered, orphaned


@admin.register(ToolGroup)
class ToolGroupAdmin(StampedAdmin):
    """A page of all groups in place of a list of rows: most groups have no row until someone changes them."""

    form = GroupModeForm
    fields = ("name", "exposed", "publish_as", "approval_mode")
    readonly_fields = ("name", "exposed", "publish_as")

    def shown_values(self, obj: ToolGroup) -> Any:
        return config_changes.shown(obj, config_changes.GROUP_FIELDS)

    def changes_of(self, object_id: str) -> dict[str, Any]:
        return {"kind": EventKind.EXPOSURE_CHANGED}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return super().has_delete_permission(request, obj) and self.has_change_permission(request, obj)

    @method_decorator(csrf_protect)
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        if request.method == "POST" and not self.has_change_permission(request):
            raise PermissionDenied
        # The stamp is of rows that are read first: a change meanwhile makes the form stale, never a stale form true.
        rows = list(ToolGroup.objects.using(router.db_for_write(ToolGroup)))
        server = server_config.current()
        groups = offered(server)
        posted = request.POST if request.method == "POST" else None
        forms = [GroupForm(posted, group=group, number=number) for number, group in enumerate(groups)]
        if posted is not None and all(form.is_valid() for form in forms):
            return self._save(request, groups, forms)
        stamp = received(request) if posted is not None else stamps.stamp(config_changes.shown_groups(rows))
        rules = {rule.name.lower(): rule for rule in ToolRule.objects.all()}
        removable = {row.name: row.pk for row in rows} if self.has_delete_permission(request) else {}
        context = {
            **self.admin_site.each_context(request),
            **self._context(request, server, rules),
            "sections": self._sections(groups, forms, rules, removable),
            "anything_offered": any(group.offers for group in groups),
            "stamp": stamp,
            "errors": any(form.errors for form in forms),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/django_mcp/toolgroup/exposure.html", context)

    def _save(self, request: HttpRequest, groups: Sequence[OfferedGroup], forms: Sequence[GroupForm]) -> HttpResponse:
        changes = {group.name: form.changes() for group, form in zip(groups, forms, strict=True) if form.has_changed()}
        try:
            changed = config_changes.set_groups(changes, by=actor(request), stamp=received(request))
        except Stale as refusal:
            refuse(request, refusal)
            return HttpResponseRedirect(request.path)
        if changed:
            names = ", ".join(one_line(name) for name in changed)
            text = ngettext(
                "%(count)d group was changed: %(names)s.", "%(count)d groups were changed: %(names)s.", len(changed)
            )
            messages.success(request, text % {"count": len(changed), "names": names})
        else:
            messages.info(request, _("Nothing was changed."))
        return HttpResponseRedirect(request.path)

    def _sections(
        self,
        groups: Sequence[OfferedGroup],
        forms: Sequence[GroupForm],
        rules: Mapping[str, ToolRule],
        removable: Mapping[str, int],
    ) -> list[dict[str, Any]]:
        """Return what the page shows of each group. `removable` are the ids of rows that the user may remove, by name."""
        return [
            {
                "number": number,
                "group": group,
                "form": form,
                "mode": group.effective_mode.label,
                "offers": [self._offer_row(offer, rules.get(offer.name.lower())) for offer in group.offers],
                "row": removable.get(group.name) if group.orphaned else None,
            }
            for number, (group, form) in enumerate(zip(groups, forms, strict=True))
        ]

    def _context(self, request: HttpRequest, server: Server, rules: Mapping[str, ToolRule]) -> dict[str, Any]:
        return {
            "title": _("Tool groups"),
            "opts": self.opts,
            "server": server,
            "server_mode": server.mode.label,
            "settings_url": self._settings_url(request),
            "anything_exposed": exposes_anything(server),
            "orphaned_rules": [rule for rule in rules.values() if orphaned(rule)],
            "problems": get_catalog().problems,
            "may_change": self.has_change_permission(request),
        }

    def _settings_url(self, request: HttpRequest) -> str | None:
        if not any(request.user.has_perm(f"django_mcp.{may}_serversettings") for may in ("view", "change")):
            return None
        try:
            return reverse("admin:django_mcp_serversettings_changelist", current_app=self.admin_site.name)
        except NoReverseMatch:
            return None

    def _offer_row(self, offer: Offer, rule: ToolRule | None) -> dict[str, Any]:
        site = self.admin_site.name
        if rule is not None:
            link = reverse("admin:django_mcp_toolrule_change", args=[rule.pk], current_app=site)
        else:
            link = reverse("admin:django_mcp_toolrule_add", query={"name": offer.name}, current_app=site)
        mode = offer.mode.label if offer.mode else _("Runs at once")
        return {"offer": offer, "mode": mode, "rule": rule, "link": link}

    def save_model(self, request: HttpRequest, obj: ToolGroup, form: Any, change: bool) -> None:  # noqa: FBT001
        config_changes.set_group(obj.name, by=actor(request), stamp=received(request), **form.cleaned_data)

    def delete_model(self, request: HttpRequest, obj: ToolGroup) -> None:
        config_changes.delete(obj, by=actor(request), stamp=received(request))
