"""Cursors: where a listing stopped, kept by the client instead of by us (MCP 2025-06-18, server utilities, pagination)."""

import base64
import binascii
import re

# A digit for the part of the listing, and the name of what was listed last.
_POSITION = re.compile(r"[0-9][A-Za-z0-9_-]{1,64}", re.ASCII)


def encode(position: str) -> str:
    """Return the cursor for a position: text that means nothing to a client."""
    return base64.urlsafe_b64encode(position.encode()).rstrip(b"=").decode()


def decode(cursor: str) -> str:
    """Return the position that a cursor stands for. Raises ValueError for one that was never handed out."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        position = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (UnicodeError, binascii.Error):
        position = ""
    if not _POSITION.fullmatch(position) or encode(position) != cursor:
        msg = "no cursor of ours"
        raise ValueError(msg)
    return position
