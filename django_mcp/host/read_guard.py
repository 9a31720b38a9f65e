"""Watches an operation that is declared to read: the queries that it sends must not write.

The guard comes first, after it the reading of SQL by which it tells a write.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError, connections

from django_mcp.conf import conf
from django_mcp.text import one_line

MAX_NOTICED = 20
MAX_TABLE = 100

logger = logging.getLogger("django_mcp")

_warned: set[str] = set()


class Write(NamedTuple):
    """A write that a statement makes. `table` is "" where the statement names none."""

    verb: str
    table: str

    def __str__(self) -> str:
        return f"{self.verb} {self.table}".rstrip()


class ReadWrote(DatabaseError):
    """A query was not sent, because it would have written for an operation or tool that is declared to read.

    It is a DatabaseError, as a database raises it that allows no writes: the host's code knows how to handle that.
    """


class Watch:
    """The writes that one call attempted: each verb and table once. `refused` where they were not sent."""

    def __init__(self, target: str, *, enforced: bool) -> None:
        self.target = target
        self.enforced = enforced
        self.writes: list[str] = []

    @property
    def refused(self) -> bool:
        return self.enforced and bool(self.writes)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        """Send a query, as an execute wrapper of Django does. Raises ReadWrote for a write that is refused."""
        write = _write_of(sql, context)
        if write is None:
            return execute(sql, params, many, context)
        text = one_line(str(write))
        if text not in self.writes and len(self.writes) < MAX_NOTICED:
            self.writes.append(text)
        if self.target not in _warned:
            _warned.add(self.target)
            logger.warning(
                "%s is declared ReadOnly, so it needs no confirmation, but it writes: %s%s. Declare its safety with "
                "mcp_operation(safety=…), or take the write out of it.",
                self.target,
                text,
                ", which was refused" if self.enforced else "",
            )
        if self.enforced:
            msg = f"{self.target} is declared ReadOnly, so this was not sent: {self.writes[-1]}."
            raise ReadWrote(msg)
        return execute(sql, params, many, context)


@contextmanager
def watching(target: str) -> Iterator[Watch]:
    """Watch the queries that this thread sends to any database; under `READ_GUARD = "enforce"` no write is sent.

    Writes to the tables of database caches are let through: a throttle makes them on every request. `target` is the
    operation's or tool's name; the log is warned of it once in a process.
    """
    mode = conf.READ_GUARD
    watch = Watch(target, enforced=mode == "enforce")
    if mode == "off":
        yield watch
        return
    with _wrapped(connections, watch):
        yield watch


@contextmanager
def noticing(aliases: Iterable[str]) -> Iterator[list[Write]]:
    """Collect the writes that this thread sends to these databases."""
    writes: list[Write] = []

    def collect(execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        write = _write_of(sql, context)
        if write is not None:
            writes.append(write)
        return execute(sql, params, many, context)

    with _wrapped(aliases, collect):
        yield writes


@contextmanager
def _wrapped(aliases: Iterable[str], wrapper: Callable[..., Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for alias in aliases:
            stack.enter_context(connections[alias].execute_wrapper(wrapper))
        yield


def _write_of(sql: Any, context: Any) -> Write | None:
    """Return the first write of a query, None where it only reads or writes to the table of a database cache.

    `sql` and `context` are those of an execute wrapper; a query that is no text is read as its driver would send it.
    """
    connection = context["connection"]
    if isinstance(sql, bytes):
        sql = sql.decode(errors="replace")
    elif not isinstance(sql, str):
        as_string = getattr(sql, "as_string", None)
        sql = str(as_string(connection.connection) if as_string is not None else sql)
    write = write_in(sql, escapes=connection.vendor == "mysql")
    if write is None or any(
        write.table == options.get("LOCATION") and str(options.get("BACKEND", "")).endswith(".DatabaseCache")
        for options in settings.CACHES.values()
    ):
        return None
    return write


# The reading of SQL.

_PATTERN = r"""
    (?P<comment> --[^\n]* | /\*(?!!).*?(?:\*/|\Z) | %s | %\(\w+\)s )  # MySQL runs the text within /*! … */
  | (?P<text>    TEXT | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) )
  | (?P<quoted>  "(?:[^"]|"")*(?:"|\Z) | `(?:[^`]|``)*(?:`|\Z) | \[[^\[\]\d]+\] )
  | (?P<word>    [^\W\d][\w$]* )
  | (?P<mark>    [();.@=] )
    """
# Only MySQL takes a backslash for an escape unless told otherwise; elsewhere it would hide the end of a text.
_PLAIN = re.compile(_PATTERN.replace("TEXT", r"'(?:[^']|'')*(?:'|\Z)"), re.VERBOSE | re.DOTALL)
_ESCAPED = re.compile(_PATTERN.replace("TEXT", r"'(?:[^'\\]|''|\\(?:.|\Z))*(?:'|\Z)"), re.VERBOSE | re.DOTALL)

# The verbs of statements that change nothing which outlives the connection. Every other verb counts as a write.
_READS = frozenset(
    {
        "ABORT", "BEGIN", "CLOSE", "COMMIT", "DEALLOCATE", "DECLARE", "DESC", "DESCRIBE", "DISCARD", "END", "EXPLAIN", "FETCH",
        "LISTEN", "LOCK", "MOVE", "PRAGMA", "RELEASE", "RESET", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "SHOW", "START",
        "TABLE", "UNLISTEN", "UNLOCK", "USE", "VALUES", "WITH",
    }
)  # fmt: skip
_TRANSACTIONS = ("BEGIN", "SAVEPOINT ", "RELEASE SAVEPOINT ", "ROLLBACK TO ")
# Those of them that can have a write within.
_NESTING = frozenset({"DECLARE", "SELECT", "TABLE", "VALUES", "WITH"})
_WRITES = frozenset({"DELETE", "INSERT", "MERGE", "REPLACE", "UPDATE"})
_BEFORE_TABLE = frozenset(
    {
        "CONCURRENTLY", "DELAYED", "EXISTS", "FROM", "GLOBAL", "HIGH_PRIORITY", "IF", "IGNORE", "INDEX", "INTO", "LOCAL",
        "LOW_PRIORITY", "MATERIALIZED", "NOT", "ONLY", "OR", "PROCEDURE", "FUNCTION", "REPLACE", "ROLLBACK", "ABORT", "FAIL",
        "SEQUENCE", "TABLE", "TEMP", "TEMPORARY", "TRIGGER", "UNIQUE", "UNLOGGED", "VIEW", "VIRTUAL",
    }
)  # fmt: skip


class _Token(NamedTuple):
    """A piece of SQL. `kind` is the name of a group of the pattern; a word's text is in upper case."""

    kind: str
    text: str


def write_in(sql: str, *, escapes: bool = False) -> Write | None:
    """Return the first write that `sql` makes, None where it only reads.

    `SELECT … FOR UPDATE` locks and writes nothing. A statement of an unknown kind counts as a write. The writes of a
    function that a query calls cannot be seen from here. `escapes`: a backslash in a text is one, as in MySQL.
    """
    # Nearly every query of a read is one plain SELECT or Django's own on transactions: this is all that it costs.
    if ";" not in sql and (sql.startswith(_TRANSACTIONS) or (sql.startswith("SELECT") and "INTO" not in sql.upper())):
        return None
    writes = map(_statement_write, _statements(sql, _ESCAPED if escapes else _PLAIN))
    return next((write for write in writes if write is not None), None)


def _statements(sql: str, pattern: re.Pattern[str]) -> Iterator[list[_Token]]:
    """Yield the tokens of each statement, without comments and placeholders."""
    statement: list[_Token] = []
    for match in pattern.finditer(sql):
        kind, text = match.lastgroup or "", match[0]
        if text == ";":
            yield statement
            statement = []
        elif kind != "comment":
            statement.append(_Token(kind, text.upper() if kind == "word" else text))
    yield statement


def _statement_write(statement: Sequence[_Token]) -> Write | None:
    start = next((at for at, token in enumerate(statement) if token.text != "("), None)
    if start is None:
        return None
    kind, verb = statement[start]
    if verb not in _READS or (verb == "PRAGMA" and ("mark", "=") in statement):
        return Write(verb if kind == "word" else "?", _table(statement, start))
    words = {token.text for token in statement if token.kind == "word"}
    # Without ANALYZE, EXPLAIN runs nothing.
    if verb not in _NESTING and not (verb == "EXPLAIN" and words & {"ANALYZE", "ANALYSE"}):
        return None
    for at in range(start + 1, len(statement)):
        if _writes_at(statement, at):
            nested = statement[at].text
            return Write("SELECT INTO" if nested == "INTO" else nested, _table(statement, at))
    return None


def _writes_at(statement: Sequence[_Token], at: int) -> bool:
    """Tell whether the token at an index, within a statement that reads, is the verb of a write."""
    kind, text = statement[at]
    before = statement[at - 1].text
    after = statement[at + 1] if at + 1 < len(statement) else _Token("", "")
    # REPLACE(…) and INSERT(…) are functions, a name after a point is a column.
    if kind != "word" or before == "." or after.text in {"(", "."}:
        return False
    if text == "INTO":
        return after.text != "@"
    return text in _WRITES and before not in {"FOR", "KEY"} and after.kind in {"word", "quoted"}


def _table(statement: Sequence[_Token], verb: int) -> str:
    """Return the last part of the first name after the verb at an index, "" where no name follows."""
    at = verb + 1
    while at < len(statement) and statement[at].text in _BEFORE_TABLE:
        at += 1
    while at + 2 < len(statement) and statement[at + 1].text == ".":
        at += 2
    if at >= len(statement) or statement[at].kind not in {"word", "quoted"}:
        return ""
    kind, text = statement[at]
    return (text[1:-1] if kind == "quoted" else text.lower())[:MAX_TABLE]
