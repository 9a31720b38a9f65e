"""Decisions that people take about open confirmations: each is one transition of the row and its event."""

import uuid
from collections.abc import Mapping
from typing import Any

from django_mcp.approval import transitions
from django_mcp.choices import State
from django_mcp.models import Confirmation
from django_mcp.models.confirmations import OPEN_STATES


class NotOpen(Exception):
    """There is nothing left to decide. `state` is what the confirmation is, None where there is no such one."""

    def __init__(self, state: State | None) -> None:
        super().__init__("There is no such confirmation." if state is None else f"The confirmation is {state}.")
        self.state = state


def withdraw(jti: uuid.UUID, *, by: Mapping[str, Any], reason: str = "") -> Confirmation:
    """Withdraw an open confirmation, so that it never runs; return its row.

    `by` is who withdraws it: any of a caller snapshot's keys. Raises NotOpen where it runs, ran, was decided or has
    expired, Unavailable where the database does not answer.
    """
    # In each round the row has moved on meanwhile: it was approved, or given back by a redemption that ran nothing.
    for _round in range(len(OPEN_STATES) + 1):
        row = transitions.read(jti)
        if row is None:
            raise NotOpen(None)
        if row.shown_state not in OPEN_STATES:
            raise NotOpen(State(row.shown_state))
        if transitions.withdraw(row, by=by, reason=reason):
            return row
    raise NotOpen(State.EXECUTING)


def open_of_key(key_id: int) -> list[uuid.UUID]:
    """Return the ids of the open confirmations of a key, oldest first."""
    rows = transitions.rows().open().filter(subject=f"key:{key_id}").order_by("issued_at")
    return [row.jti for row in rows.only("jti", "state", "expires_at") if not row.expired]
