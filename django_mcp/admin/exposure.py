"""Tool groups: every group of operations and tools, what is in it, and whether agents reach it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.decorators import method_decorator
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_protect

from django_mcp.access import config_changes, server_config
from django_mcp.access.exposure import exposes_anything
from django_mcp.access.server_config import PublishAs, Server
from django_mcp.admin.display import LABELS, ModeForm, mode_choices
from django_mcp.admin.forms import actor
from django_mcp.catalog.discovery import get_catalog
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.tools.inventory import Offer, OfferedGroup, offered, orphaned
from django_mcp.types import EventKind


class GroupForm(forms.Form):
    """What can be changed of one group. Settings that expose a group have the last word on that."""

    exposed = forms.BooleanField(label=_("Exposed"), required=False)
    approval_mode = forms.ChoiceField(label=_("Approval mode"), required=False)
    publish_as = forms.ChoiceField(label=_("Publish as"), required=False)

    def __init__(self, data: Any = None, *, group: OfferedGroup, number: int) -> None:
        current = group.mode.value if group.mode else ""
        published = PublishAs.API_TOOLS if group.published_by_settings else group.publish_as
        initial = {"exposed": group.exposed, "approval_mode": current, "publish_as": published.value}
        super().__init__(data, auto_id=f"id_{number}_%s", initial=initial)
        self.fields["exposed"].disabled = group.locked
        if group.operation_count:
            self._offer_ways(group)
        else:
            # The host's own tools are tools already.
            del self.fields["publish_as"]
        if group.is_api_tools:
            # What they call has a group of its own, whose mode holds.
            del self.fields["approval_mode"]
            return
        mode = self.fields["approval_mode"]
        assert isinstance(mode, forms.ChoiceField)  # noqa: S101 - declared above
        mode.choices = mode_choices(_("As the server"), current)

    def _offer_ways(self, group: OfferedGroup) -> None:
        """Offer the ways to publish. A row that says the default leaves the word to the settings, where they have one."""
        ways = dict(PublishAs.choices)
        if group.published_by_settings:
            ways[PublishAs.API_TOOLS.value] = format_lazy(
                _("As in the project's settings: {way}"), way=group.publish_as.label
            )
        field = self.fields["publish_as"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = list(ways.items())

    def clean_publish_as(self) -> str:
        # A script that posts the other fields leaves this one as it is.
        return self.cleaned_data["publish_as"] or str(self.initial["publish_as"])


class ToolGroupForm(ModeForm):
    class Meta:
        model = ToolGroup
        fields = ["approval_mode"]


@admin.register(ToolGroup)
class ToolGroupAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The page of all groups takes the place of a list of rows: most groups have no row until someone speaks of them."""

    form = ToolGroupForm
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
        current = server_config.current()
        groups = offered(current)
        bound: tuple[str, GroupForm] | None = None
        if request.method == "POST":
            number, group = self._posted(request, groups)
            form = GroupForm(request.POST, group=group, number=number)
            if form.is_valid():
                return self._save(request, group, number, form)
            bound = (group.name, form)
        context = {
            **self.admin_site.each_context(request),
            **self._context(request, current, groups, bound),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/django_mcp/toolgroup/exposure.html", context)

    def _posted(self, request: HttpRequest, groups: tuple[OfferedGroup, ...]) -> tuple[int, OfferedGroup]:
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
        current: Server,
        groups: tuple[OfferedGroup, ...],
        bound: tuple[str, GroupForm] | None,
    ) -> dict[str, Any]:
        may_change = self.has_change_permission(request)
        rules = {rule.name.lower(): rule for rule in ToolRule.objects.all()}
        rows = dict(ToolGroup.objects.values_list("name", "pk")) if self.has_delete_permission(request) else {}
        sections = []
        for number, group in enumerate(groups):
            form = bound[1] if bound and bound[0] == group.name else GroupForm(group=group, number=number)
            sections.append(
                {
                    "number": number,
                    "group": group,
                    "form": form,
                    "mode": LABELS[group.effective_mode.value],
                    "offers": [self._row(offer, rules) for offer in group.offers],
                    "row": rows.get(group.name) if group.orphaned else None,
                }
            )
        return {
            "title": _("Tool groups"),
            "opts": self.opts,
            "server": current,
            "server_mode": LABELS[current.mode.value],
            "settings_url": self._settings_url(request),
            "sections": sections,
            "anything_offered": any(group.offers for group in groups),
            "anything_exposed": exposes_anything(current),
            "orphaned_rules": [rule for rule in rules.values() if orphaned(rule)],
            "problems": get_catalog().problems,
            "may_change": may_change,
        }

    def _settings_url(self, request: HttpRequest) -> str | None:
        if not any(request.user.has_perm(f"django_mcp.{may}_serversettings") for may in ("view", "change")):
            return None
        try:
            return reverse("admin:django_mcp_serversettings_changelist", current_app=self.admin_site.name)
        except NoReverseMatch:
            return None

    def _row(self, offer: Offer, rules: dict[str, ToolRule]) -> dict[str, Any]:
        rule = rules.get(offer.name.lower())
        site = self.admin_site.name
        if rule is not None:
            link = reverse("admin:django_mcp_toolrule_change", args=[rule.pk], current_app=site)
        else:
            link = reverse("admin:django_mcp_toolrule_add", query={"name": offer.name}, current_app=site)
        return {
            "offer": offer,
            "mode": LABELS[offer.mode.value] if offer.mode else _("Runs at once"),
            "rule": rule,
            "link": link,
        }

    def save_model(self, request: HttpRequest, obj: ToolGroup, form: Any, change: bool) -> None:  # noqa: FBT001
        config_changes.set_group(obj.name, by=actor(request), **form.cleaned_data)

    def delete_model(self, request: HttpRequest, obj: ToolGroup) -> None:
        with transaction.atomic():
            before = {"exposed": obj.exposed, "approval_mode": obj.approval_mode, "publish_as": obj.publish_as}
            config_changes.record(
                EventKind.EXPOSURE_CHANGED, by=actor(request), target=obj.name, before=before, after={}
            )
            super().delete_model(request, obj)
