"""The words that the wire, the rows and the admin share: what a call may do, who agreed, and what became of it."""

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _


class Safety(StrEnum):
    """What a call may do to the host's data; the values are the strings on the wire."""

    READ_ONLY = "ReadOnly"
    WRITE = "Write"
    DESTRUCTIVE = "Destructive"

    def within(self, highest: "Safety") -> bool:
        """Tell whether this is no more dangerous than `highest`."""
        return _BY_DANGER.index(self) <= _BY_DANGER.index(highest)


_BY_DANGER = tuple(Safety)


class ApprovalMode(models.TextChoices):
    """Who must agree before a write runs, from the least to the most demanding."""

    DELEGATE = "delegate_to_client", _("Run at once; the client asks its user")
    TOKEN = "confirmation_token", _("Confirmation token")
    REVIEW = "review", _("Review by a human")
    REJECT = "reject", _("Reject")

    @classmethod
    def strictest(cls, *modes: "ApprovalMode") -> "ApprovalMode":
        return max(modes, key=list(cls).index)


class Channel(models.TextChoices):
    """Who confirmed a call."""

    AGENT = "agent", _("the agent")
    CLIENT = "client", _("the client's user")
    HUMAN = "human", _("a human")


class State(models.TextChoices):
    """The life of a confirmation. `executing` left behind by a killed process reads as unknown."""

    ISSUED = "issued", _("issued")
    APPROVED = "approved", _("approved")
    QUEUED = "queued", _("queued")
    EXECUTING = "executing", _("outcome unknown")
    SUCCEEDED = "succeeded", _("succeeded")
    REJECTED = "rejected", _("refused by the API")
    UNKNOWN = "unknown", _("outcome unknown")
    NOT_EXECUTED = "not_executed", _("not executed")
    DECLINED = "declined", _("declined")
    EXPIRED = "expired", _("expired")
    REVOKED = "revoked", _("revoked")


class EventKind(models.TextChoices):
    """The kinds of line in the audit record."""

    TOKEN_ISSUED = "token_issued", _("token issued")
    TOKEN_CONSUMED = "token_consumed", _("token consumed")
    TOKEN_REFUSED = "token_refused", _("token refused")
    CALL_REFUSED = "call_refused", _("call refused")
    EXECUTED = "executed", _("executed")
    READ = "read", _("read")
    READ_WROTE = "read_wrote", _("read that wrote")
    GIVEN_BACK = "given_back", _("given back")
    REVIEWED = "reviewed", _("reviewed")
    APPROVED = "approved", _("approved")
    DECLINED = "declined", _("declined")
    WITHDRAWN = "withdrawn", _("withdrawn")
    EXPIRED = "expired", _("expired")
    KEY_ISSUED = "key_issued", _("key issued")
    KEY_REVOKED = "key_revoked", _("key revoked")
    KEY_ROTATED = "key_rotated", _("key rotated")
    KEY_DELETED = "key_deleted", _("key deleted")
    EXPOSURE_CHANGED = "exposure_changed", _("exposure changed")
    SETTINGS_CHANGED = "settings_changed", _("settings changed")
    WRITES_SWITCHED = "writes_switched", _("writes switched")
    GRANT_ISSUED = "grant_issued", _("grant issued")
    GRANT_REFUSED = "grant_refused", _("grant refused")
    GRANT_REVOKED = "grant_revoked", _("grant revoked")
    EXPORTED = "exported", _("record exported")
    PRUNED = "pruned", _("record pruned")
    SEALED = "sealed", _("record sealed")
