"""API keys: issue, authenticate, narrow, revoke.

`by` is always who acts on a key: any of a caller snapshot's keys.
"""

import hashlib
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import router, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from django_mcp import audit
from django_mcp.access import config_changes, server_config, stamps
from django_mcp.access.server_config import mode_named
from django_mcp.choices import ApprovalMode, EventKind, Safety
from django_mcp.models import APIKey
from django_mcp.signals import key_issued, key_revoked
from django_mcp.types import Caller

PREFIX = "ak-"
SECRET_BYTES = 32
# Of a whole key: base64 has four characters for three bytes.
LENGTH = len(PREFIX) + -(-SECRET_BYTES * 4 // 3)
# How many characters of a secret are stored, for people to tell keys apart.
PREFIX_LENGTH = 8
# What may change of a key after it was issued.
LIMITS = ("name", "groups", "all_groups", "highest_safety", "permissions", "approval_mode", "expires_at")


def digest(secret: str) -> str:
    """Return the SHA-256 hex digest of a secret, by which its key is found.

    The secret has 256 random bits: a slow hash would add nothing.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


@sensitive_variables("secret")
def issue(  # noqa: PLR0913 - keyword-only, a column each
    *,
    name: str,
    user: Any,
    groups: Collection[str] = (),
    all_groups: bool = False,
    highest_safety: Safety = Safety.READ_ONLY,
    permissions: Collection[str] | None = None,
    mode: ApprovalMode | None = None,
    expires_at: datetime | None = None,
    by: Mapping[str, Any] | None = None,
) -> tuple[APIKey, str]:
    """Create a key and return its row and its secret, which is stored nowhere."""
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic(using=router.db_for_write(APIKey)):
        key = APIKey.objects.create(
            name=name,
            user=user,
            prefix=secret[:PREFIX_LENGTH],
            digest=digest(secret),
            groups=sorted(set(groups)),
            all_groups=all_groups,
            highest_safety=highest_safety.value,
            permissions=None if permissions is None else sorted(set(permissions)),
            approval_mode=mode.value if mode else "",
            expires_at=expires_at,
        )
        audit.record(
            EventKind.KEY_ISSUED,
            caller=_actor(key, by),
            target=str(key),
            user=user.get_username(),
            groups="all" if all_groups else key.groups,
            highest_safety=key.highest_safety,
            permissions=key.permissions,
            approval_mode=key.approval_mode,
            expires=expires_at,
        )
        transaction.on_commit(lambda: key_issued.send_robust(APIKey, key=key))
    return key, secret


@sensitive_variables("secret")
def find(secret: str) -> APIKey | None:
    """Return the key of a secret, None where it has none: one query, with its user and the `server_stamp`.

    Its `state` tells whether it may authenticate. It is read only: the host's views get it as `request.auth`.
    """
    key = next(iter(_by_digest(router.db_for_write(APIKey)).filter(digest=digest(secret))[:1]), None)
    if key is not None:
        key.read_only = True
    return key


@sensitive_variables("secret")
def authenticate(secret: str) -> APIKey | None:
    """Return the key of a secret as `find` does; None where it may not authenticate."""
    key = find(secret)
    return key if key is not None and key.usable else None


@lru_cache(maxsize=8)
def _by_digest(alias: str) -> QuerySet[APIKey]:
    # Building the query costs more than running it, so only the digest is added on each request.
    return APIKey.objects.using(alias).select_related("user").annotate(server_stamp=server_config.STAMP).order_by()


def save_limits(key: APIKey, *, by: Mapping[str, Any] | None = None, stamp: str | None = None) -> None:
    """Save the limits of a key, which are recorded as far as they differ from its row.

    Raises Stale where `stamp`, that of the form which asks for it, is no longer of the key's row.
    """
    alias = router.db_for_write(APIKey)
    with transaction.atomic(using=alias):
        row = APIKey.objects.using(alias).select_for_update().filter(pk=key.pk).first()
        if row is None:
            raise stamps.stale(stamp or "", gone=True, key_id=key.pk)
        stamps.check(stamp, shown(row), key_id=key.pk)
        before = {name: getattr(row, name) for name in LIMITS}
        after = {name: getattr(key, name) for name in LIMITS}
        config_changes.record(
            EventKind.EXPOSURE_CHANGED, by=_actor(key, by), target=str(key), before=before, after=after
        )
        # Only these columns: the rest may have changed meanwhile, and a revocation must not be undone.
        key.save(update_fields=LIMITS)


def shown(key: APIKey) -> dict[str, Any]:
    """Return the values of a key that its form is made from."""
    return {name: getattr(key, name) for name in (*LIMITS, "revoked_at")}


def revoke(key: APIKey, *, by: Mapping[str, Any] | None = None) -> bool:
    """Revoke a key for good; False where it was revoked before."""
    with transaction.atomic(using=router.db_for_write(APIKey)):
        now = timezone.now()
        if not APIKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now):
            return False
        key.revoked_at = now
        audit.record(EventKind.KEY_REVOKED, caller=_actor(key, by), target=str(key))
        transaction.on_commit(lambda: key_revoked.send_robust(APIKey, key=key))
    return True


def record_deletion(*, instance: APIKey, **_kwargs: Any) -> None:
    """Record that a key's row goes, by whatever code and in whatever cascade: Django calls this before each one does.

    The event belongs to the transaction of the deletion. Who deletes is known to nobody down here.
    """
    audit.record(
        EventKind.KEY_DELETED, caller=_actor(instance, None), target=str(instance), user=instance.user.get_username()
    )


def caller(key: APIKey, *, address: str, client: str, host: str = "") -> Caller:
    """Return the caller that a key stands for. A limit that is not known is read as the narrowest."""
    return Caller(
        subject=f"key:{key.pk}",
        user=key.user,
        auth=key,
        key_id=key.pk,
        key_label=str(key),
        groups=None if key.all_groups else frozenset(key.groups),
        highest_safety=Safety(key.highest_safety) if key.highest_safety in set(Safety) else Safety.READ_ONLY,
        permissions=None if key.permissions is None else frozenset(key.permissions),
        mode=mode_named(key.approval_mode),
        address=address,
        client=client,
        host=host,
    )


def _actor(key: APIKey, by: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the record keeps of the actor: who acts, and the key that is acted on in place of the actor's own."""
    return {**(by or {}), "key_id": key.pk, "key_label": str(key)}
