"""What `mcp key` does."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management.base import CommandError
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from django_mcp.access import keys
from django_mcp.conf import OFFERED_MODES
from django_mcp.management import output
from django_mcp.models import APIKey
from django_mcp.tools.inventory import cure, group_names
from django_mcp.types import ApprovalMode, Safety

ACTOR = {"subject": "manage.py mcp", "username": "manage.py mcp"}
MAX_NAME = 100
HEAD = (
    "ID", "PREFIX", "NAME", "USER", "GROUPS", "SAFETY", "MODE", "PERMISSIONS", "STATE", "EXPIRES", "LAST USED",
)  # fmt: skip


@sensitive_variables("secret")
def create(options: dict[str, Any]) -> tuple[APIKey, str]:
    """Issue a key and return it with its secret. Raises CommandError for anything that does not exist."""
    return keys.issue(
        name=_name(options["name"]),
        user=_user(options["user"]),
        groups=_groups(options["group"]),
        all_groups=options["all_groups"],
        highest_safety=_safety(options["max_safety"]),
        permissions=_permissions(options["permission"]),
        mode=_mode(options["mode"]),
        expires_at=timezone.now() + _duration(options["expires"]) if options["expires"] else None,
        by=ACTOR,
    )


def listing() -> str:
    """Return all keys as a table."""
    rows = [
        (
            key.pk,
            key.prefix,
            key.name,
            key.user.get_username(),
            "all" if key.all_groups else ",".join(key.groups) or "-",
            key.highest_safety,
            key.approval_mode or "-",
            "-" if key.permissions is None else ",".join(key.permissions) or "none",
            key.state.value,
            f"{key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else "never",
            f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
        )
        for key in APIKey.objects.select_related("user").order_by("pk")
    ]
    return output.aligned(HEAD, rows)


def revoke(named: str) -> str:
    """Revoke the key of that id or prefix. Raises CommandError where that is not one key that still holds."""
    prefix = named[: keys.SHOWN]
    found = APIKey.objects.filter(pk=int(named)) if named.isascii() and named.isdigit() else None
    chosen = list(found if found is not None else APIKey.objects.filter(prefix=prefix).order_by("pk"))
    if not chosen:
        msg = f"There is no key {prefix!r}. `manage.py mcp key list` shows ids and prefixes."
        raise CommandError(msg)
    if len(chosen) > 1:
        ids = ", ".join(str(key.pk) for key in chosen)
        msg = f"Several keys begin with {prefix!r}: name one of the ids {ids}."
        raise CommandError(msg)
    if not keys.revoke(chosen[0], by=ACTOR):
        msg = f"Key {chosen[0]} was revoked before."
        raise CommandError(msg)
    return f"Revoked {chosen[0]}."


def _name(name: str) -> str:
    if not name.strip() or len(name) > MAX_NAME:
        msg = f"A name has 1 to {MAX_NAME} characters."
        raise CommandError(msg)
    return name


def _user(username: str) -> Any:
    model = get_user_model()
    try:
        user = model.objects.get_by_natural_key(username)
    except model.DoesNotExist:
        msg = f"There is no user {username!r}."
        raise CommandError(msg) from None
    if not user.is_active:
        msg = f"User {username!r} is not active."
        raise CommandError(msg)
    return user


def _groups(names: Sequence[str]) -> list[str]:
    known = group_names()
    for name in names:
        if name not in known:
            msg = f"There is no group {name!r}. {cure(name, known)}"
            raise CommandError(msg)
    return list(names)


def _safety(text: str) -> Safety:
    for safety in Safety:
        if safety.value.casefold() == text.casefold():
            return safety
    msg = f"{text!r} is no safety: one of {', '.join(Safety)}."
    raise CommandError(msg)


def _mode(text: str | None) -> ApprovalMode | None:
    if text is not None and text not in OFFERED_MODES:
        msg = f"{text!r} is no mode: one of {', '.join(OFFERED_MODES)}."
        raise CommandError(msg)
    return ApprovalMode(text) if text is not None else None


def _permissions(names: Sequence[str] | None) -> list[str] | None:
    for name in names or ():
        app, _dot, codename = name.partition(".")
        if not Permission.objects.filter(content_type__app_label=app, codename=codename).exists():
            msg = f"There is no permission {name!r}. Write it as app_label.codename."
            raise CommandError(msg)
    return list(names) if names else None


def _duration(text: str) -> Any:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise CommandError(str(error)) from None


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WRITTEN = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)


def parse_duration(text: str) -> timedelta:
    """Return the duration that `text` says. Raises ValueError, with a text for people, where it says none."""
    written = _WRITTEN.fullmatch(text.strip().lower())
    if written is None or not int(written[1]):
        msg = f"{text!r} is no duration. Write a number and a unit, such as 90d, 12h or 30m."
        raise ValueError(msg)
    return timedelta(**{_UNITS[written[2]]: int(written[1])})
