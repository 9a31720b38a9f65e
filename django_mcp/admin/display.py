"""How values of the record are written for people: moments to the second, modes and outcomes in words."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from django_mcp.conf import OFFERED_MODES
from django_mcp.models import AuditEvent
from django_mcp.types import ApprovalMode, Channel, State

LABELS = dict(ApprovalMode.choices)


def mode_choices(blank: str | Promise, current: str = "") -> list[tuple[str, str | Promise]]:
    """Return the modes on offer, a blank that is labelled `blank`, and the one that a row holds already."""
    offered = {mode.value for mode in OFFERED_MODES} | {current}
    return [("", blank), *((value, label) for value, label in ApprovalMode.choices if value in offered)]


class ModeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form of a row with an approval mode; `blank_mode` says what a blank means."""

    blank_mode: str | Promise = _("As the server")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("approval_mode")
        if isinstance(field, forms.ChoiceField):
            field.choices = mode_choices(self.blank_mode, self.instance.approval_mode)


STATES = dict(State.choices)
_OUTCOME = ("status", "code")
# The values of these are words of our own.
_WORDS = {"mode": LABELS, "approval_mode": LABELS, "channel": dict(Channel.choices)}
_NAMES = {
    "arguments": _("arguments"),
    "channel": _("confirmed by"),
    "errorId": _("error id"),
    "expiresInSeconds": _("expires in seconds"),
    "httpStatus": _("HTTP status"),
    "mode": _("approval mode"),
    "text": _("the agent was told"),
}


def moment(value: datetime, *, seconds: bool = True) -> SafeString:
    """Return a time in the active zone, in digits that sort."""
    local = timezone.localtime(value) if timezone.is_aware(value) else value
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    # A narrow column breaks between day and clock, and not at a hyphen.
    pattern = '<time datetime="{}" class="mcp-moment"><span>{}</span> <span>{}</span></time>'
    return format_html(pattern, local.isoformat(), f"{local:%Y-%m-%d}", clock)


def moment_of(column: str, label: Any, *, seconds: bool = True, empty: str | Promise = "-") -> Callable[..., Any]:
    """Return a method of an admin that shows a column of times; `empty` says what it means that there is none."""

    @admin.display(description=label, ordering=column)
    def shown(_self: Any, row: Any) -> SafeString | str | Promise:
        value = getattr(row, column)
        return empty if value is None else moment(value, seconds=seconds)

    return shown


def with_note(text: object, note: object) -> SafeString | str:
    """Return a cell of a list: a text and, where there is one, a note below it."""
    return format_html('{}<div class="help">{}</div>', text, note) if note else str(text)


def outcome(status: object, code: object) -> str | Promise:
    """Return what an event came to: a state in words, or else the code of a refusal; "" where it says neither."""
    if status in (None, ""):
        return str(code or "")
    return STATES.get(str(status), str(status))


def facts(event: AuditEvent) -> list[tuple[str, Any]]:
    """Return what an event's detail says beside its outcome, without what is empty."""
    return [
        (name, _worded(name, value))
        for name, value in event.detail.items()
        if name not in _OUTCOME and value not in (None, "", {}, [])
    ]


def name_of(fact: str) -> str | Promise:
    """Return what a fact is called for people; one that nobody named here keeps its name in the record."""
    return _NAMES.get(fact, fact)


def _worded(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {inner: _worded(inner, said) for inner, said in value.items()}
    words = _WORDS.get(name, {})
    return str(words[value]) if isinstance(value, str) and value in words else value


def titled(kind: type[admin.FieldListFilter], title: str | Promise) -> type[admin.FieldListFilter]:
    """Return a filter of that kind under a title of its own: a column's name reads badly after "By"."""

    class Titled(kind):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

    return Titled
