"""What stands between a call and the host's code while it runs: the comparison before it, and the watch over reads."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from django_mcp.choices import Safety
from django_mcp.errors import OperationFailed
from django_mcp.host.read_guard import Watch, watching
from django_mcp.replies import Reply
from django_mcp.types import Call

# Called immediately before the host's code; True where it shares that code's transaction, so that rows may be locked.
Guard = Callable[[bool], None]


def watched(call: Call) -> AbstractContextManager[Watch]:
    """Watch what a call that is declared to read sends to the databases; others may write."""
    if call.safety is Safety.READ_ONLY:
        return watching(call.target)
    return nullcontext(Watch(call.target, enforced=False))


def noted(reply: Reply, watch: Watch) -> Reply:
    """Return the reply with the writes of a call that is declared to read.

    A write that was refused replaces the reply, also where the view went on: its answer may speak of what was not written.
    """
    if not watch.writes:
        return reply
    reply = replace(reply, writes=tuple(watch.writes))
    if not watch.refused:
        return reply
    details = {"errorId": reply.error_id} if reply.error_id else {}
    refusal = OperationFailed(
        f"{watch.target} is declared ReadOnly but tried to write to the database. The write was refused and nothing was "
        "changed. Calling again will not help: tell the user that the API's developer has to correct it.",
        httpStatus=500,
        **details,
    )
    return replace(reply, status=500, error=refusal, rolled_back=True, write_refused=True)
