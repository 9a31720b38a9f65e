"""Tables for the terminal."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.text import slugify

from django_mcp.access import keys, server_config
from django_mcp.access.exposure import Reach, exposed, exposed_tool, reach
from django_mcp.doctor import Complaint, Severity
from django_mcp.host.requests import Context
from django_mcp.models import APIKey
from django_mcp.tools.registry import hosted_tools
from django_mcp.types import Caller, Safety


def aligned(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as columns of equal width, two blanks apart, under a head."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def key_lines(key: APIKey) -> Iterator[str]:
    """Yield what to tell, a line each. The secret is in none of them: they may end up in a log."""
    caller = keys.caller(key, address="", client="")
    asked = reach(Context(outer=_request(), caller=caller), server_config.current())
    operations = sum(asked.reaches(operation) for operation in asked.catalog.operations)
    tools = sum(tool.reached(asked) for tool in hosted_tools().values())
    yield f"Key {key} acts as {key.user.get_username()}. It reaches {operations} operations and {tools} tools right now."
    if not operations + tools:
        yield f"Warning: it can do nothing. {_reason(asked, caller)}"
    yield "The key is shown this once, only a digest of it is kept. With it in place of KEY, and your host in the URL:"
    name = slugify(asked.server.name) or "django"
    yield f'  claude mcp add --transport http {name} https://example.com{_path()} --header "Authorization: Bearer KEY"'


def _request() -> HttpRequest:
    """Return a request that nobody sent, for views to be asked with."""
    request = HttpRequest()
    request.META.update(SERVER_NAME="localhost", SERVER_PORT="443", REMOTE_ADDR="127.0.0.1")
    return request


def _reason(asked: Reach, caller: Caller) -> str:
    if caller.groups is not None and not caller.groups:
        return "It names no group: use --group or --all-groups."
    safeties = [safety for group, safety in _exposed(asked) if caller.groups is None or group in caller.groups]
    if not safeties:
        return "Nothing of its groups is exposed: see `manage.py mcp operations` and `manage.py mcp expose`."
    if not any(safety.within(caller.highest_safety) for safety in safeties):
        return f"What is exposed of its groups is above {caller.highest_safety}: use --max-safety."
    if caller.permissions is not None:
        return "Its permissions, or those of its user, allow none of it; see --permission."
    return "Its user lacks the permissions that are asked for."


def _exposed(asked: Reach) -> Iterator[tuple[str, Safety]]:
    for operation in asked.catalog.operations:
        if exposed(operation, asked.server):
            yield operation.group, operation.safety
    for tool in hosted_tools().values():
        if tool.declared is not None and exposed_tool(tool.name, tool.group, asked.server):
            yield tool.group, tool.declared.acts_as


def _path() -> str:
    try:
        return reverse("django_mcp:mcp")
    except NoReverseMatch:
        return "/mcp"


WIDTH = 100
MAX_NAMES = 12


def complaints_json(complaints: Sequence[Complaint]) -> str:
    """Return complaints as a JSON array."""
    return json.dumps([asdict(complaint) for complaint in complaints], indent=2, ensure_ascii=False)


def complaints_text(complaints: Sequence[Complaint], *, every: bool = False) -> str:
    """Return complaints for reading, the worst first; of long lists of names the beginning only, unless asked for all."""
    return "\n\n".join([*(_paragraph(complaint, every=every) for complaint in complaints), tally(complaints)])


def tally(complaints: Sequence[Complaint]) -> str:
    """Return how many complaints there are of each severity, on one line."""
    counted = Counter(complaint.severity for complaint in complaints)
    said = ", ".join(f"{counted[kind]} {kind}{'' if counted[kind] == 1 else 's'}" for kind in Severity)
    return f"{said}." if complaints else "Nothing to complain of."


def _paragraph(complaint: Complaint, *, every: bool) -> str:
    names = complaint.about if every else complaint.about[:MAX_NAMES]
    more = len(complaint.about) - len(names)
    listed = ", ".join(names) + (f" and {more} more (--all names them)" if more else "")
    return "\n".join(
        [
            _wrapped(f"{complaint.severity.upper()}: {complaint.text}", ""),
            _wrapped(f"Cure: {complaint.cure}", "  "),
            _wrapped(f"About {len(complaint.about)}: {listed}", "  "),
        ]
    )


def _wrapped(text: str, indent: str) -> str:
    # Names are for copying: none is broken.
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
