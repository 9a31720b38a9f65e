"""Errors that nobody foresaw: the log has the whole, the client an id."""

import logging
import traceback
import uuid
from collections.abc import Iterable

from django_mcp.redaction import redact

logger = logging.getLogger("django_mcp")


def report(what: str, error: BaseException | None = None, *, secrets: Iterable[str] = ()) -> str:
    """Log what failed, with its traceback, and return the id that stands in the log and in the answer.

    `secrets` are texts that must not be logged: what came in sensitive arguments.
    """
    error_id = uuid.uuid4().hex[:12]
    # Not exc_info: a handler would print the exception's text as it is, and it may quote a key or a token.
    trace = "".join(traceback.format_exception(error)) if error is not None else ""
    said = redact(trace, secrets=secrets)
    logger.error("%s Error id %s.\n%s", redact(what), error_id, said, extra={"error_id": error_id})
    return error_id
