"""Rules: what holds for one operation or tool, whatever its group says."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from django_mcp.access import config_changes
from django_mcp.admin.display import label, with_note
from django_mcp.admin.forms import RuleForm
from django_mcp.admin.staff import actor
from django_mcp.admin.stamped import StampedAdmin, received
from django_mcp.choices import ApprovalMode, EventKind
from django_mcp.models import ToolRule
from django_mcp.tools.inventory import named, orphaned


@admin.register(ToolRule)
class ToolRuleAdmin(StampedAdmin):
    """Rules. They take the permission to change groups, over which they go."""

    form = RuleForm
    change_list_template = "admin/django_mcp/list.html"
    fields = config_changes.RULE_FIELDS
    list_display = ("about", "exposure", "mode", "matches")
    list_filter = ("exposure",)
    show_full_result_count = False
    search_fields = ("name", "route")
    # Each is removed on its own page, whose form says what the rule was.
    actions = None

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    def shown_values(self, obj: ToolRule) -> Any:
        return None if obj is None else config_changes.shown(obj, config_changes.RULE_FIELDS)

    def changes_of(self, object_id: str) -> dict[str, Any]:
        return {"kind": EventKind.EXPOSURE_CHANGED}

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
        return tuple(name for name in self.fields if obj is not None or name not in {"method", "route"})

    @admin.display(description=_("operation or tool"), ordering="name")
    def about(self, rule: ToolRule) -> Any:
        return with_note(rule.name, f"{rule.method} {rule.route}".strip())

    @admin.display(description=_("approval mode"))
    def mode(self, rule: ToolRule) -> Any:
        mode = label(ApprovalMode, rule.approval_mode) or RuleForm.blank_mode
        return with_note(mode, _("requires approval") if rule.requires_approval else "")

    @admin.display(description=_("matches"))
    def matches(self, rule: ToolRule) -> str:
        if orphaned(rule):
            return str(_("orphaned: nothing has this name or route"))
        target = named(rule.name)
        exact = target is not None and (target.method, target.route) == (rule.method, rule.route)
        return str(_("yes") if exact else _("in part: name and route have come apart, so it only restricts"))

    def save_model(self, request: HttpRequest, obj: ToolRule, form: Any, change: bool) -> None:  # noqa: FBT001
        target = named(obj.name)
        if target is not None:
            # Whoever saves a rule means the operation that has this name now.
            obj.method, obj.route = target.method, target.route
        config_changes.save_rule(obj, by=actor(request), stamp=received(request))

    def delete_model(self, request: HttpRequest, obj: ToolRule) -> None:
        config_changes.delete(obj, by=actor(request), stamp=received(request))

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
