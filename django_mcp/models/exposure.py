"""What is exposed, and how it is approved: the server's one row, its groups and its rules."""

import uuid
from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import ApprovalMode


def new_stamp() -> str:
    return uuid.uuid4().hex


class ServerSettingsQuerySet(models.QuerySet["ServerSettings"]):
    def update(self, **values: Any) -> int:
        """Change the row with a new stamp: the switch that stops all writes must work from a shell too."""
        return super().update(**{"stamp": new_stamp(), **values})


class ServerSettings(models.Model):
    """The server's one row. Where a value is blank, that of `DJANGO_MCP` holds.

    `stamp` changes with every change of settings, groups or rules: processes compare it to know that their copy of
    the rows is old. It is random, so that a change that was rolled back cannot share its stamp with another.
    `writes_enabled` is the switch of all writes; `writes_reason`, `writes_changed_at` and `writes_changed_by` say why,
    when and by whom it was switched last.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    server_name = models.CharField(_("server name"), max_length=100, blank=True)
    instructions = models.TextField(_("instructions"), blank=True, help_text=_("What every client's model is told."))
    approval_mode = models.CharField(_("approval mode"), max_length=32, blank=True, choices=ApprovalMode.choices)
    confirmation_expiry = models.PositiveIntegerField(
        _("confirmation expiry"), null=True, blank=True, help_text=_("How long a confirmation token holds, in seconds.")
    )
    writes_enabled = models.BooleanField(
        _("writes enabled"), default=True, help_text=_("Switch off to stop all writes at once.")
    )
    writes_reason = models.TextField(_("reason"), blank=True, editable=False)
    writes_changed_at = models.DateTimeField(_("switched"), null=True, editable=False)
    writes_changed_by = models.CharField(_("switched by"), max_length=200, blank=True, editable=False)
    stamp = models.CharField(max_length=32, default=new_stamp, editable=False)

    objects = ServerSettingsQuerySet.as_manager()

    class Meta:
        verbose_name = _("server settings")
        verbose_name_plural = _("server settings")
        permissions = [("switch_writes", _("Can stop all writes and let them go on"))]

    def __str__(self) -> str:
        return str(_("Server settings"))

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        self.pk = self.ONLY
        self.stamp = new_stamp()
        columns = None if update_fields is None else {*update_fields, "stamp"}
        super().save(*args, update_fields=columns, **kwargs)

    @classmethod
    def load(cls) -> "ServerSettings":
        """Return the row, made with its defaults where there is none yet."""
        return ServerSettings.objects.get_or_create(pk=cls.ONLY)[0]

    @classmethod
    def touch(cls) -> None:
        """Renew the stamp, so that every process reads the rows again."""
        if not ServerSettings.objects.filter(pk=cls.ONLY).update(stamp=new_stamp()):
            cls.load()


Row = TypeVar("Row", bound=models.Model)


class StampedQuerySet(models.QuerySet[Row]):
    """Renews the stamp with bulk changes, which send no signals."""

    def update(self, **values: Any) -> int:
        changed = super().update(**values)
        ServerSettings.touch()
        return changed

    def bulk_create(self, *args: Any, **kwargs: Any) -> list[Row]:
        created = super().bulk_create(*args, **kwargs)
        ServerSettings.touch()
        return created


class ToolGroup(models.Model):
    """A named set of operations or tools that is exposed or hidden as a whole."""

    class PublishAs(models.TextChoices):
        API_TOOLS = "api_tools", _("API tools")
        ONE_TOOL_EACH = "one_tool_each", _("one tool each")
        BOTH = "both", _("both")

    name = models.CharField(_("name"), max_length=100, unique=True)
    exposed = models.BooleanField(_("exposed"), default=False)
    approval_mode = models.CharField(
        _("approval mode"),
        max_length=32,
        blank=True,
        choices=ApprovalMode.choices,
        help_text=_("Blank: as the server."),
    )
    publish_as = models.CharField(
        _("publish as"), max_length=16, choices=PublishAs.choices, default=PublishAs.API_TOOLS
    )

    objects = StampedQuerySet.as_manager()

    class Meta:
        verbose_name = _("tool group")
        verbose_name_plural = _("tool groups")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ToolRule(models.Model):
    """What holds for one operation or tool, whatever its group's row says.

    An operation is known by its method and route as well as by its name. Either may change with the host's code: a
    restriction whose name or route still matches applies.
    """

    class Exposure(models.TextChoices):
        INHERIT = "inherit", _("as its group")
        EXPOSED = "exposed", _("exposed")
        HIDDEN = "hidden", _("hidden")

    name = models.CharField(_("name"), max_length=200)
    method = models.CharField(_("method"), max_length=10, blank=True)
    route = models.CharField(_("route"), max_length=400, blank=True)
    exposure = models.CharField(_("exposure"), max_length=10, choices=Exposure.choices, default=Exposure.INHERIT)
    approval_mode = models.CharField(
        _("approval mode"), max_length=32, blank=True, choices=ApprovalMode.choices, help_text=_("Blank: as its group.")
    )
    requires_approval = models.BooleanField(
        _("requires approval"), default=False, help_text=_("Ask even where the operation only reads.")
    )

    objects = StampedQuerySet.as_manager()

    class Meta:
        verbose_name = _("tool rule")
        verbose_name_plural = _("tool rules")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["name"], name="mcp_rule_name")]

    def __str__(self) -> str:
        return self.name


@receiver([post_save, post_delete], sender=ToolGroup)
@receiver([post_save, post_delete], sender=ToolRule)
def renew_stamp(**_kwargs: Any) -> None:
    """Renew the stamp: saves, cascades, fixtures and the admin's bulk deletion all send these signals."""
    ServerSettings.touch()
