"""What `mcp key` does."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management.base import CommandError
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.debug import sensitive_variables

from django_mcp.access import keys, server_config
from django_mcp.access.exposure import Reach, exposed, exposed_tool, reach
from django_mcp.choices import ApprovalMode, Safety
from django_mcp.conf import OFFERED_MODES
from django_mcp.host.requests import Context
from django_mcp.management import output
from django_mcp.models import APIKey
from django_mcp.text import nearest
from django_mcp.tools.inventory import cure, group_names
from django_mcp.tools.registry import hosted_tools
from django_mcp.types import Caller

ACTOR = {"subject": "manage.py mcp", "username": "manage.py mcp"}
MAX_NAME = 100
HEAD = (
    "ID", "PREFIX", "NAME", "USER", "GROUPS", "SAFETY", "MODE", "PERMISSIONS", "STATE", "EXPIRES", "LAST USED",
)  # fmt: skip

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DURATION = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)


@sensitive_variables("secret")
def create(options: dict[str, Any]) -> tuple[APIKey, str]:
    """Issue a key and return it with its secret. Raises CommandError for an option that is wrong, and issues none."""
    name = options["name"]
    if not name.strip() or len(name) > MAX_NAME:
        msg = f"A name has 1 to {MAX_NAME} characters."
        raise CommandError(msg)
    return keys.issue(
        name=name,
        user=_user(options["user"]),
        groups=_groups(options["group"]),
        all_groups=options["all_groups"],
        highest_safety=_safety(options["max_safety"]),
        permissions=_permissions(options["permission"]),
        mode=_mode(options["mode"]),
        expires_at=timezone.now() + duration(options["expires"]) if options["expires"] else None,
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
            key.state,
            f"{key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else "never",
            f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
        )
        for key in APIKey.objects.select_related("user").order_by("pk")
    ]
    return output.table(HEAD, rows)


def revoke(identifier: str) -> str:
    """Revoke the key of an id or a prefix. Raises CommandError where that is not one key which still holds."""
    key = named(identifier)
    if not keys.revoke(key, by=ACTOR):
        msg = f"Key {key} was revoked before."
        raise CommandError(msg)
    return f"Revoked {key}."


def named(identifier: str) -> APIKey:
    """Return the key of an id or a prefix. Raises CommandError where that is not one key."""
    prefix = identifier[: keys.PREFIX_LENGTH]
    is_id = identifier.isascii() and identifier.isdigit()
    rows = APIKey.objects.filter(pk=int(identifier)) if is_id else APIKey.objects.filter(prefix=prefix)
    matching = list(rows.order_by("pk"))
    if not matching:
        msg = f"There is no key {prefix!r}. `manage.py mcp key list` shows ids and prefixes."
        raise CommandError(msg)
    if len(matching) > 1:
        ids = ", ".join(str(key.pk) for key in matching)
        msg = f"Several keys begin with {prefix!r}: name one of the ids {ids}."
        raise CommandError(msg)
    return matching[0]


def handover(key: APIKey) -> Iterator[str]:
    """Yield the lines that go with a new key: what it reaches, and how to use it.

    The secret is in none of them: they may end up in a log.
    """
    # No one has sent this request: the permissions of views are asked with it.
    request = HttpRequest()
    request.META.update(SERVER_NAME="localhost", SERVER_PORT="443", REMOTE_ADDR="127.0.0.1")
    caller = keys.caller(key, address="", client="")
    reached = reach(Context(outer=request, caller=caller), server_config.current())
    operations = sum(reached.reaches(operation) for operation in reached.catalog.operations)
    tools = sum(tool.reached(reached) for tool in hosted_tools().values())
    user = key.user.get_username()
    yield f"Key {key} acts as {user}. It reaches {operations} operations and {tools} tools right now."
    if not operations + tools:
        yield f"Warning: it can do nothing. {_reason(reached, caller)}"
    yield "The key is shown this once, only a digest of it is kept. With it in place of KEY, and your host in the URL:"
    try:
        path = reverse("django_mcp:mcp")
    except NoReverseMatch:
        path = "/mcp"
    name = slugify(reached.server.name) or "django"
    yield f'  claude mcp add --transport http {name} https://example.com{path} --header "Authorization: Bearer KEY"'


def _reason(reached: Reach, caller: Caller) -> str:
    """Return the likely reason why a key reaches nothing."""
    if caller.groups is not None and not caller.groups:
        return "It names no group: use --group or --all-groups."
    safeties = [safety for group, safety in _exposed(reached) if caller.groups is None or group in caller.groups]
    if not safeties:
        return "Nothing of its groups is exposed: see `manage.py mcp operations` and `manage.py mcp expose`."
    if not any(safety.within(caller.highest_safety) for safety in safeties):
        return f"What is exposed of its groups is above {caller.highest_safety}: use --max-safety."
    if caller.permissions is not None:
        return "Its permissions, or those of its user, allow none of it; see --permission."
    return "Its user lacks the permissions that are asked for."


def _exposed(reached: Reach) -> Iterator[tuple[str, Safety]]:
    """Yield the group and the safety of each operation and tool that is exposed."""
    for operation in reached.catalog.operations:
        if exposed(operation, reached.server):
            yield operation.group, operation.safety
    for tool in hosted_tools().values():
        if exposed_tool(tool.name, tool.group, reached.server):
            yield tool.group, tool.declaration.acts_as


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
        if safety.casefold() == text.casefold():
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
            permissions = Permission.objects.values_list("content_type__app_label", "codename")
            near = nearest(name, map(".".join, permissions))
            msg = (
                f"There is no permission {name!r}. {f'Did you mean {near!r}?' if near else 'Write app_label.codename.'}"
            )
            raise CommandError(msg)
    return list(names) if names else None


def duration(text: str) -> timedelta:
    """Return a text such as "90d" as a duration. Raises CommandError where it is none."""
    parts = _DURATION.fullmatch(text.strip().lower())
    if parts is None or not int(parts[1]):
        msg = f"{text!r} is no duration. Write a number and a unit, such as 90d, 12h or 30m."
        raise CommandError(msg)
    return timedelta(**{_UNITS[parts[2]]: int(parts[1])})
