"""What an SQL statement writes: its verb and its table, and never a value."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
