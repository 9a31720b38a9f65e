"""The form of a key: who it acts as, and what it is narrowed to."""

from datetime import datetime, time
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.models import Permission
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from django_mcp.admin.authority import may_act_for, may_issue_for
from django_mcp.admin.modes import ModeForm
from django_mcp.inventory import group_names
from django_mcp.models import APIKey


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
