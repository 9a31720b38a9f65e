"""Confirmations: proposed, found again, claimed once, settled. The durable half of two-phase confirmation."""

import hmac
import json
import logging
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from django_mcp import audit
from django_mcp.approval import cache_lock, canonical, refusals, tokens, transitions
from django_mcp.approval.preview import Preview
from django_mcp.approval.signing import digest_keys
from django_mcp.approval.transitions import Claim
from django_mcp.errors import ToolError, Unavailable
from django_mcp.models import Confirmation
from django_mcp.models.confirmations import OPEN_STATES
from django_mcp.protocol.json import bounded, storable
from django_mcp.redaction import redact, secrets_in
from django_mcp.signals import confirmation_issued, confirmation_settled
from django_mcp.text import clean_text
from django_mcp.types import ApprovalMode, Caller, Channel, EventKind, Outcome, State, ToolCall

__all__ = [
    "Claim", "begin", "check_arguments", "claim", "find", "give_back", "propose", "settle", "stored_arguments",
]  # fmt: skip

logger = logging.getLogger("django_mcp")

_CACHE_UNAVAILABLE = (
    "The cache that guards against a second execution does not answer. Nothing was run; make the same call again with "
    "the same confirmationToken in a moment."
)


def propose(
    call: ToolCall,
    caller: Caller,
    *,
    mode: ApprovalMode,
    lifetime: int,
    preview: Preview,
    target_state: Mapping[str, Any],
) -> tuple[Confirmation, str]:
    """Commit a confirmation and its event, and return it with its token, which holds for `lifetime` seconds.

    Raises Unavailable where it cannot be committed, ValidationFailed for arguments that JSON cannot say.
    """
    row = _new_row(call, caller, mode=mode, preview=preview)
    row.expires_at = row.issued_at + timedelta(seconds=lifetime)
    row.target_state = dict(target_state)
    if preview.arguments == dict(call.arguments):
        row.effective = canonical.canonical(call.arguments)
    else:
        row.argument_digests = _digests(row.jti, call.arguments, digest_keys()[0])
    issued = int(row.issued_at.timestamp())
    token = tokens.sign(
        tokens.Claims(
            sub=caller.subject,
            tool=call.tool,
            target=call.target,
            args_hash=row.args_hash,
            iat=issued,
            exp=issued + lifetime,
            jti=str(row.jti),
        )
    )
    transitions.insert(
        row,
        lambda: audit.record(
            EventKind.TOKEN_ISSUED,
            caller=caller,
            confirmation=row.jti,
            tool=call.tool,
            target=call.target,
            mode=row.mode,
            expiresInSeconds=lifetime,
        ),
    )
    confirmation_issued.send_robust(sender=Confirmation, confirmation=row)
    return row, token


def find(token: str, *, tool: str, target: str, caller: Caller) -> Confirmation:
    """Return the open confirmation of a token, changing nothing but that an expired one is written down as such.

    Checks in this order, and raises: ConfirmationMalformed; ConfirmationInvalid for a bad signature, another caller
    or no row; ConfirmationUsed or Declined for a spent one, at any age; ConfirmationExpired; WrongOperation;
    ArgumentsChanged where the server is called by another name.
    Unavailable where the database does not answer.
    """
    said = tokens.verify(token)
    if said.sub != caller.subject:
        raise tokens.invalid()
    jti = uuid.UUID(said.jti)
    outcome = cache_lock.recorded(jti, caller.subject)
    if outcome is not None:
        raise refusals.spent(str(outcome.get("status")), outcome, said.target)
    row = transitions.read(jti)
    if row is None or row.subject != caller.subject or row.args_hash != said.args_hash:
        raise tokens.invalid()
    if row.state not in OPEN_STATES:
        raise _spent(row)
    if row.expired or said.exp < int(timezone.now().timestamp()):
        transitions.expire(row, caller=caller)
        raise refusals.expired(row.target)
    if not (tool, target) == (row.tool, row.target) == (said.tool, said.target):
        raise refusals.wrong_operation((row.tool, row.target), (tool, target))
    if row.caller.get("host", "") != caller.host:
        # Many projects choose the tenant by the name that they are called by.
        raise refusals.changed(row.target, ["the host name of the server"])
    return row


def stored_arguments(row: Confirmation) -> dict[str, Any] | None:
    """Return the effective arguments of an open confirmation, None where they could not be stored."""
    if row.effective is None:
        return None
    arguments: dict[str, Any] = json.loads(row.effective)
    return arguments


def check_arguments(row: Confirmation, call: ToolCall) -> None:
    """Raise ArgumentsChanged, naming where, unless the call's effective arguments are those that were shown."""
    if canonical.args_hash(call.arguments, call.forwarded) == row.args_hash:
        return
    before = stored_arguments(row)
    if before is not None:
        paths = canonical.changed_paths(before, dict(call.arguments))
    else:
        paths = _changed_names(row, call.arguments)
    raise refusals.changed(call.target, paths or ["request headers"])


def claim(row: Confirmation, *, channel: Channel, caller: Caller) -> Claim:
    """Spend the confirmation: commit that it is being executed, for whoever calls first, and take the cache's lock.

    Raises ConfirmationUsed, Declined or ConfirmationExpired where someone was first, PendingReview where nobody has
    approved it yet, Unavailable where database or cache do not answer; nothing may run then.
    """
    if row.state not in OPEN_STATES:
        raise _spent(row)
    if row.mode == ApprovalMode.REVIEW and row.state != State.APPROVED:
        raise refusals.pending(row.target)
    mine = Claim(row.jti, uuid.uuid4().hex, State(row.state), row.expires_at, row.tool, row.target)
    if not transitions.take(mine, channel=channel, caller=caller):
        raise _lost(row)
    lock = cache_lock.lock(
        row.jti, subject=row.subject, nonce=mine.nonce, ran_nothing=transitions.ran_nothing, expires_at=row.expires_at
    )
    if lock is cache_lock.Lock.TAKEN:
        return mine
    if lock is cache_lock.Lock.HELD:
        # The database has forgotten an execution that the cache remembers, or a reply of the cache was lost for good.
        # Only one of them ran anything, and nothing tells which.
        logger.warning("Confirmation %s is open in the database and spent in the cache; it was refused.", row.jti)
        transitions.doubt(mine)
        raise refusals.spent(State.UNKNOWN, None, row.target)
    give_back(mine, caller=caller, reason="cache unavailable")
    raise Unavailable(_CACHE_UNAVAILABLE)


def begin(call: ToolCall, caller: Caller, *, mode: ApprovalMode, channel: Channel, preview: Preview) -> Claim:
    """Commit the row of a write that runs without a token, already executing; its event is the one of its outcome.

    Raises Unavailable where it cannot be committed: nothing may run then.
    """
    row = _new_row(call, caller, mode=mode, preview=preview)
    row.state = State.EXECUTING.value
    row.nonce = uuid.uuid4().hex
    row.channel = channel.value
    row.expires_at = row.claimed_at = row.issued_at
    transitions.insert(row, lambda: None)
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


def settle(claim: Claim, outcome: Outcome, *, call: ToolCall, caller: Caller) -> Outcome:
    """Commit what became of a claim with its final event, and keep it for replays; return it redacted and bounded.

    Never raises, since what was done is done: where the record cannot be written, the row says unknown.
    """
    secrets = secrets_in(call.arguments, call.sensitive)
    kept = Outcome(
        status=outcome.status,
        http_status=outcome.http_status,
        response=bounded(storable(redact(outcome.response, call.sensitive, secrets=secrets))),
        error_id=outcome.error_id,
    )
    try:
        if not transitions.settle(claim, kept, caller=caller):
            logger.error("Confirmation %s is gone or not ours; its outcome is only in the audit record.", claim.jti)
            transitions.record_executed(claim, kept, caller=caller)
    except Exception as error:  # noqa: BLE001 - what was done is done; its text would say that nothing was
        logger.error(  # noqa: TRY400
            "The outcome of confirmation %s (%s) could not be recorded (%s); it reads as unknown.",
            claim.jti,
            kept.status.value,
            type(error).__name__,
        )
        transitions.doubt(claim)
        return kept
    if claim.expires_at is not None:
        cache_lock.remember(
            claim.jti,
            subject=caller.subject,
            nonce=claim.nonce,
            outcome=kept.as_dict(),
            expires_at=claim.expires_at,
        )
    _announce(claim)
    return kept


def _new_row(call: ToolCall, caller: Caller, *, mode: ApprovalMode, preview: Preview) -> Confirmation:
    return Confirmation(
        jti=uuid.uuid4(),
        mode=mode.value,
        subject=caller.subject,
        caller=storable(redact(caller.snapshot())),
        tool=call.tool,
        target=call.target,
        group=call.group[:100],
        safety=call.safety.value,
        arguments=storable(preview.arguments),
        args_hash=canonical.args_hash(call.arguments, call.forwarded),
        summary=clean_text(preview.summary),
        preview=storable(preview.effect.details),
        warnings=storable(list(preview.warnings)),
        issued_at=timezone.now(),
    )


def _spent(row: Confirmation) -> ToolError:
    return refusals.spent(row.state, row.outcome, row.target)


def _lost(row: Confirmation) -> ToolError:
    current = transitions.read(row.jti)
    if current is None:
        return refusals.spent(State.UNKNOWN, None, row.target)
    # Open again means that another claim was given back meanwhile; this one ran nothing either.
    return Unavailable(transitions.UNAVAILABLE) if current.state in OPEN_STATES else _spent(current)


def _digests(jti: uuid.UUID, arguments: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Return a keyed digest for each top-level argument; none of them says that two confirmations share a value."""
    return {
        clean_text(name): hmac.digest(
            key, f"{jti}\n{json.dumps(name)}\n{canonical.canonical(value)}".encode(), "sha256"
        ).hex()
        for name, value in arguments.items()
    }


def _changed_names(row: Confirmation, arguments: Mapping[str, Any]) -> list[str]:
    before: dict[str, str] = row.argument_digests
    now = [_digests(row.jti, arguments, key) for key in digest_keys()]
    names = sorted({*before, *now[0]})
    return [name for name in names if all(digests.get(name) != before.get(name) for digests in now)]


def _announce(claim: Claim) -> None:
    if not confirmation_settled.has_listeners(Confirmation):
        return
    try:
        row = transitions.read(claim.jti)
    except Unavailable:
        logger.exception("Nobody was told that confirmation %s was settled.", claim.jti)
    else:
        confirmation_settled.send_robust(sender=Confirmation, confirmation=row)
