"""One tool for each operation, where its group is published so."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Any

from django_mcp.access.exposure import Reach
from django_mcp.approval.policy import Run, decide
from django_mcp.approval.tokens import clean
from django_mcp.catalog.discovery import Catalog
from django_mcp.choices import Safety
from django_mcp.schema.keywords import say
from django_mcp.schema.operations import OperationSchema
from django_mcp.schema.portable import portable
from django_mcp.tools.base import ANSWER_SCHEMA, TOKEN, TOKEN_SCHEMA, CallingTool, CallRequest, Schema
from django_mcp.tools.calls import bare_call, operation_call, schema_of, without_consent
from django_mcp.types import Operation

# Clients put the server's name before a tool's and refuse what is longer than 64 then.
MAX_NAME = 40
HASH_LENGTH = 8

_STRANGE = re.compile(r"[^A-Za-z0-9_-]+")


@lru_cache(maxsize=16)
def tools_of(catalog: Catalog, taken: frozenset[str]) -> "Mapping[str, OperationTool]":
    """Return a tool for every operation of the catalog, by name and in its order; `taken` are names of other tools.

    A name depends on the catalog and on the other tools alone: it is the same for all callers, whatever is exposed.
    """
    names = tool_names([operation.name for operation in catalog.operations], taken)
    tools = {names[operation.name]: operation for operation in catalog.operations}
    return {name: OperationTool.of(name, operation) for name, operation in sorted(tools.items())}


def tool_names(operations: Sequence[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a tool's name for each operation's: letters, digits, _ and -, at most 40.

    A name that fits stays. One that had to be changed and then is another's, one that is too long, and one in
    `taken` end in a hash of the operation's full name.
    """
    plain = {operation: _plain(operation) for operation in operations}
    wanted = Counter(name.casefold() for name in plain.values())
    used = {name.casefold() for name in taken}
    names: dict[str, str] = {}
    for operation, name in sorted(plain.items(), key=lambda pair: pair[0] != pair[1]):
        alone = wanted[name.casefold()] == 1 or name == operation
        if name and len(name) <= MAX_NAME and alone and name.casefold() not in used:
            names[operation] = name
            used.add(name.casefold())
    for operation, name in sorted(plain.items()):
        if operation not in names:
            names[operation] = _hashed(operation, name, used)
            used.add(names[operation].casefold())
    return names


def _plain(name: str) -> str:
    without_marks = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return name if name.isascii() and not _STRANGE.search(name) else _STRANGE.sub("_", without_marks).strip("_")


def _hashed(operation: str, name: str, used: set[str]) -> str:
    start = name[: MAX_NAME - HASH_LENGTH - 1].rstrip("_-") or "operation"
    preimages = (f"{operation}{'!' * attempt}".encode("utf-8", "replace") for attempt in count())
    names = (f"{start}_{hashlib.sha256(preimage).hexdigest()[:HASH_LENGTH]}" for preimage in preimages)
    return next(candidate for candidate in names if candidate.casefold() not in used)


@dataclass(frozen=True, kw_only=True, eq=False)
class OperationTool(CallingTool):
    """The tool of one operation."""

    operation: Operation

    @classmethod
    def of(cls, name: str, operation: Operation) -> "OperationTool":
        """Return the tool of an operation, named `name` and described by the operation's own texts."""
        hints = operation.hints
        text = hints.description or operation.description or operation.summary or operation.name
        return cls(
            name=name,
            title=operation.summary or operation.name,
            description=f"{text}\n\n{hints.when_to_use}" if hints.when_to_use else text,
            group=operation.group,
            operation=operation,
        )

    def reached(self, reach: Reach) -> bool:
        return reach.reaches_own_tool(self.operation)

    def safety(self, reach: Reach) -> Safety:
        return self.operation.safety

    def schemas(self, reach: Reach) -> tuple[Schema, Schema]:
        schema = schema_of(self.operation, reach)
        decision = decide(bare_call(self.operation, reach, tool=self.name), reach.server, reach.context.caller)
        return schema.derived(_listed if isinstance(decision, Run) else _with_token), ANSWER_SCHEMA

    def read(self, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
        token = clean(arguments.get(TOKEN))
        args = {key: value for key, value in arguments.items() if key != TOKEN}
        left_to_token = token is not None and not without_consent(args, schema_of(self.operation, reach))[0]
        return CallRequest(
            target=self.operation.name,
            args=None if left_to_token else args,
            token=token,
            call=partial(operation_call, self.name, self.operation, token, reach),
        )


def _listed(schema: OperationSchema) -> dict[str, Any]:
    """Return the input schema as it is listed, with the notes about it."""
    input_schema = portable(schema.input)
    for note in schema.notes:
        say(input_schema, note)
    return input_schema


def _with_token(schema: OperationSchema) -> dict[str, Any]:
    """Return the listed input schema of an operation that asks for a confirmation."""
    input_schema = schema.derived(_listed)
    return {**input_schema, "properties": {**input_schema["properties"], TOKEN: TOKEN_SCHEMA}}
