"""What a redemption is told that cannot be carried out: what became of the token, and what to do next."""

from collections.abc import Mapping, Sequence
from typing import Any

from django_mcp.errors import (
    ArgumentsChanged,
    ConfirmationExpired,
    ConfirmationUsed,
    Declined,
    PendingReview,
    TargetChanged,
    ToolError,
    WrongOperation,
)
from django_mcp.text import one_line
from django_mcp.types import State

MAX_PATHS = 50
_SHOWN_PATHS = 10

_LOOK_FIRST = (
    "Whether it was carried out is not known: look at the data before you propose it again, or it may happen twice."
)
_BECAME = {
    State.SUCCEEDED: "It was carried out once and succeeded; `outcome` has the result. Do not repeat it.",
    State.REJECTED: "The operation was called once and refused; `outcome` says why. Correct the arguments and make the "
    "call without confirmationToken to get a new one.",
    State.NOT_EXECUTED: "Nothing was carried out. Make the call without confirmationToken to get a new one.",
}
_BROKE = (
    "The operation was called once, failed on the server, and changed nothing; no other arguments will help. Tell the user, "
    "and make the call without confirmationToken if they want to try again."
)


def spent(status: str, outcome: Mapping[str, Any] | None, target: str) -> ToolError:
    """Return the refusal for a confirmation that is no longer open, by its state; anything unclear counts as used."""
    if status == State.EXPIRED:
        return expired(target)
    if status == State.DECLINED:
        return Declined(f"{target} was declined, and nothing was run. Propose it again only if the user asks for it.")
    if status == State.REVOKED:
        return Declined(
            f"The confirmation of {target} was revoked, and nothing was run. Propose it again only if the user asks for it."
        )
    became = next((text for state, text in _BECAME.items() if state == status), _LOOK_FIRST)
    if status == State.REJECTED and outcome is not None and _broke(outcome):
        became = _BROKE
    told = {"status": State.UNKNOWN.value} if outcome is None or status == State.EXECUTING else dict(outcome)
    return ConfirmationUsed(f"Confirmation token has already been used. {became}", outcome=told)


def _broke(outcome: Mapping[str, Any]) -> bool:
    """Tell whether what was undone had failed on the server. A tool has no HTTP status, but an answer where it refuses."""
    http_status = outcome.get("httpStatus")
    return outcome.get("response") is None if http_status is None else http_status >= 500


def expired(target: str) -> ConfirmationExpired:
    return ConfirmationExpired(
        f"Confirmation token has expired. Nothing was run; call {target} without confirmationToken to get a new one, and "
        "ask the user again."
    )


def wrong_operation(issued: tuple[str, str], called: tuple[str, str]) -> WrongOperation:
    """Return the refusal for a token of another tool or target; both are (tool, target)."""
    return WrongOperation(
        f"Target operation mismatch for confirmation token. It confirms {_named(issued)}, not {_named(called)}. Nothing "
        "was run; make the call that was confirmed, or this one without confirmationToken to get its own."
    )


def changed(target: str, paths: Sequence[str]) -> ArgumentsChanged:
    """Return the refusal that names where the arguments differ from those that were shown."""
    paths = [one_line(path) for path in paths[:MAX_PATHS]]
    more = f" and {len(paths) - _SHOWN_PATHS} more" if len(paths) > _SHOWN_PATHS else ""
    return ArgumentsChanged(
        f"Arguments have changed since confirmation was issued. Changed: {', '.join(paths[:_SHOWN_PATHS])}{more}. Nothing "
        f"was run; send exactly the arguments that were shown, or call {target} without confirmationToken to have the new "
        "ones confirmed.",
        changed=paths,
    )


def target_changed(names: Sequence[str], preview: Any) -> TargetChanged:
    """Return the refusal for a target that is not as it was shown; `preview` is what would be shown of it now."""
    names = [one_line(name) for name in names[:MAX_PATHS]]
    details: dict[str, Any] = {"changed": names}
    if preview is not None:
        details["preview"] = preview
    return TargetChanged(
        f"What this would change is no longer what was shown, nothing ran. Changed: {', '.join(names[:_SHOWN_PATHS])}. Call "
        "again without the token and have the new summary confirmed.",
        **details,
    )


def pending(target: str) -> PendingReview:
    return PendingReview(
        f"A person has to approve {target} first, and has not decided yet. Nothing was run; make the same call with the "
        "same confirmationToken when they have."
    )


def _named(pair: tuple[str, str]) -> str:
    tool, target = pair
    return target if tool == target else f"{target} called through {tool}"
