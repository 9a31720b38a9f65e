"""One tool for each operation, where its group is published so."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any

from django.utils.translation import get_language

from django_mcp.access.exposure import Reach
from django_mcp.approval.policy import Run, decide
from django_mcp.approval.tokens import clean
from django_mcp.catalog.discovery import Catalog
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
def tools_of(catalog: Catalog, taken: frozenset[str]) -> Mapping[str, CallingTool]:
    """Return a tool for every operation of the catalog, by name and in its order; `taken` are names of other tools.

    A name depends on the catalog and on the other tools alone: it is the same for all callers, whatever is exposed.
    """
    names = tool_names([operation.name for operation in catalog.operations], taken)
    tools = (_tool(names[operation.name], operation) for operation in catalog.operations)
    return {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}


def tool_names(operations: Sequence[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a tool's name for each operation's: letters, digits, _ and -, at most 40.

    A name that fits is kept. One that had to be changed and then is another's, one that is too long, and one in
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
    texts = (f"{operation}{'!' * attempt}".encode("utf-8", "replace") for attempt in count())
    found = (f"{start}_{hashlib.sha256(text).hexdigest()[:HASH_LENGTH]}" for text in texts)
    return next(candidate for candidate in found if candidate.casefold() not in used)


def _tool(name: str, operation: Operation) -> CallingTool:
    # Kept with the tool, so that it goes when the catalog does.
    built: dict[tuple[str | None, bool], tuple[OperationSchema, Schema]] = {}
    return CallingTool(
        name=name,
        title=operation.summary or operation.name,
        description=_description(operation),
        group=operation.group,
        schemas=partial(_schemas, operation, name, built),
        safety=lambda _reach: operation.safety,
        reached=lambda reach: reach.reaches_own_tool(operation),
        read=partial(_read, operation, name),
    )


def _description(operation: Operation) -> str:
    hints = operation.hints
    text = hints.description or operation.description or operation.summary or operation.name
    return f"{text}\n\n{hints.when_to_use}" if hints.when_to_use else text


def _schemas(
    operation: Operation,
    name: str,
    built: dict[tuple[str | None, bool], tuple[OperationSchema, Schema]],
    reach: Reach,
) -> tuple[Schema, Schema]:
    schema = schema_of(operation, reach)
    decision = decide(bare_call(operation, reach, tool=name), reach.server, reach.context.caller)
    takes_token = not isinstance(decision, Run)
    known = built.get((get_language(), takes_token))
    # The schema may be this user's own: what was built of another is replaced.
    if known is None or known[0] is not schema:
        known = built[get_language(), takes_token] = (schema, _listed(schema, takes_token=takes_token))
    return known[1], ANSWER_SCHEMA


def _listed(schema: OperationSchema, *, takes_token: bool) -> Schema:
    taken = portable(schema.input)
    for note in schema.notes:
        say(taken, note)
    if takes_token:
        taken["properties"] = {**taken["properties"], TOKEN: TOKEN_SCHEMA}
    return taken


def _read(operation: Operation, name: str, arguments: Mapping[str, Any], reach: Reach) -> CallRequest:
    token = clean(arguments.get(TOKEN))
    args = {key: value for key, value in arguments.items() if key != TOKEN}
    left_to_token = token is not None and not without_consent(args, schema_of(operation, reach))[0]
    return CallRequest(
        target=operation.name,
        args=None if left_to_token else args,
        token=token,
        call=partial(operation_call, name, operation, token, reach),
    )
