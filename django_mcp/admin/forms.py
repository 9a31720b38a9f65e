"""The forms of the admin's pages."""

from datetime import datetime, time
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.models import Permission
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from django_mcp.access import config_changes
from django_mcp.access.server_config import PublishAs
from django_mcp.admin.display import label
from django_mcp.admin.staff import may_act_for, may_issue_for
from django_mcp.choices import ApprovalMode
from django_mcp.conf import OFFERED_MODES, conf
from django_mcp.models import APIKey, ServerSettings, ToolGroup, ToolRule
from django_mcp.text import nearest
from django_mcp.tools.inventory import OfferedGroup, group_names, named, names


def mode_choices(blank: str | Promise, current: str = "") -> list[tuple[str, str | Promise]]:
    """Return the modes on offer, the one that a row holds already, and a blank that is labelled `blank`."""
    offered = {*OFFERED_MODES, current}
    return [("", blank), *((value, label) for value, label in ApprovalMode.choices if value in offered)]


class ModeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form of a row with an approval mode; `blank_mode` says what a blank means."""

    blank_mode: str | Promise = _("As the server")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("approval_mode")
        if isinstance(field, forms.ChoiceField):
            field.choices = mode_choices(self.blank_mode, self.instance.approval_mode)


class ServerSettingsForm(ModeForm):
    """The form of the one row. A blank value is the project's settings' to give, and shows theirs."""

    confirmation_expiry = forms.IntegerField(
        label=_("Confirmation expiry"),
        required=False,
        min_value=1,
        max_value=7 * 24 * 60 * 60,
        help_text=_("How long a confirmation token holds, in seconds."),
    )

    class Meta:
        model = ServerSettings
        fields = ["approval_mode", "confirmation_expiry", "server_name", "instructions"]
        help_texts = {
            "approval_mode": _(
                "Confirmation token: a write is previewed, and runs when the identical call comes back with its token. "
                "Run at once: the server does not ask. Reject: no write runs. A group or a rule may say otherwise."
            ),
            "server_name": _("What clients call this server."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.blank_mode = format_lazy(
            _("As in the project's settings: {mode}"), mode=label(ApprovalMode, conf.APPROVAL_MODE)
        )
        super().__init__(*args, **kwargs)
        placeholders = {
            "server_name": conf.SERVER_NAME,
            "confirmation_expiry": str(conf.CONFIRMATION_TOKEN_EXPIRY),
            "instructions": conf.INSTRUCTIONS,
        }
        for name in placeholders.keys() & self.fields.keys():
            self.fields[name].widget.attrs["placeholder"] = placeholders[name]


class SwitchForm(forms.Form):
    """The switch of all writes: where it is put, and why. Its buttons are the page's."""

    writes = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])
    reason = forms.CharField(label=_("Reason"), required=False, max_length=config_changes.MAX_REASON)


class WithdrawalForm(forms.Form):
    """The reason why a confirmation is withdrawn."""

    reason = forms.CharField(label=_("Reason"), required=False, max_length=config_changes.MAX_REASON)


class GroupForm(forms.Form):
    """What can be changed of one group within the form of all: `number` is its place on the page."""

    exposed = forms.BooleanField(label=_("Exposed"), required=False)
    approval_mode = forms.ChoiceField(label=_("Approval mode"), required=False)
    publish_as = forms.ChoiceField(label=_("Publish as"), required=False)

    def __init__(self, data: Any = None, *, group: OfferedGroup, number: int) -> None:
        mode = group.mode.value if group.mode else ""
        # A row with the default leaves the choice to the settings, where they have one.
        published = PublishAs.API_TOOLS if group.published_by_settings else group.publish_as
        initial = {"exposed": group.exposed, "approval_mode": mode, "publish_as": published.value}
        super().__init__(data, auto_id=f"id_{number}_%s", prefix=group.name, initial=initial)
        self.fields["exposed"].disabled = group.locked
        publish_choices: dict[str, Any] = dict(PublishAs.choices)
        if group.published_by_settings:
            publish_choices[PublishAs.API_TOOLS] = format_lazy(
                _("As in the project's settings: {way}"), way=group.publish_as.label
            )
        self._choose("publish_as", list(publish_choices.items()))
        self._choose("approval_mode", mode_choices(_("As the server"), mode))
        if not group.operation_count:
            # The host's own tools are tools already.
            del self.fields["publish_as"]
        if group.is_api_tools:
            # What they call has a group of its own, whose mode holds.
            del self.fields["approval_mode"]

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices

    def changes(self) -> dict[str, Any]:
        """Return what was changed of the group on the page; nothing else is written."""
        return {name: self.cleaned_data[name] for name in self.changed_data}

    def clean_publish_as(self) -> str:
        # A script that posts the other fields leaves this one as it is.
        return self.cleaned_data["publish_as"] or str(self.initial["publish_as"])


class GroupModeForm(ModeForm):
    """The form of a group's row on a page of its own."""

    class Meta:
        model = ToolGroup
        fields = ["approval_mode"]


class RuleForm(ModeForm):
    """The form of a rule, for an operation or a tool that exists."""

    blank_mode = _("As its group")

    class Meta:
        model = ToolRule
        fields = ["name", "exposure", "approval_mode", "requires_approval"]
        help_texts = {
            "name": _("The name of an operation or a tool, as Tool groups lists it."),
            "exposure": _("Whether agents reach it: said here, its group does not matter."),
            # The label of a blank says it.
            "approval_mode": "",
        }

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        target = named(name)
        if target is None:
            near = nearest(name, names())
            message = _("There is no operation or tool of this name. Did you mean “%(near)s”?")
            if not near:
                message = _("There is no operation or tool of this name.")
            raise forms.ValidationError(message, params={"near": near})
        if ToolRule.objects.filter(name__iexact=target.name).exists():
            raise forms.ValidationError(_("There is a rule for this operation or tool already."))
        return target.name


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
    """The form of a key: the user that it acts as, and what it is narrowed to."""

    # The user who fills the form in.
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
            known = group_names()
            gone = [name for name in self.instance.groups if name not in known]
            field.choices = [
                *((name, name) for name in known),
                *((name, _("%(name)s (not in the catalog)") % {"name": name}) for name in gone),
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
        permissions = sorted(set(self.cleaned_data["permissions"].replace(",", " ").split()))
        query = Q(pk__in=[])
        for name in permissions:
            app, _dot, codename = name.partition(".")
            query |= Q(content_type__app_label=app, codename=codename)
        rows = Permission.objects.filter(query).values_list("content_type__app_label", "codename")
        known = {f"{app}.{codename}" for app, codename in rows}
        for name in permissions:
            if name not in known:
                raise forms.ValidationError(_("There is no permission “%(name)s”."), params={"name": name})
        return permissions

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
