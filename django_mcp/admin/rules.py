"""Rules: a word on one operation or tool."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from django_mcp.access import config_changes
from django_mcp.admin.display import LABELS, ModeForm, with_note
from django_mcp.admin.forms import actor
from django_mcp.models import ToolRule
from django_mcp.text import nearest
from django_mcp.tools.inventory import named, names, orphaned
from django_mcp.types import EventKind

SAID = ("name", "method", "route", "exposure", "approval_mode", "requires_approval")


class RuleForm(ModeForm):
    """A rule is about an operation or a tool that exists; the method and route come from the catalog."""

    blank_mode = _("As its group")

    class Meta:
        model = ToolRule
        fields = ["name", "exposure", "approval_mode", "requires_approval"]
        help_texts = {
            "name": _("The name of an operation or a tool, as Tool groups lists it."),
            "exposure": _("Whether agents reach it: said here, its group does not matter."),
            # The choice of a blank says it.
            "approval_mode": "",
        }

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        found = named(name)
        if found is None:
            near = nearest(name, names())
            message = _("There is no operation or tool of this name. Did you mean “%(near)s”?")
            if not near:
                message = _("There is no operation or tool of this name.")
            raise forms.ValidationError(message, params={"near": near})
        if ToolRule.objects.filter(name__iexact=found.name).exists():
            raise forms.ValidationError(_("There is a rule for this operation or tool already."))
        return found.name


@admin.register(ToolRule)
class ToolRuleAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rules. Whoever may change groups may change them: a rule speaks louder than a group."""

    form = RuleForm
    change_list_template = "admin/django_mcp/list.html"
    fields = ("name", "method", "route", "exposure", "approval_mode", "requires_approval")
    list_display = ("about", "exposure", "mode", "matches")
    list_filter = ("exposure",)
    show_full_result_count = False
    search_fields = ("name", "route")

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    def _may_change(self, request: HttpRequest) -> bool:
        return request.user.has_perm("django_mcp.change_toolgroup")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may_change(request) or request.user.has_perm("django_mcp.view_toolgroup")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may_change(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may_change(request)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self._may_change(request)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        return ("method", "route") if obj is None else ("name", "method", "route")

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        return tuple(name for name in SAID if obj is not None or name not in {"method", "route"})

    @admin.display(description=_("operation or tool"), ordering="name")
    def about(self, rule: ToolRule) -> Any:
        return with_note(rule.name, f"{rule.method} {rule.route}".strip())

    @admin.display(description=_("approval mode"))
    def mode(self, rule: ToolRule) -> Any:
        said = LABELS.get(rule.approval_mode, rule.approval_mode) or RuleForm.blank_mode
        return with_note(said, _("requires approval") if rule.requires_approval else "")

    @admin.display(description=_("matches"))
    def matches(self, rule: ToolRule) -> str:
        if orphaned(rule):
            return str(_("orphaned: nothing has this name or route"))
        found = named(rule.name)
        exact = found is not None and (found.method, found.route) == (rule.method, rule.route)
        return str(_("yes") if exact else _("in part: name and route have come apart, so it only restricts"))

    def save_model(self, request: HttpRequest, obj: ToolRule, form: Any, change: bool) -> None:  # noqa: FBT001
        before = ToolRule.objects.values(*SAID).get(pk=obj.pk) if change else {}
        found = named(obj.name)
        if found is not None:
            # Whoever saves a rule means what has this name now.
            obj.method, obj.route = found.method, found.route
        after = {name: getattr(obj, name) for name in SAID}
        with transaction.atomic():
            config_changes.record(
                EventKind.EXPOSURE_CHANGED, by=actor(request), target=obj.name, before=before, after=after
            )
            obj.save()

    def delete_model(self, request: HttpRequest, obj: ToolRule) -> None:
        with transaction.atomic():
            before = {name: getattr(obj, name) for name in SAID}
            config_changes.record(
                EventKind.EXPOSURE_CHANGED, by=actor(request), target=obj.name, before=before, after={}
            )
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[ToolRule]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        about = _(
            "A rule speaks of one operation or tool, louder than its group. Tool groups lists them all, with a link to add one."
        )
        return super().changelist_view(request, {"about": about, **(extra_context or {})})

    def response_post_save_add(self, request: HttpRequest, obj: ToolRule) -> HttpResponseRedirect:
        return self._to_exposure()

    def response_post_save_change(self, request: HttpRequest, obj: ToolRule) -> HttpResponseRedirect:
        return self._to_exposure()

    def _to_exposure(self) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse("admin:django_mcp_toolgroup_changelist", current_app=self.admin_site.name))
