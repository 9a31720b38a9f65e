"""API keys: a digest, a user, and what the key narrows that user to."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import ApprovalMode, Safety

# The labels are the values, as on the wire and on the command line.
SAFETY_CHOICES = [(safety.value, safety.value) for safety in Safety]

# What a view answers, with 403, that would change the key it was called with.
_READ_ONLY = (
    "The API key of this request cannot be changed or deleted by it. Keys are revoked in the admin, or by "
    "`manage.py mcp key revoke`."
)


class APIKeyQuerySet(models.QuerySet["APIKey"]):
    def usable(self, now: datetime | None = None) -> Self:
        """Return the keys that may authenticate: neither revoked nor expired, of an active user."""
        now = now or timezone.now()
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True, user__is_active=True
        )

    def in_state(self, state: "APIKey.State", now: datetime | None = None) -> Self:
        """Return the keys in a state, as `APIKey.state` has it."""
        now = now or timezone.now()
        if state is APIKey.State.REVOKED:
            return self.filter(revoked_at__isnull=False)
        unrevoked = self.filter(revoked_at__isnull=True)
        if state is APIKey.State.EXPIRED:
            return unrevoked.filter(expires_at__lte=now)
        if state is APIKey.State.USER_INACTIVE:
            return unrevoked.exclude(expires_at__lte=now).filter(user__is_active=False)
        return self.usable(now)


class APIKey(models.Model):
    """A key that acts as one user, who never changes. Only a digest of its secret is kept.

    `groups` names what the key reaches, at first nothing, and `highest_safety` what it may do there. `permissions`
    is null where the key is not narrowed to any.
    """

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        EXPIRED = "expired", _("expired")
        REVOKED = "revoked", _("revoked")
        USER_INACTIVE = "user inactive", _("user inactive")

    name = models.CharField(_("name"), max_length=100)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mcp_api_keys", verbose_name=_("user")
    )
    prefix = models.CharField(_("prefix"), max_length=8, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    groups = models.JSONField(_("groups"), default=list, blank=True)
    all_groups = models.BooleanField(_("all groups"), default=False)
    highest_safety = models.CharField(
        _("highest safety"), max_length=16, choices=SAFETY_CHOICES, default=Safety.READ_ONLY.value
    )
    permissions = models.JSONField(_("permissions"), null=True, blank=True, default=None)
    approval_mode = models.CharField(
        _("approval mode"),
        max_length=32,
        blank=True,
        choices=ApprovalMode.choices,
        help_text=_("Can only be stricter than what it calls."),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)

    objects = APIKeyQuerySet.as_manager()

    # True of a key that authenticated a request: views that log a caller out delete what they find at `request.auth`.
    read_only = False

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["-created_at"]
        permissions = [("issue_for_others", _("Can issue API keys for others"))]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def save_base(self, *args: Any, **kwargs: Any) -> None:
        self._refuse_if_read_only()
        super().save_base(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self._refuse_if_read_only()
        return super().delete(*args, **kwargs)

    def _refuse_if_read_only(self) -> None:
        if self.read_only:
            raise PermissionDenied(_READ_ONLY)

    @property
    def state(self) -> "APIKey.State":
        """Return whether the key may authenticate now, or why not. From the instant of its expiry on it may not."""
        if self.revoked_at is not None:
            return self.State.REVOKED
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return self.State.EXPIRED
        return self.State.ACTIVE if self.user.is_active else self.State.USER_INACTIVE

    @property
    def usable(self) -> bool:
        """Tell whether the key may authenticate now."""
        return self.state is self.State.ACTIVE
