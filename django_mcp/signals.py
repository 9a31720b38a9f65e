"""Signals for hosts. They go out after commit, by `send_robust`; the record does not depend on them."""

from django.dispatch import Signal

# Argument: confirmation (Confirmation), just committed.
confirmation_issued = Signal()
# Argument: confirmation (Confirmation), with its outcome.
confirmation_settled = Signal()
# Argument: key (APIKey).
key_issued = Signal()
# Argument: key (APIKey).
key_revoked = Signal()
