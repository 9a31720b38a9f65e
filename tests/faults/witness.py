"""What an execution sees of its confirmation from outside its transaction, written where no rollback reaches."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, Error, connections

ATTEMPTS = 5
EXECUTING = """
    SELECT c.arguments,
           (SELECT COUNT(*) FROM django_mcp_auditevent e WHERE e.confirmation = c.jti AND e.kind = 'token_consumed')
    FROM django_mcp_confirmation c WHERE c.state = 'executing'
"""


def testify(name: str) -> None:
    """Append an execution for the customer of that name to the file of executions, with its committed rows and events."""
    line = json.dumps({"name": name, "consumed": _consumed(name)}) + "\n"
    descriptor = os.open(executions(), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        # One write of less than a page: lines of several processes do not mix.
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def executions() -> Path:
    return Path(os.environ["FAULT_DIRECTORY"]) / "executions"


def _consumed(name: str) -> list[int] | None:
    """Return, for each committed row that is executing for the customer, how often its token was consumed.

    None where the database did not let it look.
    """
    for _attempt in range(ATTEMPTS):
        # A connection that nobody else knows sees what is committed, and is in no transaction.
        own: Any = connections.create_connection(DEFAULT_DB_ALIAS)
        with contextlib.closing(own), contextlib.suppress(Error), own.cursor() as cursor:
            cursor.execute(EXECUTING)
            rows = [(json.loads(arguments), count) for arguments, count in cursor.fetchall()]
            return [count for arguments, count in rows if arguments.get("customer_name") == name]
    return None
