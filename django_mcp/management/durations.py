"""Durations as they are typed: 90d, 12h, 30m, 45s, 2w."""

import re
from datetime import timedelta

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WRITTEN = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)


def parse(text: str) -> timedelta:
    """Return the duration that `text` says. Raises ValueError, with a text for people, where it says none."""
    written = _WRITTEN.fullmatch(text.strip().lower())
    if written is None or not int(written[1]):
        msg = f"{text!r} is no duration. Write a number and a unit, such as 90d, 12h or 30m."
        raise ValueError(msg)
    return timedelta(**{_UNITS[written[2]]: int(written[1])})
