"""Who calls: DRF authentication classes, run on a request without cookies, make the caller or answer 401."""

from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import DisallowedHost, PermissionDenied
from django.http import HttpRequest
from django.utils.module_loading import import_string
from django.views.decorators.debug import sensitive_variables
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.request import Request
from rest_framework.settings import api_settings

from django_mcp.access import exposure, keys, server_config
from django_mcp.access.server_config import Server
from django_mcp.conf import conf
from django_mcp.errors import ProtocolError
from django_mcp.host.addresses import client_address
from django_mcp.models import APIKey
from django_mcp.text import one_line
from django_mcp.transport.headers import refuse
from django_mcp.types import Caller, Safety

SCHEME = "Bearer"
NO_KEY = "Send Authorization: Bearer <key>."
BAD_KEY = "Unknown, expired or revoked key."
# RFC 6750 §3.1: the error is named only where a credential was sent.
BAD_KEY_CHALLENGE = f'{SCHEME} error="invalid_token"'
NOTHING_EXPOSED = "Nothing is exposed here. Name tool groups in the settings or in the admin."

# Where a request keeps its session, the session's user, and the headers with the cookies among them.
_SESSION_ATTRIBUTES = frozenset({"session", "headers", "user", "auser", "_cached_user", "_acached_user"})


class APIKeyAuthentication(BaseAuthentication):
    """Authenticates `Authorization: Bearer ak-…`. Other bearer tokens are left to the classes after it."""

    challenge = SCHEME

    @sensitive_variables("secret")
    def authenticate(self, request: Request) -> tuple[Any, APIKey] | None:
        secret = bearer_token(request)
        if secret is None or not secret.startswith(keys.PREFIX):
            return None
        key = keys.authenticate(secret)
        if key is None:
            self.challenge = BAD_KEY_CHALLENGE
            raise AuthenticationFailed(BAD_KEY)
        return key.user, key

    def authenticate_header(self, request: Request) -> str:
        return self.challenge


def bearer_token(request: HttpRequest | Request) -> str | None:
    """Return the credential of the Bearer scheme, None where there is none. RFC 9110 §11.1: case-blind schemes."""
    scheme, *credential = str(request.META.get("HTTP_AUTHORIZATION", "")).strip().split(maxsplit=1) or [""]
    return credential[0] if credential and scheme.lower() == SCHEME.lower() else None


def require_exposure(server: Server, *, again: bool = False) -> None:
    """Refuse with 404 where the snapshot exposes nothing; `again` reads a new one before it refuses an old one."""
    if exposure.exposes_anything(server):
        return
    if again and exposure.exposes_anything(server_config.current()):
        return
    raise refuse(404, NOTHING_EXPOSED)


def authenticate(request: HttpRequest, *, client: str) -> Caller:
    """Return the caller of a request; `client` is the name that its software gives itself.

    Raises ProtocolError with HTTP status 401, never 403: permissions are decided later; or 404 where nothing is exposed.
    """
    drf_request = Request(cookieless(request))
    try:
        host = request.get_host()
    except DisallowedHost:
        host = ""
    connection = {"address": client_address(request), "client": client, "host": host}
    authenticators = [cast("BaseAuthentication", import_string(path)()) for path in conf.AUTHENTICATION_CLASSES]
    for authenticator in authenticators:
        try:
            user, auth = authenticator.authenticate(drf_request) or (None, None)
        except (APIException, PermissionDenied) as error:
            detail = error.detail if isinstance(error, APIException) else None
            text = one_line(detail) if isinstance(detail, str) else BAD_KEY
            raise _unauthorized(text, authenticator.authenticate_header(drf_request)) from None
        if user is not None and user.is_authenticated and getattr(user, "is_active", True):
            return _caller(user, auth, **connection)
    if bearer_token(request) is not None:
        raise _unauthorized(BAD_KEY, BAD_KEY_CHALLENGE)
    if conf.REQUIRE_AUTH:
        raise _unauthorized(NO_KEY, authenticators[0].authenticate_header(drf_request) if authenticators else None)
    return _caller(AnonymousUser(), None, **connection)


def server_for(caller: Caller) -> Server:
    """Return the snapshot of the server's settings that holds now."""
    # A key's own query has brought the stamp along.
    if isinstance(caller.auth, APIKey):
        return server_config.for_stamp(getattr(caller.auth, "server_stamp", None))
    return server_config.current()


def cookieless(request: HttpRequest) -> HttpRequest:
    """Return a copy of the request that no session or cookie can speak for.

    A browser sends cookies by itself, so they would let any page act as its visitor. An X-Forwarded-For that no
    configured proxy vouches for is left out too: throttles would take it for the client's address.
    """
    # Not copy.copy(): a WSGIRequest's pickling support would remove wsgi.input from the original's META.
    copied = type(request).__new__(type(request))
    copied.__dict__.update({name: value for name, value in vars(request).items() if name not in _SESSION_ATTRIBUTES})
    unwanted = {"HTTP_COOKIE"} if api_settings.NUM_PROXIES else {"HTTP_COOKIE", "HTTP_X_FORWARDED_FOR"}
    copied.META = {name: value for name, value in request.META.items() if name not in unwanted}
    copied.COOKIES = {}
    copied.user = AnonymousUser()
    return copied


def _caller(user: Any, auth: Any, *, address: str, client: str, host: str) -> Caller:
    """Return the caller that a key stands for, else one for the user; an anonymous user may read and no more."""
    if isinstance(auth, APIKey):
        keys.used(auth)
        return keys.caller(auth, address=address, client=client, host=host)
    return Caller(
        subject=f"user:{user.pk}" if user.is_authenticated else "anonymous",
        user=user,
        auth=auth,
        groups=frozenset(conf.USER_GROUPS),
        highest_safety=Safety.DESTRUCTIVE if user.is_authenticated else Safety.READ_ONLY,
        address=address,
        client=client,
        host=host,
    )


def _unauthorized(text: str, challenge: str | None) -> ProtocolError:
    """Return the refusal of a caller, with 401. Raises the one with 404 where nothing is exposed."""
    # The snapshot of the first gate may be old, and only a valid key's query brings along the stamp of the newest.
    require_exposure(server_config.current())
    return refuse(401, text, WWW_Authenticate=challenge or SCHEME)
