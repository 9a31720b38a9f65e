"""The preview of a call: what a human is asked to approve, made of what the caller may read and of what would run.

The same object feeds the answer, the record and the fingerprint, so that what is shown is what is compared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rest_framework.settings import api_settings

from django_mcp import error_reports
from django_mcp.protocol.json import compact
from django_mcp.redaction import MASK, redact
from django_mcp.replies import Reply
from django_mcp.text import one_line, quoted
from django_mcp.types import Call, Caller, OperationCall, Target

MAX_SUMMARY = 500
MAX_ARGUMENTS_NAMED = 8
MAX_NESTED = 60
# Short enough for all the named arguments to stand in one summary.
MAX_VALUE = 40
MAX_ITEMS = 20

UNREADABLE = "The row's present values are not shown: the API does not let this user read them."
NO_CHANGE = "No value that is shown would change."


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A value that would be written, as the API would show it. `argument` is what the caller calls it.

    `field` is the serializer's name for it, "" where it has none; `sent`: the caller sent it; `label` is what people
    call the value.
    """

    argument: str
    field: str
    value: Any
    sent: bool
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a call would change: `details` is plain JSON for the human, `values` are those of the row that are shown."""

    details: Any = None
    values: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a preflight found: a refusal of the host's code, or the row to compare and the effect to show."""

    refusal: Reply | None = None
    target: Target | None = None
    effect: Effect = Effect()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Everything of a call that is shown. `arguments` are the effective arguments with their secrets masked."""

    summary: str
    arguments: Mapping[str, Any]
    effect: Effect

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.effect.warnings


def preview_of(call: Call, caller: Caller, effect: Effect = Effect()) -> Preview:
    """Return what is shown of a call and its effect."""
    arguments = redact(call.arguments, call.sensitive)
    warnings = (*call.warnings, *effect.warnings)
    effect = Effect(details=effect.details, values=effect.values, warnings=warnings)
    return Preview(summary=_summary(call, caller, arguments), arguments=arguments, effect=effect)


def update(call: Call, row: Mapping[str, Any] | None, writes: Iterable[Write], *, standard: bool) -> Effect:
    """Return each field that would change, with its value before, where the caller may read that, and after.

    `row` is the row as the caller reads it, None where it may not. `standard`: the handler is DRF's own, so what was
    validated is what is written; else a value is only what was "sent".
    """
    changes, values, unread = [], {}, row is None
    for write in writes:
        line: dict[str, Any] = {"field": one_line(write.argument)}
        if row is not None and write.field in row:
            before = values[write.field] = row[write.field]
            if before == write.value:
                continue
            line["from"] = _shown(call, write.argument, before)
        else:
            unread = unread or (write.sent and not _is_secret(call, write.argument))
        changes.append({**line, **_value(call, write, "to" if standard else "sent")})
    warnings = (*([UNREADABLE] if unread else []), *([] if changes else [NO_CHANGE]))
    return Effect(details={"changes": changes}, values=values, warnings=warnings)


def creation(call: Call, writes: Iterable[Write]) -> Effect:
    """Return what would be written besides what was sent, or otherwise; no details where that is nothing."""
    additions = [
        {"field": one_line(write.argument), **_value(call, write, "to")}
        for write in writes
        if not write.sent or write.label or write.value != call.arguments.get(write.argument)
    ]
    return Effect(details={"sets": additions} if additions else None)


def subject(
    call: Call, role: str, name: str, row: Mapping[str, Any] | None, cascade: Mapping[str, int] | None = None
) -> Effect:
    """Return which row the call is about, under its `role`, with its plain values as the caller reads them.

    `cascade` counts the rows of other models that go with it.
    """
    details: dict[str, Any] = {role: name}
    values: dict[str, Any] = {}
    if row:
        values = {key: value for key, value in row.items() if not isinstance(value, list | dict)}
        values = dict(list(values.items())[:MAX_ITEMS])
        details["row"] = visible(redact(values, call.sensitive))
    if cascade:
        details["cascade"] = dict(cascade)
    return Effect(details=details, values=values, warnings=() if row is not None else (UNREADABLE,))


def visible(value: Any) -> Any:
    """Return a JSON value as a human can read it: texts on one line each, long lists cut."""
    if isinstance(value, Mapping):
        return {one_line(key): visible(item) for key, item in value.items()}
    if isinstance(value, list):
        more = len(value) - MAX_ITEMS
        return [*map(visible, value[:MAX_ITEMS]), *([f"… and {more} more"] if more > 0 else [])]
    return one_line(value) if isinstance(value, str) else value


def _value(call: Call, write: Write, role: str) -> dict[str, Any]:
    value = _shown(call, write.argument, write.value)
    return {role: value, "label": one_line(write.label)} if write.label and value != MASK else {role: value}


def _shown(call: Call, name: str, value: Any) -> Any:
    return visible(redact({name: value}, call.sensitive)[name])


def _is_secret(call: Call, name: str) -> bool:
    return bool(redact({name: "text"}, call.sensitive)[name] != "text")


def _summary(call: Call, caller: Caller, arguments: Mapping[str, Any]) -> str:
    """Return the sentence a human reads: the host's own, or the operation's and its arguments.

    The host's callable sees masked arguments, so that it cannot show a secret by accident. One that fails is logged
    and replaced: a summary never stands in the way of a call, and never feeds the hash.
    """
    if call.summary is not None:
        try:
            return one_line(call.summary(caller, arguments), MAX_SUMMARY)
        except Exception as error:  # noqa: BLE001 - reported
            error_reports.report(f"The summary of {call.target} failed.", error)
    title = f"{call.target}: {call.title.rstrip('.')}" if call.title else f"Call {call.target}"
    meaningful = [(name, value) for name, value in arguments.items() if name not in _meaningless(call)]
    named = [f"{_name(name)} {_brief(value)}" for name, value in meaningful[:MAX_ARGUMENTS_NAMED]]
    left = len(meaningful) - len(named)
    more = f" and {left} more" if left > 0 else ""
    return one_line(title + (f" ({', '.join(named)}{more})" if named else ""), MAX_SUMMARY)


def _meaningless(call: Call) -> frozenset[str]:
    """Return the arguments of a URL that say how the API is spoken to, and nothing of what is done."""
    if not isinstance(call, OperationCall):
        return frozenset()
    names = {"format", api_settings.VERSION_PARAM}
    return frozenset(name for name, place in call.placement.items() if place.location == "path" and place.wire in names)


def _brief(value: Any) -> str:
    if isinstance(value, list | Mapping):
        text = one_line(compact(value))
        return text if len(text) <= MAX_NESTED else f"[{len(value)} {'items' if isinstance(value, list) else 'fields'}]"
    return quoted(one_line(value, MAX_VALUE)) if isinstance(value, str) and value != MASK else str(value)


def _name(name: str) -> str:
    # An operation that takes any argument takes any name, whole sentences too.
    return name if name.isidentifier() and len(name) <= MAX_VALUE else quoted(one_line(name, MAX_VALUE))
