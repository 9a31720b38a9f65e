"""Keys: the page that creates one is the only place that ever shows its secret."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils.cache import patch_cache_control
from django.utils.decorators import method_decorator
from django.utils.text import slugify
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_variables

from django_mcp.access import keys, server_config
from django_mcp.admin.display import MAX_LINE_CHARACTERS, label, moment_column, with_note
from django_mcp.admin.filters import KeyStateFilter, titled
from django_mcp.admin.form_token import FormToken
from django_mcp.admin.forms import KeyForm
from django_mcp.admin.staff import actor, may_issue_for
from django_mcp.admin.stamped import StampedAdmin, received
from django_mcp.choices import ApprovalMode, Safety
from django_mcp.models import APIKey
from django_mcp.text import one_line


@admin.register(APIKey)
class APIKeyAdmin(StampedAdmin):
    """Keys are issued, narrowed and revoked. None is removed here, so that the record's lines go on naming a key."""

    form = KeyForm
    add_form_template = "admin/django_mcp/apikey/add_form.html"
    change_form_template = "admin/django_mcp/apikey/change_form.html"
    list_display = (
        "named", "user", "groups_text", "safety_and_mode", "state", "shown_expiry", "shown_use",
    )  # fmt: skip
    list_filter = (KeyStateFilter, ("highest_safety", titled(admin.ChoicesFieldListFilter, _("safety"))))
    list_select_related = ("user",)
    show_full_result_count = False
    raw_id_fields = ("user",)
    actions = ("revoke_selected",)
    identity = ("user", "prefix", "state", "shown_creation", "shown_use")
    limits = (
        (_("What it reaches"), {"fields": ("groups", "all_groups", "highest_safety", "narrowed", "permissions")}),
        (_("Approval and expiry"), {"fields": ("approval_mode", "expires_at")}),
    )
    # For those who may only look.
    limits_in_words = (
        (_("What it reaches"), {"fields": ("groups_text", "highest_safety", "permissions_text")}),
        (_("Approval and expiry"), {"fields": ("mode", "shown_expiry")}),
    )

    class Media:
        css = {"all": ["django_mcp/admin.css"]}

    def shown_values(self, obj: APIKey) -> Any:
        return None if obj is None else keys.shown(obj)

    def changes_of(self, object_id: str) -> dict[str, Any]:
        return {"key_id": int(object_id) if object_id.isascii() and object_id.isdigit() else 0}

    @admin.display(description=_("name"), ordering="name")
    def named(self, key: APIKey) -> str:
        return with_note(one_line(key.name), f"{key.prefix}…")

    shown_creation = moment_column("created_at", _("created"))
    shown_expiry = moment_column("expires_at", _("expires"), seconds=False, empty=_("never"))
    shown_end = moment_column("revoked_at", _("revoked"))
    shown_use = moment_column("last_used_at", _("last used"), seconds=False, empty=_("never"))

    @admin.display(description=_("approval mode"))
    def mode(self, key: APIKey) -> Any:
        return label(ApprovalMode, key.approval_mode) or KeyForm.blank_mode

    @admin.display(description=_("highest safety, approval"), ordering="highest_safety")
    def safety_and_mode(self, key: APIKey) -> str:
        return with_note(key.get_highest_safety_display(), self.mode(key))

    @admin.display(description=_("permissions"))
    def permissions_text(self, key: APIKey) -> str:
        if key.permissions is None:
            return str(_("not narrowed"))
        return ", ".join(key.permissions) or str(_("narrowed to none"))

    @admin.display(description=_("groups"))
    def groups_text(self, key: APIKey) -> str:
        return (
            str(_("all"))
            if key.all_groups
            else one_line(", ".join(key.groups), MAX_LINE_CHARACTERS) or str(_("none: reaches nothing"))
        )

    @admin.display(description=_("state"))
    def state(self, key: APIKey) -> Any:
        return key.state.label

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return ("name", "prefix", f"user__{get_user_model().USERNAME_FIELD}")

    def get_fieldsets(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        if obj is None:
            return ((None, {"fields": ("name", "user")}), *self.limits)
        limits = self.limits if self.has_change_permission(request, obj) else self.limits_in_words
        end = ("shown_end",) if isinstance(obj, APIKey) and obj.revoked_at is not None else ()
        return ((None, {"fields": ("name", *self.identity, *end)}), *limits)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        if obj is None:
            return ()
        if self.has_change_permission(request, obj):
            return self.identity
        return (*self.identity, "shown_end", "groups_text", "permissions_text", "mode", "shown_expiry")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        return initial if request.user.has_perm("django_mcp.issue_for_others") else {"user": request.user.pk, **initial}

    def get_autocomplete_fields(self, request: HttpRequest) -> tuple[str, ...]:
        # The host's user admin may be missing or have no search, and who may not see users cannot search them.
        if not self.admin_site.is_registered(get_user_model()):
            return ()
        users = self.admin_site.get_model_admin(get_user_model())
        return ("user",) if users.get_search_fields(request) and users.has_view_permission(request) else ()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002
        form = super().get_form(request, obj, change, **kwargs)
        form.staff = request.user  # type: ignore[attr-defined]
        return form

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        if not isinstance(obj, APIKey):
            return allowed
        return allowed and obj.revoked_at is None and may_issue_for(request.user, obj.user)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        # Deleting a user takes its keys along; that is asked from the user's page.
        match = request.resolver_match
        if match is not None and (match.url_name or "").startswith("django_mcp_apikey_"):
            return False
        return super().has_delete_permission(request, obj)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        # Taking power away needs no power: whoever may change keys can stop any of them.
        return super().has_change_permission(request)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.revoke_view)
        return [path("<int:pk>/revoke/", view, name="django_mcp_apikey_revoke"), *super().get_urls()]

    @sensitive_variables("secret")
    def save_model(self, request: HttpRequest, obj: APIKey, form: Any, change: bool) -> None:  # noqa: FBT001
        if change:
            keys.save_limits(obj, by=actor(request), stamp=received(request))
            return
        key, secret = keys.issue(
            name=obj.name,
            user=obj.user,
            groups=obj.groups,
            all_groups=obj.all_groups,
            highest_safety=Safety(obj.highest_safety),
            permissions=obj.permissions,
            mode=ApprovalMode(obj.approval_mode) if obj.approval_mode else None,
            expires_at=obj.expires_at,
            by=actor(request),
        )
        obj.pk, obj.prefix = key.pk, key.prefix
        # For response_add(), which is handed the row alone.
        request.mcp_secret = secret  # type: ignore[attr-defined]

    @sensitive_variables("secret")
    def response_add(self, request: HttpRequest, obj: APIKey, post_url_continue: str | None = None) -> HttpResponse:
        secret = request.mcp_secret  # type: ignore[attr-defined]
        FormToken(request).spend(obj.pk)
        try:
            endpoint = reverse("django_mcp:mcp")
        except NoReverseMatch:
            endpoint = "/mcp"
        context = {
            **self.admin_site.each_context(request),
            "title": _("Key created"),
            "opts": self.opts,
            "key": obj,
            "secret": secret,
            "url": request.build_absolute_uri(endpoint),
            "server_name": slugify(server_config.current().name) or "django",
        }
        response = TemplateResponse(request, "admin/django_mcp/apikey/issued.html", context)
        patch_cache_control(response, no_store=True)
        return response

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None) -> Any:
        token = FormToken(request)
        row = token.row_made()
        if row is not None and self.has_add_permission(request):
            text = _(
                "This key was created already, and its secret is shown once only. "
                "If you did not copy it, revoke the key and create another."
            )
            messages.warning(request, text)
            return HttpResponseRedirect(
                reverse("admin:django_mcp_apikey_change", args=[row], current_app=self.admin_site.name)
            )
        extra = {"show_save_and_continue": False, "show_save_and_add_another": False, "form_token": token}
        return super().add_view(request, form_url, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"may_revoke": self.has_revoke_permission(request), "show_save_and_add_another": False}
        return super().change_view(request, object_id, form_url, {**extra, **(extra_context or {})})

    @admin.action(description=_("Revoke selected keys"), permissions=["revoke"])
    def revoke_selected(self, request: HttpRequest, queryset: models.QuerySet[APIKey]) -> HttpResponse | None:
        return self._revoke(request, list(queryset), confirmed="confirmed" in request.POST)

    @method_decorator(csrf_protect)
    def revoke_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        if not self.has_revoke_permission(request):
            raise PermissionDenied
        chosen = list(APIKey.objects.select_related("user").filter(pk=pk))
        if not chosen:
            raise Http404
        response = self._revoke(request, chosen, confirmed=request.method == "POST")
        return response or HttpResponseRedirect(
            reverse("admin:django_mcp_apikey_changelist", current_app=self.admin_site.name)
        )

    def _revoke(self, request: HttpRequest, chosen: list[APIKey], *, confirmed: bool) -> HttpResponse | None:
        if not confirmed:
            context = {
                **self.admin_site.each_context(request),
                "title": _("Revoke keys"),
                "opts": self.opts,
                "chosen": chosen,
                "as_action": request.method == "POST",
            }
            return TemplateResponse(request, "admin/django_mcp/apikey/revoke.html", context)
        with transaction.atomic():
            revoked = [key for key in chosen if keys.revoke(key, by=actor(request))]
        for key in revoked:
            self.log_change(request, key, gettext("Revoked."))
        done = ngettext("%(count)d key was revoked.", "%(count)d keys were revoked.", len(revoked))
        messages.success(request, done % {"count": len(revoked)})
        return None
