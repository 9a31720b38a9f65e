"""What is shown before a write runs: the summary, and the answer that asks for confirmation."""

from collections.abc import Mapping
from typing import Any

from django_mcp import incidents
from django_mcp.findings import Finding
from django_mcp.models import Confirmation
from django_mcp.protocol.portable_json import compact
from django_mcp.redaction import MASK, one_line, quoted, redact
from django_mcp.tools.results import ToolResult
from django_mcp.vocabulary import Caller, ToolCall

MAX_SUMMARY = 500
MAX_ARGUMENTS_NAMED = 8
MAX_NESTED = 60
# Short enough for all the named arguments to stand in one summary.
MAX_VALUE = 40


def summary_of(call: ToolCall, caller: Caller) -> str:
    """Return the sentence a human reads: the host's own, or the operation's and its arguments.

    The host's callable sees masked arguments, so that it cannot show a secret by accident. One that fails is logged
    and replaced: a summary never stands in the way of a call, and never feeds the hash.
    """
    shown = redact(call.arguments, call.sensitive)
    if call.summary is not None:
        try:
            return one_line(call.summary(caller, shown), MAX_SUMMARY)
        except Exception as error:  # noqa: BLE001 - reported
            incidents.report(f"The summary of {call.target} failed.", error)
    return one_line(_default_summary(call, shown), MAX_SUMMARY)


def _default_summary(call: ToolCall, shown: Mapping[str, Any]) -> str:
    title = f"{call.target}: {call.title.rstrip('.')}" if call.title else f"Call {call.target}"
    said = [f"{_name(name)} {_brief(value)}" for name, value in list(shown.items())[:MAX_ARGUMENTS_NAMED]]
    left = len(shown) - len(said)
    more = f" and {left} more" if left > 0 else ""
    return title + (f" ({', '.join(said)}{more})" if said else "")


def _brief(value: Any) -> str:
    if isinstance(value, list | Mapping):
        text = one_line(compact(value))
        return text if len(text) <= MAX_NESTED else f"[{len(value)} {'items' if isinstance(value, list) else 'fields'}]"
    return quoted(one_line(value, MAX_VALUE)) if isinstance(value, str) and value != MASK else str(value)


def _name(name: str) -> str:
    # An operation that takes any argument takes any name, whole sentences too.
    return name if name.isidentifier() and len(name) <= MAX_VALUE else quoted(one_line(name, MAX_VALUE))


def proposal(call: ToolCall, row: Confirmation, token: str, *, lifetime: int, finding: Finding) -> ToolResult:
    """Return the first phase's answer: nothing ran, and this is what would."""
    structured: dict[str, Any] = {
        "status": "requires_confirmation",
        "api": call.target,
        "safety": call.safety.value,
        "confirmationToken": token,
        "expiresInSeconds": lifetime,
        "summary": row.summary,
        "args": redact(call.sent, call.sensitive),
        "instruction": (
            "Display this summary to the user for explicit confirmation. When approved, call "
            f"{call.tool} again with the same arguments and confirmationToken."
        ),
    }
    if finding.preview is not None:
        structured["preview"] = finding.preview
    warnings = [*call.warnings, *finding.warnings]
    if warnings:
        structured["warnings"] = warnings
    return ToolResult(structured=structured)
