"""The decision whether a call may run: a pure function of the call, the server's settings and the caller."""

from dataclasses import dataclass

from django_mcp.access.server_config import Server, mode_named
from django_mcp.choices import ApprovalMode
from django_mcp.errors import ApprovalError, ApprovalRequired, Unavailable
from django_mcp.types import Call, Caller


@dataclass(frozen=True, kw_only=True)
class _Decided:
    mode: ApprovalMode


class Run(_Decided):
    """The call runs at once."""


class Confirm(_Decided):
    """The call runs only against a confirmation token."""


class Review(_Decided):
    """The call runs only after a human decided."""


@dataclass(frozen=True, kw_only=True)
class Refuse(_Decided):
    """The call does not run; `error` says why."""

    error: ApprovalError


Decision = Run | Confirm | Review | Refuse


def decide(call: Call, server: Server, caller: Caller) -> Decision:
    """Return what has to happen before the call may run.

    Reads run. The mode of a write is that of the most specific of operation, group and server; the caller's key, and a
    demand for approval, can only make it stricter. A setting that cannot be read counts as strict: an unknown mode asks
    for a confirmation, an unknown safety is a write.
    """
    mode = _mode(call, server, caller)
    if not call.mutates:
        return Run(mode=mode)
    if not server.writes_enabled:
        text = "Writes are switched off. Nothing was run; tell the user, and try again only when they say so."
        return Refuse(mode=mode, error=Unavailable(text))
    match mode:
        case ApprovalMode.DELEGATE:
            return Run(mode=mode)
        case ApprovalMode.TOKEN:
            return Confirm(mode=mode)
        case ApprovalMode.REVIEW:
            return Review(mode=mode)
    text = (
        f"{call.target} is set to be rejected: it needs an approval that cannot be given here. Nothing was run; ask "
        "the user to do it in the application itself."
    )
    return Refuse(mode=mode, error=ApprovalRequired(text))


def _mode(call: Call, server: Server, caller: Caller) -> ApprovalMode:
    rules = server.rules_for(call.target, *call.endpoint)
    modes = [mode_named(server.mode_of(call.group, rules)) or ApprovalMode.TOKEN]
    if caller.mode is not None:
        modes.append(mode_named(caller.mode) or ApprovalMode.TOKEN)
    if call.requires_approval:
        modes.append(ApprovalMode.TOKEN)
    return ApprovalMode.strictest(*modes)
