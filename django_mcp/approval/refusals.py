"""Refusals of a redemption: an error that says what became of the token and what to do next, and its reason in the log.

Every function that returns an error has logged its reason: none reaches a caller without the operator's line.
"""

import enum
import logging
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django_mcp.choices import State
from django_mcp.errors import (
    ArgumentsChanged,
    ConfirmationExpired,
    ConfirmationUsed,
    ContextChanged,
    Declined,
    PendingReview,
    TargetChanged,
    ToolError,
    WrongOperation,
)
from django_mcp.text import one_line

logger = logging.getLogger("django_mcp")

MAX_PATHS = 50
_NAMED_PATHS = 10

_LOOK_FIRST = (
    "Whether it was carried out is not known: look at the data before you propose it again, or it may happen twice."
)
_ADVICE: Mapping[str, str] = {
    State.SUCCEEDED: "It was carried out once and succeeded; `outcome` has the result. Do not repeat it.",
    State.REJECTED: "The operation was called once and refused; `outcome` says why. Correct the arguments and make the "
    "call without confirmationToken to get a new one.",
    State.NOT_EXECUTED: "Nothing was carried out. Make the call without confirmationToken to get a new one.",
}
_BROKE = (
    "The operation was called once, failed on the server, and changed nothing; no other arguments will help. Tell the "
    "user, and make the call without confirmationToken if they want to try again."
)


class Reason(enum.StrEnum):
    """Why a confirmation token or the state of a question was refused, in the log's words."""

    MALFORMED = "malformed"
    HEADER = "header"
    SIGNATURE = "signature"
    CLAIMS = "claims"
    OTHER_CALLER = "other_caller"
    OTHER_HOST = "other_host"
    WRONG_TOOL = "wrong_tool"
    WRONG_TARGET = "wrong_target"
    NO_ROW = "no_row"
    USED = "used"
    DECLINED = "declined"
    EXPIRED = "expired"
    ARGUMENTS = "arguments"
    CONTEXT = "context"
    TARGET = "target"
    NOT_REVIEWED = "not_reviewed"
    MUST_BE_CONFIRMED = "must_be_confirmed"


# No agent that repeats what it was given gets these, unless a secret was rotated away or a row is lost.
_ALARMING = frozenset({Reason.HEADER, Reason.SIGNATURE, Reason.CLAIMS, Reason.OTHER_CALLER, Reason.NO_ROW})


def log(reason: Reason, jti: UUID | str | None = None, *, kind: str = "confirmation token") -> None:
    """Log why a token, or another signed text, was refused, and its jti where the signature was verified."""
    level = logging.WARNING if reason in _ALARMING else logging.INFO
    logger.log(
        level, "A %s was refused: %s (jti %s).", kind, reason, "not verified" if jti is None else one_line(jti, 64)
    )


def wrong_operation(jti: UUID | str, issued: tuple[str, str], called: tuple[str, str]) -> WrongOperation:
    """Return the refusal of a token of another tool or target; both pairs are (tool, target)."""
    log(Reason.WRONG_TOOL if issued[0] != called[0] else Reason.WRONG_TARGET, jti)
    confirmed, attempted = (
        target if tool == target else f"{target} called through {tool}" for tool, target in (issued, called)
    )
    return WrongOperation(
        f"Target operation mismatch for confirmation token. It confirms {confirmed}, not {attempted}. Nothing "
        "was run; make the call that was confirmed, or this one without confirmationToken to get its own."
    )


def spent(jti: UUID, status: str, outcome: Mapping[str, Any] | None, target: str, *, by: str = "") -> ToolError:
    """Return the refusal of a confirmation that is no longer open, by its state; anything unclear counts as used.

    `by` is the person who declined or withdrew it.
    """
    if status == State.EXPIRED:
        return expired(jti, target)
    if status in {State.DECLINED, State.REVOKED}:
        log(Reason.DECLINED, jti)
        subject = (
            f"{target} was declined" if status == State.DECLINED else f"The confirmation of {target} was withdrawn"
        )
        sentence = f"{subject} by {by}" if by else subject
        details = {"by": by} if by else {}
        return Declined(f"{sentence}, and nothing was run. Propose it again only if the user asks for it.", **details)
    log(Reason.USED, jti)
    advice = _ADVICE.get(status, _LOOK_FIRST)
    if status == State.REJECTED and outcome is not None and _broke(outcome):
        advice = _BROKE
    known = {"status": State.UNKNOWN.value} if outcome is None or status == State.EXECUTING else dict(outcome)
    return ConfirmationUsed(f"Confirmation token has already been used. {advice}", outcome=known)


def expired(jti: UUID, target: str) -> ConfirmationExpired:
    """Return the refusal of a confirmation whose time is over."""
    log(Reason.EXPIRED, jti)
    return ConfirmationExpired(
        f"Confirmation token has expired. Nothing was run; call {target} without confirmationToken to get a new one, "
        "and ask the user again."
    )


def changed(jti: UUID, target: str, paths: Sequence[str]) -> ArgumentsChanged:
    """Return the refusal that names where the arguments differ from those that were shown."""
    log(Reason.ARGUMENTS, jti)
    paths = [one_line(path) for path in paths[:MAX_PATHS]]
    more = f" and {len(paths) - _NAMED_PATHS} more" if len(paths) > _NAMED_PATHS else ""
    return ArgumentsChanged(
        f"Arguments have changed since confirmation was issued. Changed: {', '.join(paths[:_NAMED_PATHS])}{more}. "
        f"Nothing was run; send exactly the arguments that were shown, or call {target} without confirmationToken to "
        "have the new ones confirmed.",
        changed=paths,
    )


def context_changed(jti: UUID, target: str, names: Sequence[str]) -> ContextChanged:
    """Return the refusal for a redemption in another context than the proposal's; the token stays good."""
    log(Reason.CONTEXT, jti)
    return ContextChanged(
        f"{target} was proposed in another context. Differs: {', '.join(map(one_line, names[:_NAMED_PATHS]))}. Nothing was "
        "run and the token still works; make the call as it was proposed, or without confirmationToken to have it "
        "confirmed here.",
        changed=[one_line(name) for name in names[:MAX_PATHS]],
    )


def target_changed(jti: UUID, names: Sequence[str], preview: Any) -> TargetChanged:
    """Return the refusal for a target that is not as it was shown; `preview` is what would be shown of it now."""
    log(Reason.TARGET, jti)
    names = [one_line(name) for name in names[:MAX_PATHS]]
    details: dict[str, Any] = {"changed": names}
    if preview is not None:
        details["preview"] = preview
    return TargetChanged(
        f"What this would change is no longer what was shown, nothing ran. Changed: {', '.join(names[:_NAMED_PATHS])}. Call "
        "again without the token and have the new summary confirmed.",
        **details,
    )


def pending(jti: UUID, target: str) -> PendingReview:
    """Return the refusal of a confirmation that nobody has reviewed yet."""
    log(Reason.NOT_REVIEWED, jti)
    return PendingReview(
        f"A person has to approve {target} first, and has not decided yet. Nothing was run; make the same call with "
        "the same confirmationToken when they have."
    )


def _broke(outcome: Mapping[str, Any]) -> bool:
    """Tell whether a call that was rolled back had failed on the server.

    A tool's outcome has no HTTP status; it has a response only where the tool refused.
    """
    http_status = outcome.get("httpStatus")
    return outcome.get("response") is None if http_status is None else http_status >= 500
