"""Confirmations: the durable record of one mutating call and what became of it."""

import uuid
from datetime import datetime
from typing import Self

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import ApprovalMode, Channel, Safety, State

OPEN_STATES = (State.ISSUED, State.APPROVED)


class ConfirmationQuerySet(models.QuerySet["Confirmation"]):
    def open(self) -> Self:
        """Return the confirmations that can still be redeemed, but for their expiry."""
        return self.filter(state__in=OPEN_STATES)

    def shown_as(self, state: State, now: datetime) -> Self:
        """Return the confirmations whose `shown_state` is `state`. An execution left behind reads as unknown."""
        overdue = Q(state__in=OPEN_STATES, expires_at__lte=now)
        if state is State.EXPIRED:
            return self.filter(Q(state=state) | overdue)
        if state in OPEN_STATES:
            return self.filter(state=state, expires_at__gt=now)
        if state is State.UNKNOWN:
            return self.filter(state__in=(State.EXECUTING, state))
        return self.filter(state=state)


class Confirmation(models.Model):
    """One mutating call. `jti` is its id, in the token too.

    `caller` is a snapshot; no foreign key, so that a deleted user or key takes nothing with it. `arguments` are
    redacted, for people. `effective` is the canonical text of the effective arguments, kept only while the
    confirmation is open and only where no field is sensitive. `argument_digests` holds a keyed digest for each
    top-level argument. `target_state` is a fingerprint of what was shown, `context` what the confirmation is bound to;
    `language`, `time_zone` and `accept_language` are restored when it runs. `decided` is the canonical text of the
    arguments as a reviewer changed them, NULL as proposed, with their own hash and fingerprint. The calls of a batch
    share `batch`, each at its `position`. `nonce` belongs to the process that claimed it.
    """

    jti = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(_("state"), max_length=16, choices=State.choices, default=State.ISSUED.value)
    mode = models.CharField(_("mode"), max_length=32, choices=ApprovalMode.choices)
    channel = models.CharField(_("confirmed by"), max_length=8, blank=True, choices=Channel.choices)
    subject = models.CharField(_("caller"), max_length=200)
    caller = models.JSONField(_("caller snapshot"), default=dict)
    user_id = models.CharField(max_length=64, blank=True, editable=False)
    username = models.CharField(_("user"), max_length=200, blank=True)
    key_id = models.BigIntegerField(null=True, editable=False)
    tool = models.CharField(_("tool"), max_length=200)
    target = models.CharField(_("operation"), max_length=200)
    group = models.CharField(_("group"), max_length=100, blank=True)
    safety = models.CharField(_("safety"), max_length=16, choices=[(item.value, item.value) for item in Safety])
    arguments = models.JSONField(_("arguments"), default=dict, encoder=DjangoJSONEncoder)
    effective = models.TextField(null=True, editable=False)  # noqa: DJ001 - NULL says "not stored", "" cannot occur
    args_hash = models.CharField(max_length=64, blank=True, editable=False)
    argument_digests = models.JSONField(default=dict, editable=False)
    summary = models.TextField(_("summary"), blank=True)
    preview = models.JSONField(_("preview"), null=True, encoder=DjangoJSONEncoder)
    warnings = models.JSONField(_("warnings"), default=list, encoder=DjangoJSONEncoder)
    target_state = models.JSONField(default=dict, editable=False)
    context = models.JSONField(_("context"), default=dict, editable=False)
    language = models.CharField(max_length=20, blank=True, editable=False)
    time_zone = models.CharField(max_length=64, blank=True, editable=False)
    accept_language = models.CharField(max_length=200, blank=True, editable=False)
    nonce = models.CharField(max_length=32, blank=True, editable=False)
    issued_at = models.DateTimeField(_("issued"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"))
    claimed_at = models.DateTimeField(_("confirmed"), null=True)
    settled_at = models.DateTimeField(_("settled"), null=True)
    decided_at = models.DateTimeField(_("decided"), null=True)
    decided_by = models.CharField(_("decided by"), max_length=200, blank=True)
    decided_by_id = models.CharField(max_length=64, blank=True, editable=False)
    reason = models.TextField(_("reason"), blank=True)
    decided = models.TextField(null=True, editable=False)  # noqa: DJ001 - NULL says "as proposed"
    decided_hash = models.CharField(max_length=64, blank=True, editable=False)
    decided_state = models.JSONField(default=dict, editable=False)
    batch = models.UUIDField(null=True, editable=False)
    position = models.PositiveSmallIntegerField(null=True, editable=False)
    outcome = models.JSONField(_("outcome"), null=True, encoder=DjangoJSONEncoder)

    objects = ConfirmationQuerySet.as_manager()

    class Meta:
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")
        ordering = ["-issued_at"]
        indexes = [
            models.Index(fields=["-issued_at"], name="mcp_confirmation_issued"),
            models.Index(fields=["state", "-issued_at"], name="mcp_confirmation_state"),
            models.Index(fields=["target", "-issued_at"], name="mcp_confirmation_target"),
            models.Index(fields=["subject", "-issued_at"], name="mcp_confirmation_subject"),
            models.Index(fields=["subject", "state", "expires_at"], name="mcp_confirmation_open"),
        ]

    def __str__(self) -> str:
        return f"{self.target} {self.jti}"

    @property
    def expired(self) -> bool:
        """Tell whether its time is over, which it is at the very instant of its expiry."""
        return self.expires_at <= timezone.now()

    @property
    def shown_state(self) -> str:
        """Return the state as people see it: an open confirmation whose time is over reads as expired."""
        overdue = self.state in OPEN_STATES and self.expired
        return State.EXPIRED.value if overdue else self.state
