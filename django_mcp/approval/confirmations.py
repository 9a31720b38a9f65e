"""Confirmations: proposed, found again, claimed once, settled. The durable half of two-phase confirmation."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from django_mcp import audit
from django_mcp.approval import cache_lock, canonical, effective_arguments, refusals, tokens, transitions
from django_mcp.approval.cache_lock import Lock
from django_mcp.approval.context import context_of, differences, locale_of
from django_mcp.approval.preview import Preview
from django_mcp.approval.refusals import Reason
from django_mcp.approval.transitions import Claim
from django_mcp.choices import ApprovalMode, Channel, EventKind, State
from django_mcp.errors import ToolError, Unavailable
from django_mcp.host.requests import Context
from django_mcp.models import Confirmation
from django_mcp.models.confirmations import OPEN_STATES
from django_mcp.protocol.json import bounded, storable
from django_mcp.redaction import redact, secrets_in
from django_mcp.signals import confirmation_issued, confirmation_settled
from django_mcp.text import clean_text, one_line
from django_mcp.types import Call, Caller, Outcome

__all__ = [
    "Claim", "begin", "claim", "find", "give_back", "propose", "require_open", "settle"
]  # fmt: skip

logger = logging.getLogger("django_mcp")

# What people see of a call, in bytes a column: `arguments`, `preview`, `warnings`.
MAX_EXCERPT = 32 * 1024

_CACHE_UNAVAILABLE = (
    "The cache that guards against a second execution does not answer. Nothing was run; make the same call again with "
    "the same confirmationToken in a moment."
)


def propose(
    call: Call,
    context: Context,
    *,
    mode: ApprovalMode,
    lifetime: int,
    preview: Preview,
    target_state: Mapping[str, Any],
) -> tuple[Confirmation, str]:
    """Commit a confirmation and its event, and return it with its token, which holds for `lifetime` seconds.

    Raises Unavailable where it cannot be committed, ValidationFailed for arguments that JSON cannot say.
    """
    row = _new_row(call, context, mode=mode, preview=preview)
    row.expires_at = row.issued_at + timedelta(seconds=lifetime)
    row.target_state = dict(target_state)
    effective_arguments.keep(row, call.arguments, secret=preview.arguments != dict(call.arguments))
    token = _token_of(row, lifetime)
    event = partial(
        audit.record,
        EventKind.TOKEN_ISSUED,
        caller=context.caller,
        confirmation=row.jti,
        tool=call.tool,
        target=call.target,
        mode=row.mode,
        expiresInSeconds=lifetime,
    )
    transitions.insert(row, event)
    confirmation_issued.send_robust(sender=Confirmation, confirmation=row)
    return row, token


def find(
    token: str, *, tool: str, target: str, context: Context, arguments: Mapping[str, Any] | None = None
) -> Confirmation:
    """Return the open confirmation of a token, changing nothing but that an expired one is written down as such.

    Checks in this order, and raises: ConfirmationMalformed; ConfirmationInvalid for a bad signature or another caller;
    WrongOperation; ConfirmationInvalid where there is no row; ArgumentsChanged, naming the paths, unless `arguments`,
    where given, are those that were shown; ConfirmationUsed or Declined for a spent one, at any age;
    ConfirmationExpired; ContextChanged. Raises Unavailable where the database does not answer. A spent one may be known
    from the cache alone.
    """
    claims = _claims(token, tool, target, context.caller)
    jti = uuid.UUID(claims.jti)
    as_shown = arguments is None or canonical.args_hash(arguments) == claims.args_hash
    outcome = cache_lock.recorded_outcome(jti, claims.sub) if as_shown else None
    if outcome is not None:
        raise refusals.spent(jti, str(outcome.get("status")), outcome, target)
    row = transitions.read(jti)
    if row is None or (row.subject, row.tool, row.target, row.args_hash) != (
        claims.sub,
        tool,
        target,
        claims.args_hash,
    ):
        raise tokens.invalid(Reason.NO_ROW, jti)
    if arguments is not None and not as_shown:
        raise refusals.changed(jti, target, effective_arguments.changed_paths(row, arguments))
    if row.state not in OPEN_STATES:
        raise _spent(row)
    if row.expired or claims.exp < int(timezone.now().timestamp()):
        raise _expired(row, context.caller)
    if names := differences(row.context, context):
        raise refusals.context_changed(jti, target, names)
    return row


def require_open(row: Confirmation) -> None:
    """Raise the refusal of a confirmation that someone has spent since it was found, whatever else is wrong with it."""
    current = transitions.read(row.jti)
    if current is not None and current.state not in OPEN_STATES:
        raise _spent(current)


def claim(row: Confirmation, *, channel: Channel, caller: Caller) -> Claim:
    """Spend the confirmation: commit that it is being executed, for whoever calls first, and take the cache's lock.

    Raises ConfirmationUsed, Declined or ConfirmationExpired where someone was first or its time was over, PendingReview
    where nobody has approved it yet, Unavailable where database or cache do not answer; nothing may run then.
    """
    if row.state not in OPEN_STATES:
        raise _spent(row)
    if row.mode == ApprovalMode.REVIEW and row.state != State.APPROVED:
        raise refusals.pending(row.jti, row.target)
    claimed = Claim(row.jti, uuid.uuid4().hex, State(row.state), row.expires_at, row.tool, row.target)
    if not transitions.take(claimed, channel=channel, caller=caller):
        raise _lost(row, caller)
    lock = cache_lock.lock(
        row.jti,
        subject=row.subject,
        nonce=claimed.nonce,
        expires_at=row.expires_at,
        was_given_back=transitions.was_given_back,
    )
    if lock is Lock.TAKEN:
        return claimed
    if lock is Lock.HELD:
        # The database has forgotten an execution that the cache remembers, or a reply of the cache was lost for good.
        # Only one of them ran anything, and nothing tells which.
        logger.warning("Confirmation %s is open in the database and spent in the cache; it was refused.", row.jti)
        transitions.doubt(claimed)
        raise refusals.spent(row.jti, State.UNKNOWN, None, row.target)
    give_back(claimed, caller=caller, reason="cache unavailable")
    raise Unavailable(_CACHE_UNAVAILABLE)


def begin(call: Call, context: Context, *, mode: ApprovalMode, channel: Channel, preview: Preview) -> Claim:
    """Commit the row of a write that runs without a token, already executing; its event is the one of its outcome.

    Raises Unavailable where it cannot be committed: nothing may run then.
    """
    row = _new_row(call, context, mode=mode, preview=preview)
    row.state = State.EXECUTING.value
    row.nonce = uuid.uuid4().hex
    row.channel = channel.value
    row.expires_at = row.claimed_at = row.issued_at
    transitions.insert(row)
    return Claim(row.jti, row.nonce, State.EXECUTING, None, row.tool, row.target)


def give_back(claim: Claim, *, caller: Caller, reason: str) -> None:
    """Undo a claim under which nothing ran, and record it. Never raises: where it fails, the row reads as unknown.

    The token works again; where it has expired meanwhile, or there is none, the row says that nothing was executed.
    """
    if claim.origin is not State.EXECUTING:
        cache_lock.unlock(claim.jti, nonce=claim.nonce)
    try:
        transitions.give_back(claim, caller=caller, reason=reason)
    except Exception:
        logger.exception("Confirmation %s could not be given back; nothing ran.", claim.jti)


def settle(claim: Claim, outcome: Outcome, *, call: Call, caller: Caller) -> Outcome:
    """Commit what became of a claim with its final event, and keep it for replays; return it redacted and bounded.

    Never raises, since what was done is done: where the record cannot be written, the row says unknown.
    """
    secrets = secrets_in(call.arguments, call.sensitive)
    recorded = replace(outcome, response=bounded(storable(redact(outcome.response, call.sensitive, secrets=secrets))))
    try:
        if not transitions.settle(claim, recorded, caller=caller):
            logger.error("Confirmation %s is gone or not ours; its outcome is only in the audit record.", claim.jti)
            transitions.record_executed(claim, recorded, caller=caller)
    except Exception as error:  # noqa: BLE001 - what was done is done; its text would say that nothing was
        logger.error(  # noqa: TRY400
            "The outcome of confirmation %s (%s) could not be recorded (%s); it reads as unknown.",
            claim.jti,
            recorded.status.value,
            type(error).__name__,
        )
        transitions.doubt(claim)
        return recorded
    if claim.expires_at is not None:
        cache_lock.remember(
            claim.jti,
            subject=caller.subject,
            nonce=claim.nonce,
            outcome=recorded.as_dict(),
            expires_at=claim.expires_at,
        )
    _announce(claim)
    return recorded


def _new_row(call: Call, context: Context, *, mode: ApprovalMode, preview: Preview) -> Confirmation:
    caller = context.caller
    language, time_zone, accept_language = locale_of(context)
    snapshot = caller.snapshot()
    return Confirmation(
        jti=uuid.uuid4(),
        mode=mode.value,
        subject=caller.subject,
        caller=storable(redact(snapshot)),
        tool=call.tool,
        target=call.target,
        group=call.group[:100],
        safety=call.safety.value,
        arguments=bounded(storable(preview.arguments), MAX_EXCERPT),
        args_hash=canonical.args_hash(call.arguments),
        context=context_of(context),
        language=language,
        time_zone=time_zone,
        accept_language=accept_language,
        user_id=snapshot["user_id"],
        username=clean_text(snapshot["username"])[:200],
        key_id=caller.key_id,
        summary=clean_text(preview.summary),
        preview=bounded(storable(preview.effect.details), MAX_EXCERPT),
        warnings=bounded(storable(list(preview.warnings)), MAX_EXCERPT),
        issued_at=timezone.now(),
    )


def _token_of(row: Confirmation, lifetime: int) -> str:
    issued = int(row.issued_at.timestamp())
    return tokens.sign(
        tokens.Claims(
            sub=row.subject,
            tool=row.tool,
            target=row.target,
            args_hash=row.args_hash,
            iat=issued,
            exp=issued + lifetime,
            jti=str(row.jti),
        )
    )


def _claims(token: str, tool: str, target: str, caller: Caller) -> tokens.Claims:
    claims = tokens.verify(token)
    if claims.sub != caller.subject:
        raise tokens.invalid(Reason.OTHER_CALLER, claims.jti)
    if (claims.tool, claims.target) != (tool, target):
        raise refusals.wrong_operation(claims.jti, (claims.tool, claims.target), (tool, target))
    return claims


def _spent(row: Confirmation) -> ToolError:
    return refusals.spent(row.jti, row.state, row.outcome, row.target, by=one_line(row.decided_by))


def _expired(row: Confirmation, caller: Caller) -> ToolError:
    transitions.expire(row, caller=caller)
    return refusals.expired(row.jti, row.target)


def _lost(row: Confirmation, caller: Caller) -> ToolError:
    """Return the refusal of a row that did not move to executing: someone was first, or its time was over."""
    current = transitions.read(row.jti)
    if current is None:
        return refusals.spent(row.jti, State.UNKNOWN, None, row.target)
    if current.state not in OPEN_STATES:
        return _spent(current)
    if current.expired:
        return _expired(current, caller)
    # Open again means that another claim was given back meanwhile; this one ran nothing either.
    return Unavailable(transitions.UNAVAILABLE)


def _announce(claim: Claim) -> None:
    if not confirmation_settled.has_listeners(Confirmation):
        return
    try:
        row = transitions.read(claim.jti)
    except Unavailable:
        logger.exception("Nobody was told that confirmation %s was settled.", claim.jti)
    else:
        confirmation_settled.send_robust(sender=Confirmation, confirmation=row)
