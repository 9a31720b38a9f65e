"""How a confirmation's row moves from state to state: one conditional UPDATE and its event, in a transaction of their own.

An error of the database does not say whether it committed. The row does: it carries the claim's nonce, which nobody
else has, so a look at it on a fresh connection tells what happened.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import Error, connections, router, transaction
from django.utils import timezone

from django_mcp import audit
from django_mcp.errors import Unavailable
from django_mcp.models import AuditEvent, Confirmation
from django_mcp.models.confirmations import OPEN_STATES, ConfirmationQuerySet
from django_mcp.types import Caller, Channel, EventKind, Outcome, State

logger = logging.getLogger("django_mcp")

_ATTEMPTS = 2
UNAVAILABLE = "The confirmation could not be read or written in the database. Nothing was run; make the same call again in a moment."


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one confirmed call once. `origin` is the state it was claimed from.

    `executing` for a call that was never proposed, and so has no token to give back.
    """

    jti: UUID
    nonce: str
    origin: State
    expires_at: datetime | None = None
    tool: str = ""
    target: str = ""

    @property
    def redeemable(self) -> bool:
        """Tell whether its token could be redeemed again if it were given back now."""
        return self.origin.value in OPEN_STATES and self.expires_at is not None and self.expires_at > timezone.now()


def alias() -> str:
    """Return the one database that confirmations are read from and written to: a replica may lag behind a claim."""
    return router.db_for_write(Confirmation)


def rows() -> ConfirmationQuerySet:
    return Confirmation.objects.using(alias())


def read(jti: UUID) -> Confirmation | None:
    """Return the row. Raises Unavailable where the database does not answer, on a second connection neither."""
    try:
        return rows().filter(jti=jti).first()
    except Error as error:
        _note("read", error)
    try:
        return rows().filter(jti=jti).first()
    except Error as error:
        _note("read", error)
        raise Unavailable(UNAVAILABLE) from None


def insert(row: Confirmation, record: Callable[[], object]) -> None:
    """Commit a new row and what `record` writes. Raises Unavailable where that fails."""
    try:
        with transaction.atomic(using=alias(), durable=True):
            row.save(using=alias(), force_insert=True)
            record()
    except Error as error:
        _note("insert", error)
        raise Unavailable(UNAVAILABLE) from None


def expire(row: Confirmation, *, caller: Caller | Mapping[str, Any]) -> bool:
    """Write that an open confirmation has expired, once, best effort: it cannot be redeemed either way.

    True for the one caller who wrote it. `caller` is who noticed, or a snapshot of whose it is. It was settled when its
    time was over, whenever that is noticed.
    """
    try:
        with transaction.atomic(using=alias(), durable=True):
            changes = {"state": State.EXPIRED.value, "settled_at": row.expires_at, "effective": None}
            moved = bool(rows().open().filter(jti=row.jti).update(**changes))
            if moved:
                audit.record(EventKind.EXPIRED, caller=caller, confirmation=row.jti, tool=row.tool, target=row.target)
    except Error as error:
        _note("expire", error)
        return False
    return moved


def take(claim: Claim, *, channel: Channel, caller: Caller) -> bool:
    """Claim the row and record it; True for the one claim that got it. Raises Unavailable where that is not known."""
    return _commit(
        claim,
        lambda: rows().claim(claim.jti, origin=claim.origin.value, nonce=claim.nonce, channel=channel.value),
        lambda: _record(EventKind.TOKEN_CONSUMED, claim, caller, channel=channel.value),
        start={"state": claim.origin.value},
        end=_own(claim),
    )


def give_back(claim: Claim, *, caller: Caller, reason: str) -> bool:
    """Undo a claim that ran nothing: its token works again, or, where it is too late for that, the row says so."""
    end = claim.origin if claim.redeemable else State.NOT_EXECUTED

    def write() -> bool:
        if end is not State.NOT_EXECUTED:
            return rows().give_back(claim.jti, nonce=claim.nonce, to=end.value)
        outcome = Outcome(status=end).as_dict()
        return bool(
            rows()
            .held(claim.jti, nonce=claim.nonce)
            .update(state=end.value, nonce="", settled_at=timezone.now(), effective=None, outcome=outcome)
        )

    return _commit(
        claim,
        write,
        lambda: _record(EventKind.GIVEN_BACK, claim, caller, reason=reason, state=end.value, claim=claim.nonce),
        start=_own(claim),
        end={"state": end.value, "nonce": ""},
    )


def ran_nothing(jti: UUID, nonce: str) -> bool:
    """Tell whether the record has it that the claim of that nonce was given back. Raises DatabaseError."""
    events = AuditEvent.objects.using(router.db_for_write(AuditEvent))
    given_back = events.filter(confirmation=jti, kind=EventKind.GIVEN_BACK.value)
    return any(detail.get("claim") == nonce for detail in given_back.values_list("detail", flat=True))


def settle(claim: Claim, outcome: Outcome, *, caller: Caller) -> bool:
    """Write what became of a claim and record it; False where the row is no longer this claim's."""
    return _commit(
        claim,
        lambda: rows().settle(claim.jti, nonce=claim.nonce, state=outcome.status.value, outcome=outcome.as_dict()),
        lambda: record_executed(claim, outcome, caller=caller),
        start=_own(claim),
        end={"state": outcome.status.value, "nonce": claim.nonce},
    )


def record_executed(claim: Claim, outcome: Outcome, *, caller: Caller) -> None:
    _record(
        EventKind.EXECUTED,
        claim,
        caller,
        status=outcome.status.value,
        httpStatus=outcome.http_status,
        errorId=outcome.error_id,
    )


def doubt(claim: Claim) -> None:
    """Write that it is not known what became of a claim, best effort: a row left executing reads the same."""
    try:
        with transaction.atomic(using=alias(), durable=True):
            outcome = Outcome(status=State.UNKNOWN).as_dict()
            rows().settle(claim.jti, nonce=claim.nonce, state=State.UNKNOWN.value, outcome=outcome)
    except (Error, RuntimeError) as error:
        # RuntimeError: someone left a transaction open around us, in which nothing would last.
        _note("doubt", error)


def _commit(
    claim: Claim,
    write: Callable[[], bool],
    record: Callable[[], object],
    *,
    start: Mapping[str, str],
    end: Mapping[str, str],
) -> bool:
    """Commit a move and its event; False where someone else moved the row. Raises Unavailable where that is not known."""
    for _attempt in range(_ATTEMPTS):
        try:
            with transaction.atomic(using=alias(), durable=True):
                moved = write()
                if moved:
                    record()
            if moved:
                return True
        except Error as error:
            _note("move", error)
        found = _state_of(claim.jti)
        if found == end:
            return True
        if found is None or not start.items() <= found.items():
            return False
    raise Unavailable(UNAVAILABLE)


def _state_of(jti: UUID) -> Mapping[str, str] | None:
    try:
        found = rows().filter(jti=jti).values_list("state", "nonce").first()
    except Error as error:
        _note("read again", error)
        raise Unavailable(UNAVAILABLE) from None
    return None if found is None else {"state": found[0], "nonce": found[1]}


def _own(claim: Claim) -> dict[str, str]:
    return {"state": State.EXECUTING.value, "nonce": claim.nonce}


def _record(kind: EventKind, of: Claim, caller: Caller, **detail: Any) -> None:
    audit.record(kind, caller=caller, confirmation=of.jti, tool=of.tool, target=of.target, **detail)


def _note(what: str, error: Exception) -> None:
    # The error's own text may quote values of the row.
    logger.warning("The database of confirmations failed (%s): %s.", what, type(error).__name__)
    connection = connections[alias()]
    if not connection.in_atomic_block:
        connection.close()
