"""Reports of unexpected errors: the log gets the traceback, the client an id to find it by."""

import logging
import traceback
import uuid
from collections.abc import Iterable

from django_mcp.redaction import redact

logger = logging.getLogger("django_mcp")


def report(what: str, error: BaseException | None = None, *, secrets: Iterable[str] = ()) -> str:
    """Log what failed, with the traceback of `error`, and return the id of 12 hexadecimal digits that the line carries.

    `secrets` are texts that must not be logged: the values of sensitive arguments.
    """
    error_id = uuid.uuid4().hex[:12]
    # Not exc_info: a handler would print the exception's text as it is, and it may quote a key or a token.
    trace = "".join(traceback.format_exception(error)) if error is not None else ""
    masked_trace = redact(trace, secrets=secrets)
    logger.error("%s Error id %s.\n%s", redact(what), error_id, masked_trace, extra={"error_id": error_id})
    return error_id
