"""A process whose clock differs from everyone else's."""

import time
from datetime import timedelta

from django.utils import timezone


def shift(seconds: float) -> None:
    """Put what Django and the standard library take for the time forward, or back where `seconds` is negative."""
    real_time, real_now = time.time, timezone.now
    time.time = lambda: real_time() + seconds
    timezone.now = lambda: real_now() + timedelta(seconds=seconds)
