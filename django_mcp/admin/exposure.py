"""Tool groups: every group of operations and tools, its members, and whether agents reach them."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_protect

from django_mcp.access import config_changes, server_config
from django_mcp.access.exposure import exposes_anything
from django_mcp.access.server_config import Server
from django_mcp.admin.forms import GroupForm, GroupModeForm
from django_mcp.admin.staff import actor
from django_mcp.catalog.discovery import get_catalog
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.tools.inventory import Offer, OfferedGroup, offered, orphaned


@admin.register(ToolGroup)
class ToolGroupAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A page of all groups in place of a list of rows: most groups have no row until someone changes them."""

    form = GroupModeForm
    fields = ("name", "exposed", "publish_as", "approval_mode")
    readonly_fields = ("name", "exposed", "publish_as")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return super().has_delete_permission(request, obj) and self.has_change_permission(request, obj)

    @method_decorator(csrf_protect)
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        server = server_config.current()
        groups = offered(server)
        refused: dict[str, GroupForm] = {}
        if request.method == "POST":
            number, group = self._posted_group(request, groups)
            form = GroupForm(request.POST, group=group, number=number)
            if form.is_valid():
                return self._save(request, group, number, form)
            refused[group.name] = form
        context = {
            **self.admin_site.each_context(request),
            **self._context(request, server, groups, refused),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/django_mcp/toolgroup/exposure.html", context)

    def _posted_group(self, request: HttpRequest, groups: tuple[OfferedGroup, ...]) -> tuple[int, OfferedGroup]:
        """Return the group that a form was sent for, and its number on the page."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        for number, group in enumerate(groups):
            if group.name == request.POST.get("group"):
                return number, group
        raise Http404

    def _save(self, request: HttpRequest, group: OfferedGroup, number: int, form: GroupForm) -> HttpResponse:
        values = dict(form.cleaned_data)
        if group.locked:
            del values["exposed"]
        if config_changes.set_group(group.name, by=actor(request), **values):
            messages.success(request, _("Group “%(name)s” was changed.") % {"name": group.name})
        else:
            messages.info(request, _("Nothing was changed."))
        return HttpResponseRedirect(f"{request.path}#group-{number}")

    def _context(
        self,
        request: HttpRequest,
        server: Server,
        groups: tuple[OfferedGroup, ...],
        refused: Mapping[str, GroupForm],
    ) -> dict[str, Any]:
        """Return the page's context. `refused` has the form of a group that was sent with errors, by its name."""
        rules = {rule.name.lower(): rule for rule in ToolRule.objects.all()}
        rows = dict(ToolGroup.objects.values_list("name", "pk")) if self.has_delete_permission(request) else {}
        sections = [
            {
                "number": number,
                "group": group,
                "form": refused.get(group.name) or GroupForm(group=group, number=number),
                "mode": group.effective_mode.label,
                "offers": [self._offer_row(offer, rules.get(offer.name.lower())) for offer in group.offers],
                "row": rows.get(group.name) if group.orphaned else None,
            }
            for number, group in enumerate(groups)
        ]
        return {
            "title": _("Tool groups"),
            "opts": self.opts,
            "server": server,
            "server_mode": server.mode.label,
            "settings_url": self._settings_url(request),
            "sections": sections,
            "anything_offered": any(group.offers for group in groups),
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
        config_changes.set_group(obj.name, by=actor(request), **form.cleaned_data)

    def delete_model(self, request: HttpRequest, obj: ToolGroup) -> None:
        config_changes.delete(obj, by=actor(request))
