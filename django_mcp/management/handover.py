"""What people are told of a key that was just made: what it reaches, and how a client gets it."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.text import slugify

from django_mcp import keys, server
from django_mcp.exposure import Reach, exposed, exposed_tool, reach
from django_mcp.models import APIKey
from django_mcp.requests import Context
from django_mcp.tools.registry import hosted_tools
from django_mcp.vocabulary import Caller, Safety


def lines(key: APIKey) -> Iterator[str]:
    """Yield what to tell, a line each. The secret is in none of them: they may end up in a log."""
    caller = keys.caller(key, address="", client="")
    asked = reach(Context(outer=_request(), caller=caller), server.current())
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
