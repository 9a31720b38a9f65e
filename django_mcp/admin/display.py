"""How values are written for people: labels, moments to the second, JSON, and the outcomes and facts of the record."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from django_mcp.choices import ApprovalMode, Channel, State
from django_mcp.models import AuditEvent
from django_mcp.text import one_line

MAX_JSON_CHARACTERS = 100_000
MAX_LINE_CHARACTERS = 2_000

# These keys of an event's detail are its outcome: a state, or the code of a refusal. The others are its facts.
_OUTCOME = ("status", "code")
_FACT_NAMES = {
    "arguments": _("arguments"),
    "by": _("by"),
    "channel": _("confirmed by"),
    "errorId": _("error id"),
    "expiresInSeconds": _("expires in seconds"),
    "httpStatus": _("HTTP status"),
    "mode": _("approval mode"),
    "reason": _("reason"),
    "text": _("the agent was told"),
}
_FACT_CHOICES: Mapping[str, type[models.TextChoices]] = {
    "mode": ApprovalMode,
    "approval_mode": ApprovalMode,
    "channel": Channel,
}
_EMPTY: tuple[Any, ...] = (None, "", {}, [])


def label(choices: type[models.TextChoices], value: str) -> str | Promise:
    """Return the label of a stored value; the value itself where the choices do not have it."""
    return choices(value).label if value in choices.values else value


def moment(value: datetime, *, seconds: bool = True) -> SafeString:
    """Return a time in the active zone, in digits that sort."""
    local = timezone.localtime(value) if timezone.is_aware(value) else value
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    # A narrow column breaks between day and clock, and not at a hyphen.
    pattern = '<time datetime="{}" class="mcp-moment"><span>{}</span> <span>{}</span></time>'
    return format_html(pattern, local.isoformat(), f"{local:%Y-%m-%d}", clock)


def moment_text(value: datetime) -> str:
    """Return a time in the active zone as plain text, to the second."""
    return f"{timezone.localtime(value) if timezone.is_aware(value) else value:%Y-%m-%d %H:%M:%S}"


def moment_column(column: str, label: Any, *, seconds: bool = True, empty: str | Promise = "-") -> Callable[..., Any]:
    """Return a method of an admin that shows a column of times. `empty` stands where a row has none."""

    @admin.display(description=label, ordering=column)
    def show(_self: Any, row: Any) -> SafeString | str | Promise:
        value = getattr(row, column)
        return empty if value is None else moment(value, seconds=seconds)

    return show


def with_note(text: object, note: object) -> SafeString | str:
    """Return a cell of a list: a text and, where there is one, a note below it."""
    return format_html('{}<div class="help">{}</div>', text, note) if note else str(text)


def pretty(value: Any) -> SafeString | str:
    """Return a JSON value as indented text in a `<pre>`, cut where it is very long."""
    if value in _EMPTY:
        return "-"
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    if len(text) > MAX_JSON_CHARACTERS:
        text = text[:MAX_JSON_CHARACTERS] + "\n" + str(_("… cut here"))
    return format_html('<pre class="mcp-json">{}</pre>', text)


def pretty_column(column: str, label: Any) -> Callable[..., Any]:
    """Return a method of an admin that shows a column of JSON."""

    @admin.display(description=label)
    def show(_self: Any, row: Any) -> SafeString | str:
        return pretty(getattr(row, column))

    return show


def line_column(column: str, label: Any) -> Callable[..., Any]:
    """Return a method of an admin that shows a column of text from agents and people as one line."""

    @admin.display(description=label, ordering=column)
    def show(_self: Any, row: Any) -> str:
        return one_line(getattr(row, column) or "-", MAX_LINE_CHARACTERS)

    return show


def outcome(status: object, code: object) -> str | Promise:
    """Return what an event came to: the label of its state, or else the code of a refusal; "" where it has neither."""
    return label(State, str(status)) if status not in (None, "") else str(code or "")


def facts(event: AuditEvent) -> dict[str, Any]:
    """Return the detail of an event beside its outcome, without what is empty; choices are named by their labels."""
    return {
        name: _labelled(name, value)
        for name, value in event.detail.items()
        if name not in _OUTCOME and value not in _EMPTY
    }


def fact_name(name: str) -> str | Promise:
    """Return what a fact is called for people: by default as in the record."""
    return _FACT_NAMES.get(name, name)


def _labelled(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {inner: _labelled(inner, inner_value) for inner, inner_value in value.items()}
    choices = _FACT_CHOICES.get(name)
    return str(label(choices, value)) if choices is not None and isinstance(value, str) else value
