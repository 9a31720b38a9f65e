"""The record: append only, and complete without any other row."""

from datetime import datetime
from typing import Any, NoReturn

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import EventKind


class AppendOnly(TypeError):
    """Someone tried to rewrite the record."""


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def update(self, **_values: Any) -> NoReturn:
        raise AppendOnly("Audit events are never changed.")

    def delete(self) -> NoReturn:
        raise AppendOnly("Audit events are only removed by `manage.py mcp prune`.")

    def prune(self, before: datetime) -> int:
        """Remove the events older than `before` and return how many there were."""
        return super(AuditEventQuerySet, self.filter(time__lt=before)).delete()[0]


class AuditEvent(models.Model):
    """One line of the record. It holds snapshots only: deleting a user, a key or a confirmation does not touch it."""

    time = models.DateTimeField(_("time"), default=timezone.now)
    kind = models.CharField(_("kind"), max_length=20, choices=EventKind.choices)
    confirmation = models.UUIDField(_("confirmation"), null=True)
    subject = models.CharField(_("caller"), max_length=200, blank=True)
    user_id = models.CharField(_("user id"), max_length=64, blank=True)
    username = models.CharField(_("user"), max_length=200, blank=True)
    key_id = models.BigIntegerField(_("key id"), null=True)
    key_label = models.CharField(_("key"), max_length=120, blank=True)
    address = models.CharField(_("address"), max_length=64, blank=True)
    client = models.CharField(_("client"), max_length=200, blank=True)
    tool = models.CharField(_("tool"), max_length=200, blank=True)
    target = models.CharField(_("target"), max_length=200, blank=True)
    detail = models.JSONField(_("detail"), default=dict, encoder=DjangoJSONEncoder)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-time", "-id"]
        indexes = [
            models.Index(fields=["-time", "-id"], name="mcp_event_time"),
            models.Index(fields=["confirmation", "time"], name="mcp_event_confirmation"),
            models.Index(fields=["kind", "-time"], name="mcp_event_kind"),
            models.Index(fields=["target", "-time"], name="mcp_event_target"),
            models.Index(fields=["username", "-time"], name="mcp_event_username"),
            models.Index(fields=["key_id", "-time"], name="mcp_event_key"),
        ]

    def __str__(self) -> str:
        time = timezone.localtime(self.time) if timezone.is_aware(self.time) else self.time
        return f"{time:%Y-%m-%d %H:%M:%S} {self.get_kind_display()} {self.target}".rstrip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("Audit events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly("Audit events are only removed by `manage.py mcp prune`.")
