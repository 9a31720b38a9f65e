"""Watches what is declared to read: the queries that it sends must not write."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError, connections

from django_mcp.conf import conf
from django_mcp.text import one_line

MAX_TABLE = 100

_PATTERN = r"""
    (?P<comment> --[^\n]* | /\*(?!!).*?(?:\*/|\Z) | %s | %\(\w+\)s )  # MySQL runs what is in /*! … */
  | (?P<text>    TEXT | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) )
  | (?P<quoted>  "(?:[^"]|"")*(?:"|\Z) | `(?:[^`]|``)*(?:`|\Z) | \[[^\]\d]+\] )
  | (?P<word>    [^\W\d][\w$]* )
  | (?P<mark>    [();.@=] )
    """
# Only MySQL takes a backslash for an escape unless told otherwise; elsewhere it would hide the end of a text.
_PLAIN = re.compile(_PATTERN.replace("TEXT", r"'(?:[^']|'')*(?:'|\Z)"), re.VERBOSE | re.DOTALL)
_ESCAPED = re.compile(_PATTERN.replace("TEXT", r"'(?:[^'\\]|''|\\.)*(?:'|\Z)"), re.VERBOSE | re.DOTALL)

# What begins a statement that changes nothing which outlives the connection. Whatever else begins one counts as a write.
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


class Write(NamedTuple):
    """A write that a statement makes. `table` is "" where the statement names none."""

    verb: str
    table: str

    def __str__(self) -> str:
        return f"{self.verb} {self.table}".rstrip()


class _Token(NamedTuple):
    kind: str
    text: str


def write_in(sql: str, *, escapes: bool = False) -> Write | None:
    """Return the first write that `sql` makes, None where it only reads.

    `SELECT … FOR UPDATE` locks and writes nothing. A statement of an unknown kind counts as a write. What a function
    does that a query calls cannot be seen from here. `escapes`: a backslash in a text is one, as in MySQL.
    """
    # Nearly every query of a read is one plain SELECT or Django's own on transactions: this is all that it costs.
    if ";" not in sql and (sql.startswith(_TRANSACTIONS) or (sql.startswith("SELECT") and "INTO" not in sql.upper())):
        return None
    for statement in _statements(_tokens(sql, _ESCAPED if escapes else _PLAIN)):
        found = _write(statement)
        if found is not None:
            return found
    return None


def _tokens(sql: str, pattern: re.Pattern[str]) -> Iterator[_Token]:
    for match in pattern.finditer(sql):
        kind = match.lastgroup or ""
        if kind == "tag":
            kind = "text"
        if kind != "comment":
            text = match[0]
            yield _Token(kind, text.upper() if kind == "word" else text)


def _statements(tokens: Iterator[_Token]) -> Iterator[list[_Token]]:
    statement: list[_Token] = []
    for token in tokens:
        if token == ("mark", ";"):
            yield statement
            statement = []
        else:
            statement.append(token)
    yield statement


def _write(statement: Sequence[_Token]) -> Write | None:
    start = next((at for at, token in enumerate(statement) if token != ("mark", "(")), None)
    if start is None:
        return None
    verb = statement[start].text
    if verb not in _READS or (verb == "PRAGMA" and ("mark", "=") in statement):
        return Write(verb if statement[start].kind == "word" else "?", _table(statement, start))
    words = {token.text for token in statement if token.kind == "word"}
    # Without ANALYZE nothing is run.
    if verb not in _NESTING and not (verb == "EXPLAIN" and words & {"ANALYZE", "ANALYSE"}):
        return None
    return next((Write(_named(statement, at), _table(statement, at)) for at in _nested(statement, start)), None)


def _nested(statement: Sequence[_Token], start: int) -> Iterator[int]:
    """Yield the places of words that write, within a statement that reads."""
    for at in range(start + 1, len(statement)):
        kind, text = statement[at]
        before = statement[at - 1].text
        after = statement[at + 1] if at + 1 < len(statement) else _Token("", "")
        # REPLACE(…) and INSERT(…) are functions, a name after a point is a column.
        if kind != "word" or before == "." or after.text in {"(", "."}:
            continue
        new_table = text == "INTO" and after != ("mark", "@")
        if new_table or (text in _WRITES and before not in {"FOR", "KEY"} and after.kind in {"word", "quoted"}):
            yield at


def _named(statement: Sequence[_Token], at: int) -> str:
    return "SELECT INTO" if statement[at].text == "INTO" else statement[at].text


def _table(statement: Sequence[_Token], at: int) -> str:
    """Return the last part of the first name after a verb."""
    place = at + 1
    while place < len(statement) and statement[place].text in _BEFORE_TABLE:
        place += 1
    while place + 2 < len(statement) and statement[place + 1] == ("mark", "."):
        place += 2
    if place >= len(statement) or statement[place].kind not in {"word", "quoted"}:
        return ""
    kind, text = statement[place]
    return (text[1:-1] if kind == "quoted" else text.lower())[:MAX_TABLE]


MAX_NOTICED = 20

logger = logging.getLogger("django_mcp")

_warned: set[str] = set()


class ReadWrote(DatabaseError):
    """A query was not sent, because it would have written for something that is declared to read.

    A kind of what a database raises that allows no writes, since that is what the host's code knows to handle.
    """


class Watch:
    """What one call tried to write: each verb and table once. `refused` where it was kept from it."""

    def __init__(self, target: str, *, enforced: bool) -> None:
        self.target = target
        self.enforced = enforced
        self.writes: list[str] = []

    @property
    def refused(self) -> bool:
        return self.enforced and bool(self.writes)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        """Let a query pass, as `connection.execute_wrapper()` has it. Raises ReadWrote for a write that is refused."""
        write = _write_of(sql, context)
        if write is not None:
            self._notice(write)
            if self.enforced:
                msg = f"{self.target} is declared ReadOnly, so this was not sent: {self.writes[-1]}."
                raise ReadWrote(msg)
        return execute(sql, params, many, context)

    def _notice(self, write: Write) -> None:
        said = one_line(str(write))
        if said not in self.writes and len(self.writes) < MAX_NOTICED:
            self.writes.append(said)
        if self.target not in _warned:
            _warned.add(self.target)
            logger.warning(
                "%s is declared ReadOnly, so it needs no confirmation, but it writes: %s%s. Declare its safety with "
                "mcp_operation(safety=…), or take the write out of it.",
                self.target,
                said,
                ", which was refused" if self.enforced else "",
            )


@contextmanager
def watching(target: str) -> Iterator[Watch]:
    """Watch the queries that this thread sends to any database; under `READ_GUARD = "enforce"` no write is sent.

    The tables of database caches are the host's plumbing, which a throttle writes to on every request: they are left
    alone. `target` is the operation's or tool's name; the log is warned of it once in a process.
    """
    mode = conf.READ_GUARD
    watch = Watch(target, enforced=mode == "enforce")
    if mode == "off":
        yield watch
        return
    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(connections[alias].execute_wrapper(watch))
        yield watch


@contextmanager
def noticing(aliases: Iterable[str]) -> Iterator[list[Write]]:
    """Collect the writes that this thread sends to these databases."""
    seen: list[Write] = []
    with ExitStack() as stack:
        for alias in aliases:
            stack.enter_context(connections[alias].execute_wrapper(partial(_collect, seen)))
        yield seen


def _collect(seen: list[Write], execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
    write = _write_of(sql, context)
    if write is not None:
        seen.append(write)
    return execute(sql, params, many, context)


def _write_of(sql: Any, context: Any) -> Write | None:
    text = sql if isinstance(sql, str) else _text(sql, context)
    write = write_in(text, escapes=context["connection"].vendor == "mysql")
    return None if write is None or write.table in _cache_tables() else write


def _cache_tables() -> frozenset[str]:
    return frozenset(
        str(options.get("LOCATION", ""))
        for options in settings.CACHES.values()
        if str(options.get("BACKEND", "")).endswith(".DatabaseCache")
    )


def _text(sql: Any, context: Any) -> str:
    """Return a query that is not text as the database's driver would send it."""
    if isinstance(sql, bytes):
        return sql.decode(errors="replace")
    as_string = getattr(sql, "as_string", None)
    return str(as_string(context["connection"].connection) if as_string is not None else sql)
