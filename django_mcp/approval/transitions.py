"""Transitions of a confirmation's row: each is one conditional UPDATE and its event, in a transaction of their own.

An error of the database does not say whether the transaction was committed. The row does: it carries the claim's nonce,
which nobody else has, so that reading it on a fresh connection tells what happened.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import Error, connections, router, transaction
from django.utils import timezone

from django_mcp import audit
from django_mcp.choices import Channel, EventKind, State
from django_mcp.errors import Unavailable
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import OPEN_STATES, ConfirmationQuerySet
from django_mcp.redaction import redact
from django_mcp.text import clean_text, one_line
from django_mcp.types import Caller, Outcome

logger = logging.getLogger("django_mcp")

_ATTEMPTS = 2
MAX_REASON = 500
UNAVAILABLE = (
    "The confirmation could not be read or written in the database. Nothing was run; make the same call again in a "
    "moment."
)

# Writes an event into the transaction that is open.
Event = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one confirmed call once. `origin` is the state that the row was claimed from.

    It is `executing` for a call that was never proposed, and so has no token to give back.
    """

    jti: UUID
    nonce: str
    origin: State
    expires_at: datetime | None = None
    tool: str = ""
    target: str = ""

    @property
    def position(self) -> dict[str, str]:
        """Return the position of a row that this claim is executing."""
        return {"state": State.EXECUTING, "nonce": self.nonce}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One move of a row from the position `start` to the position `end`.

    A position is the row's `state` and its `nonce`; a start without a nonce does not care who had claimed the row.
    `update` holds the other columns to write. `unexpired`: the move is for a row whose time is not over.
    """

    jti: UUID
    start: Mapping[str, str]
    end: Mapping[str, str]
    update: Mapping[str, Any]
    event: Event
    unexpired: bool = False


def alias() -> str:
    """Return the one database that confirmations are read from and written to: a replica may lag behind a claim."""
    return router.db_for_write(Confirmation)


def rows() -> ConfirmationQuerySet:
    """Return all confirmations of that database."""
    return Confirmation.objects.using(alias())


def read(jti: UUID) -> Confirmation | None:
    """Return the row. Raises Unavailable where the database does not answer, on a second connection neither."""
    for _attempt in range(_ATTEMPTS):
        try:
            return rows().filter(jti=jti).first()
        except Error as error:
            _log("read", error)
    raise Unavailable(UNAVAILABLE)


def insert(row: Confirmation, event: Event | None = None) -> None:
    """Commit a new row and its event. Raises Unavailable where that fails."""
    try:
        with transaction.atomic(using=alias(), durable=True):
            row.save(using=alias(), force_insert=True)
            if event is not None:
                event()
    except Error as error:
        _log("insert", error)
        raise Unavailable(UNAVAILABLE) from None


def expire(row: Confirmation, *, caller: Caller | Mapping[str, Any]) -> bool:
    """Write that an open confirmation has expired, once, best effort: it cannot be redeemed either way.

    Return True for the one call that wrote it. `caller` is who noticed, or a snapshot of the row's own caller. The row
    counts as settled at its expiry, whenever that is noticed.
    """
    try:
        with transaction.atomic(using=alias(), durable=True):
            open_row = rows().open().filter(jti=row.jti)
            moved = bool(open_row.update(state=State.EXPIRED, settled_at=row.expires_at, effective=None))
            if moved:
                audit.record(EventKind.EXPIRED, caller=caller, confirmation=row.jti, tool=row.tool, target=row.target)
    except Error as error:
        _log("expire", error)
        return False
    return moved


def take(claim: Claim, *, channel: Channel, caller: Caller) -> bool:
    """Claim the row and record it; True for the one claim that got it. Raises Unavailable where that is not known."""
    return _commit(
        Transition(
            jti=claim.jti,
            start={"state": claim.origin},
            end=claim.position,
            update={"channel": channel, "claimed_at": timezone.now()},
            event=_event(EventKind.TOKEN_CONSUMED, claim, caller, channel=channel.value),
            unexpired=True,
        )
    )


def give_back(claim: Claim, *, caller: Caller, reason: str) -> bool:
    """Undo a claim under which nothing ran: its token works again or, where it is too late, the row says so."""
    in_time = claim.expires_at is not None and claim.expires_at > timezone.now()
    if in_time and claim.origin in OPEN_STATES:
        state, update = claim.origin, {"channel": "", "claimed_at": None}
    else:
        state, update = State.NOT_EXECUTED, _settled(Outcome(status=State.NOT_EXECUTED))
    return _commit(
        Transition(
            jti=claim.jti,
            start=claim.position,
            end={"state": state, "nonce": ""},
            update=update,
            event=_event(EventKind.GIVEN_BACK, claim, caller, reason=reason, state=state.value, claim=claim.nonce),
        )
    )


def withdraw(row: Confirmation, *, by: Mapping[str, Any], reason: str) -> bool:
    """Withdraw a confirmation from the open state that it was read in; False where it is no longer in it."""
    person = one_line(by.get("username") or by.get("subject") or "", 200)
    reason = clean_text(redact(reason))[:MAX_REASON]
    now = timezone.now()
    return _commit(
        Transition(
            jti=row.jti,
            start={"state": row.state},
            # The nonce tells this withdrawal from another person's at the same time.
            end={"state": State.REVOKED, "nonce": uuid4().hex},
            update={
                "decided_at": now,
                "decided_by": person,
                "decided_by_id": str(by.get("user_id") or ""),
                "reason": reason,
                "settled_at": now,
                "effective": None,
            },
            event=partial(
                audit.record,
                EventKind.WITHDRAWN,
                caller=by,
                confirmation=row.jti,
                tool=row.tool,
                target=row.target,
                by=person,
                reason=reason,
            ),
            unexpired=True,
        )
    )


def was_given_back(jti: UUID, nonce: str) -> bool:
    """Tell whether the record says that the claim of that nonce was given back. Raises DatabaseError."""
    events = AuditEvent.objects.using(router.db_for_write(AuditEvent))
    given_back = events.filter(confirmation=jti, kind=EventKind.GIVEN_BACK)
    return any(detail.get("claim") == nonce for detail in given_back.values_list("detail", flat=True))


def settle(claim: Claim, outcome: Outcome, *, caller: Caller) -> bool:
    """Write what became of a claim and record it; False where the row is no longer this claim's."""
    return _commit(
        Transition(
            jti=claim.jti,
            start=claim.position,
            end={"state": outcome.status, "nonce": claim.nonce},
            update=_settled(outcome),
            event=partial(record_executed, claim, outcome, caller=caller),
        )
    )


def record_executed(claim: Claim, outcome: Outcome, *, caller: Caller) -> None:
    """Record the outcome of a claim, in whatever transaction is open."""
    status, http_status = outcome.status.value, outcome.http_status
    _event(EventKind.EXECUTED, claim, caller, status=status, httpStatus=http_status, errorId=outcome.error_id)()


def doubt(claim: Claim) -> None:
    """Write that it is not known what became of a claim, best effort: a row left executing reads the same."""
    try:
        with transaction.atomic(using=alias(), durable=True):
            update = _settled(Outcome(status=State.UNKNOWN))
            rows().filter(jti=claim.jti, **claim.position).update(state=State.UNKNOWN, **update)
    except (Error, RuntimeError) as error:
        # RuntimeError: someone left a transaction open around us, in which nothing would last.
        _log("doubt", error)


def _commit(transition: Transition) -> bool:
    """Commit a transition and its event, in a second attempt where the first met an error or a race.

    Return False where it did not move the row. Raises Unavailable where that is not known.
    """
    certain = True
    for _attempt in range(_ATTEMPTS):
        try:
            if _attempted(transition):
                return True
        except Error as error:
            _log("move", error)
            certain = False
        position = _position_of(transition.jti)
        if position == transition.end:
            return True
        if position is None or not transition.start.items() <= position.items():
            return False
    if certain:
        return False
    raise Unavailable(UNAVAILABLE)


def _attempted(transition: Transition) -> bool:
    with transaction.atomic(using=alias(), durable=True):
        at_start = rows().filter(jti=transition.jti, **transition.start)
        if transition.unexpired:
            at_start = at_start.filter(expires_at__gt=timezone.now())
        moved = bool(at_start.update(**transition.end, **transition.update))
        if moved:
            transition.event()
    return moved


def _position_of(jti: UUID) -> Mapping[str, object] | None:
    try:
        return rows().filter(jti=jti).values("state", "nonce").first()
    except Error as error:
        _log("read again", error)
        raise Unavailable(UNAVAILABLE) from None


def _settled(outcome: Outcome) -> dict[str, Any]:
    """Return the columns of a settled row; its effective arguments are no longer needed."""
    return {"outcome": outcome.as_dict(), "settled_at": timezone.now(), "effective": None}


def _event(kind: EventKind, of: Claim, caller: Caller, /, **detail: Any) -> Event:
    return partial(audit.record, kind, caller=caller, confirmation=of.jti, tool=of.tool, target=of.target, **detail)


def _log(action: str, error: Exception) -> None:
    # The error's own text may quote values of the row.
    logger.warning("The database of confirmations failed (%s): %s.", action, type(error).__name__)
    connection = connections[alias()]
    if not connection.in_atomic_block:
        connection.close()
