"""The context of a call, and the inner request that the host's view gets to see of it."""

import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage import default_storage
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.functional import SimpleLazyObject
from django.utils.module_loading import import_string

from django_mcp.conf import conf
from django_mcp.protocol.elicitation import Inputs
from django_mcp.types import Caller

# The addresses of client and server, and the server's name: the host's links, throttles and host checks need them.
_COPIED_META = (
    "SERVER_NAME",
    "SERVER_PORT",
    "REMOTE_ADDR",
    "REMOTE_HOST",
    "HTTP_HOST",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_REAL_IP",
    "HTTP_FORWARDED",
    "HTTP_ACCEPT_LANGUAGE",
)

_NEVER_FORWARDED = frozenset({"HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_PROXY_AUTHORIZATION"})

# The attributes that Django gives a request, as opposed to those that the host's middleware puts on it.
_OWN_ATTRIBUTES = frozenset(dir(WSGIRequest)) | frozenset(dir(ASGIRequest)) | {
    "META", "auser", "content_params", "content_type", "environ", "method", "path", "path_info", "resolver_match",
    "scope", "script_name", "session", "user",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The MCP request that brought a call, and its caller. Made once, handed down everywhere.

    `inputs` has the questions that the call may put to the client, and the client's answers. `language`, `time_zone`
    and `accept_language` are those of the proposal where a confirmed call runs, None elsewhere.
    """

    outer: HttpRequest
    caller: Caller
    inputs: Inputs = field(default_factory=Inputs)
    language: str | None = None
    time_zone: str | None = None
    accept_language: str | None = None

    @contextmanager
    def locale(self) -> Iterator[None]:
        """Restore the proposal's language and time zone; in the end both are as they were, whatever the host's code did."""
        language = self.language or translation.get_language()
        with translation.override(language), timezone.override(self.time_zone or timezone.get_current_timezone()):
            yield


def attributes_of(outer: HttpRequest) -> dict[str, Any]:
    """Return what the host's middleware put on a request, but for private names."""
    return {
        name: value for name, value in vars(outer).items() if not name.startswith("_") and name not in _OWN_ATTRIBUTES
    }


def forwarded_headers(outer: HttpRequest) -> dict[str, str]:
    """Return the headers named in `FORWARD_HEADERS` that the MCP request has, by their configured names.

    Credentials are left out, even where they are configured: they were sent to this endpoint alone.
    """
    return {
        name: str(outer.META[key])
        for name in conf.FORWARD_HEADERS
        if (key := _meta_key(name)) in outer.META and key not in _NEVER_FORWARDED
    }


def inner_request(
    context: Context,
    *,
    method: str,
    path: str,
    query: Mapping[str, Any] | None = None,
    body: bytes = b"",
    content_type: str = "",
) -> HttpRequest:
    """Return the request with which the host's view is called, as if the caller had used the REST API.

    `path` is unencoded and without the script name; the values of `query` are texts or lists of texts. The user is
    forced, no authenticator or CSRF check runs, and the session is thrown away. Opaque credentials, one a caller, keep
    callers apart in caches that vary on them. The MCP request's attributes are copied, but for private names.
    """
    outer, caller = context.outer, context.caller
    request = WSGIRequest(
        {
            **{key: outer.META[key] for key in _COPIED_META if key in outer.META},
            **{_meta_key(name): value for name, value in forwarded_headers(outer).items()},
            **_credentials(caller.subject, settings.SECRET_KEY),
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": _wsgi_path(outer.META.get("SCRIPT_NAME", "")),
            "PATH_INFO": _wsgi_path(path),
            "QUERY_STRING": urlencode(query or {}, doseq=True, errors="replace"),
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_ACCEPT": "application/json, */*",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": outer.scheme or "http",
            "wsgi.input": io.BytesIO(body),
        }
    )
    vars(request).update(attributes_of(outer))
    if context.accept_language is not None:
        request.META["HTTP_ACCEPT_LANGUAGE"] = context.accept_language
    if context.language and hasattr(request, "LANGUAGE_CODE"):
        request.LANGUAGE_CODE = context.language
    _enter(request, caller, with_messages=hasattr(outer, "_messages"))
    return request


@contextmanager
def host_context(request: HttpRequest) -> Iterator[None]:
    """Enter the context managers that `EXECUTION_CONTEXT` names, each called with the inner request."""
    with ExitStack() as stack:
        for entry in conf.EXECUTION_CONTEXT:
            factory = import_string(entry) if isinstance(entry, str) else entry
            stack.enter_context(factory(request))
        yield


def _meta_key(header: str) -> str:
    return "HTTP_" + header.upper().replace("-", "_")


def _wsgi_path(path: str) -> str:
    # PEP 3333 has a path as its UTF-8 bytes, read as Latin-1.
    return path.encode(errors="replace").decode("latin-1")


@lru_cache(maxsize=1024)
def _credentials(subject: str, _secret_key: str) -> Mapping[str, str]:
    opaque = salted_hmac("django_mcp.requests", subject, algorithm="sha256").hexdigest()[:32]
    return {"HTTP_AUTHORIZATION": f"MCP {opaque}", "HTTP_COOKIE": f"mcp_caller={opaque}"}


def _enter(request: Any, caller: Caller, *, with_messages: bool) -> None:
    """Put the caller on the request. An anonymous one is forced as well, else the authenticators would run."""
    user = caller.user if caller.user is not None else AnonymousUser()

    async def auser() -> Any:
        return user

    vars(request).update(
        user=user,
        auser=auser,
        _force_auth_user=user,
        _force_auth_token=caller.auth if caller.key_id is None or conf.KEY_AS_REQUEST_AUTH else None,
        _dont_enforce_csrf_checks=True,
        # This backend keeps its data in the session key itself: nothing is stored anywhere.
        session=SessionStore(),
    )
    if with_messages:
        vars(request)["_messages"] = SimpleLazyObject(lambda: default_storage(request))
