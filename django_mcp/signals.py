"""Signals for hosts. They go out after commit, by `send_robust`; the record does not depend on them."""

from django.dispatch import Signal

# Arguments: confirmation (Confirmation).
confirmation_issued = Signal()
# Arguments: confirmation (Confirmation), settled with its outcome.
confirmation_settled = Signal()
# Arguments: key (APIKey).
key_issued = Signal()
# Arguments: key (APIKey).
key_revoked = Signal()
