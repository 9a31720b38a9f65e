"""The form of a key: who it acts as, and what it is narrowed to."""

import secrets
from datetime import datetime, time
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.models import Permission
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from django_mcp.admin.display import ModeForm
from django_mcp.models import APIKey
from django_mcp.tools.inventory import group_names


class ExpiryField(forms.SplitDateTimeField):
    """A date and a time; without a time the key is good until that day ends."""

    widget = AdminSplitDateTime

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # The admin writes "Date:" and "Time:" beside the two, tied to neither.
        for part, name in zip(self.widget.widgets, (_("Expires, date"), _("Expires, time")), strict=True):
            part.attrs["aria-label"] = name

    def compress(self, data_list: Any) -> Any:
        if data_list and data_list[0] and not data_list[1]:
            data_list = (data_list[0], time(23, 59, 59))
        return super().compress(data_list)


class KeyForm(ModeForm):
    """`staff` is who fills it in."""

    staff: ClassVar[Any]
    blank_mode = _("As what it calls")

    groups = forms.MultipleChoiceField(
        label=_("Groups"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What the key reaches, as far as it is exposed and its user may. None: nothing."),
    )
    narrowed = forms.BooleanField(
        label=_("Narrow to permissions"),
        required=False,
        help_text=_("Only operations whose required permissions are known, and all listed below."),
    )
    permissions = forms.CharField(
        label=_("Permissions"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One a line, such as shop.add_order."),
    )
    expires_at = ExpiryField(label=_("Expires"), required=False, help_text=_("Blank: never."))

    class Meta:
        model = APIKey
        fields = [
            "name", "user", "groups", "all_groups", "highest_safety", "permissions", "approval_mode", "expires_at",
        ]  # fmt: skip
        help_texts = {
            "name": _("Whose agent uses it. The record shows this name."),
            "user": _("The key acts as this user, who cannot be changed afterwards."),
            "all_groups": _("Also those that come to be exposed later."),
            "highest_safety": _(
                "ReadOnly: it only reads. Write: it creates and changes too. Destructive: it also deletes."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["permissions"] = "\n".join(self.instance.permissions or [])
        self.initial.setdefault("narrowed", self.instance.permissions is not None)
        field = self.fields.get("groups")
        if isinstance(field, forms.MultipleChoiceField):
            held = [name for name in self.instance.groups if name not in group_names()]
            field.choices = [
                *((name, name) for name in group_names()),
                *((name, _("%(name)s (not in the catalog)") % {"name": name}) for name in held),
            ]

    def clean_user(self) -> Any:
        user = self.cleaned_data["user"]
        if not user.is_active:
            raise forms.ValidationError(_("This user is not active."))
        if not may_act_for(self.staff, user):
            raise forms.ValidationError(
                _("This user has more power than you. Hand out keys only for users with no more power than your own.")
            )
        if not may_issue_for(self.staff, user):
            raise forms.ValidationError(
                _("You may issue keys for yourself only. Keys for others take the permission to issue for others.")
            )
        return user

    def clean_permissions(self) -> list[str]:
        named = sorted(set(self.cleaned_data["permissions"].replace(",", " ").split()))
        wanted = Q(pk__in=[])
        for name in named:
            app, _dot, codename = name.partition(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        found = {
            f"{app}.{codename}"
            for app, codename in Permission.objects.filter(wanted).values_list("content_type__app_label", "codename")
        }
        unknown = [name for name in named if name not in found]
        if unknown:
            raise forms.ValidationError(_("There is no permission “%(name)s”."), params={"name": unknown[0]})
        return named

    def clean_expires_at(self) -> datetime | None:
        expires: datetime | None = self.cleaned_data["expires_at"]
        if expires is not None and "expires_at" in self.changed_data and expires <= timezone.now():
            raise forms.ValidationError(_("This time has passed."))
        return expires

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("narrowed"):
            if cleaned.get("permissions"):
                self.add_error("narrowed", _("Tick this to narrow the key to the permissions below, or clear them."))
            cleaned["permissions"] = None
        return cleaned


FIELD = "once"
SESSION_KEY = "django_mcp_spent_forms"
# Forms that a session remembers as spent; the pages of older ones are long gone.
REMEMBERED = 20
LONGEST = 64


class Once:
    """The one-time word in a form, and what came of the form that carried it.

    What is spent is remembered in the session. What a script sends without a word is taken as it comes.
    """

    def __init__(self, request: HttpRequest) -> None:
        self.session = request.session
        self.sent = request.POST.get(FIELD, "")[:LONGEST]
        self.word = self.sent or secrets.token_urlsafe(16)

    def made(self) -> int | None:
        """Return the id of the row that this very form has made, None where it has made none."""
        found: int | None = self.session.get(SESSION_KEY, {}).get(self.sent)
        return found if self.sent else None

    def spend(self, made: int) -> None:
        """Remember what the form has made."""
        if self.sent:
            spent = [*self.session.get(SESSION_KEY, {}).items(), (self.sent, made)]
            self.session[SESSION_KEY] = dict(spent[-REMEMBERED:])


def may_act_for(staff: Any, user: Any) -> bool:
    """Tell whether `user` has no more power than `staff`, so that `staff` may hand out keys that act as `user`.

    An inactive user answers every question about permissions with no, and would have its power back the day it is
    active again; only a superuser may decide about that.
    """
    if getattr(staff, "is_superuser", False):
        return True
    if not user.is_active or getattr(user, "is_superuser", False):
        return False
    if getattr(user, "is_staff", False) and not getattr(staff, "is_staff", False):
        return False
    return set(user.get_all_permissions()) <= set(staff.get_all_permissions())


def may_issue_for(staff: Any, user: Any) -> bool:
    """Tell whether `staff` may issue keys that act as `user`, and change what they are limited to.

    Whoever holds a key that acts as a peer is that peer, in the record too. So it takes a permission of its own to go
    beyond oneself, and then no further than one's own power.
    """
    if staff.pk != user.pk and not staff.has_perm("django_mcp.issue_for_others"):
        return False
    return may_act_for(staff, user)


def actor(request: HttpRequest) -> dict[str, Any]:
    """Return what the record keeps of the person at the admin."""
    user: Any = request.user
    return {
        "subject": f"user:{user.pk}",
        "user_id": str(user.pk),
        "username": user.get_username(),
        "address": request.META.get("REMOTE_ADDR", ""),
    }
