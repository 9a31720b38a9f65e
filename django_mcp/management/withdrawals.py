"""What `mcp withdraw` does."""

import uuid
from collections.abc import Sequence

from django.core.management.base import CommandError

from django_mcp.approval import decisions
from django_mcp.approval.decisions import NotOpen
from django_mcp.errors import Unavailable
from django_mcp.management import keys


def withdraw(identifiers: Sequence[str], key: str | None, reason: str = "") -> str:
    """Withdraw the open confirmations of these ids, or all of a key, and return how many there were.

    Raises CommandError for what is no id, and withdraws nothing; after the others for those that are not open.
    """
    if bool(identifiers) is (key is not None):
        raise CommandError("Name the ids of confirmations, or a key with --key.")
    chosen = [_id(text) for text in identifiers] if key is None else decisions.open_of_key(keys.named(key).pk)
    withdrawn, refused = 0, []
    for jti in dict.fromkeys(chosen):
        try:
            decisions.withdraw(jti, by=keys.ACTOR, reason=reason)
            withdrawn += 1
        except NotOpen as refusal:
            # Of all of a key's, one that was redeemed meanwhile is no longer meant.
            if key is None:
                refused.append(f"{jti} ({'unknown' if refusal.state is None else refusal.state})")
        except Unavailable as error:
            msg = f"Withdrew {withdrawn}, then: {error}"
            raise CommandError(msg) from None
    if refused:
        msg = f"Withdrew {withdrawn}. Not open: {', '.join(refused)}."
        raise CommandError(msg)
    return f"Withdrew {withdrawn} confirmation{'' if withdrawn == 1 else 's'}."


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        msg = f"{text!r} is no id of a confirmation. The admin shows ids, and so does each audit event."
        raise CommandError(msg) from None
