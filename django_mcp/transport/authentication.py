"""Who calls: DRF authentication classes, run on a request without cookies, make the caller or answer 401."""

import ipaddress
from functools import lru_cache
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
from django_mcp.models import APIKey
from django_mcp.text import one_line
from django_mcp.transport.headers import refuse
from django_mcp.types import Caller, Safety

SCHEME = "Bearer"
NO_KEY = "Send Authorization: Bearer <key>."
BAD_KEY = "Unknown, expired or revoked key."
# RFC 6750 §3.1: the error is named only where a credential was sent.
BAD_KEY_CHALLENGE = f'{SCHEME} error="invalid_token"'

# What the host's session middleware and its users leave on a request.
_OF_THE_SESSION = frozenset({"session", "headers", "user", "auser", "_cached_user", "_acached_user"})


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


def caller_of(request: HttpRequest, *, client: str = "") -> Caller:
    """Return the caller of a request. `client` names the client's software, as far as it says so.

    Raises ProtocolError with HTTP status 401, never 403: what a caller may do is decided later.
    """
    asked = Request(cookieless(request))
    authenticators = [cast("BaseAuthentication", import_string(path)()) for path in conf.AUTHENTICATION_CLASSES]
    for authenticator in authenticators:
        try:
            found = authenticator.authenticate(asked)
        except (APIException, PermissionDenied) as error:
            raise _refused(authenticator, asked, error) from None
        if found is not None and _may_log_in(found[0]):
            return _caller(*found, address=_address(request), client=client, host=_host(request))
    if bearer_token(request) is not None:
        raise refuse(401, BAD_KEY, WWW_Authenticate=BAD_KEY_CHALLENGE)
    if conf.REQUIRE_AUTH:
        challenge = authenticators[0].authenticate_header(asked) if authenticators else None
        raise refuse(401, NO_KEY, WWW_Authenticate=challenge or SCHEME)
    return Caller(
        subject="anonymous",
        user=AnonymousUser(),
        groups=frozenset(conf.USER_GROUPS),
        highest_safety=Safety.READ_ONLY,
        address=_address(request),
        client=client,
        host=_host(request),
    )


def cookieless(request: HttpRequest) -> HttpRequest:
    """Return a copy of the request that no session or cookie can speak for.

    A browser sends cookies by itself, so they would let any page act as its visitor. An X-Forwarded-For that no
    configured proxy vouches for is left out too: throttles would take it for the client's address.
    """
    # Not copy.copy(): a WSGIRequest's pickling support would remove wsgi.input from the original's META.
    copied = type(request).__new__(type(request))
    copied.__dict__.update({name: value for name, value in request.__dict__.items() if name not in _OF_THE_SESSION})
    unwanted = {"HTTP_COOKIE"} if api_settings.NUM_PROXIES else {"HTTP_COOKIE", "HTTP_X_FORWARDED_FOR"}
    copied.META = {name: value for name, value in request.META.items() if name not in unwanted}
    copied.COOKIES = {}
    copied.user = AnonymousUser()
    return copied


def _may_log_in(user: Any) -> bool:
    return user is not None and bool(user.is_authenticated) and bool(getattr(user, "is_active", True))


def _caller(user: Any, auth: Any, *, address: str, client: str, host: str) -> Caller:
    if isinstance(auth, APIKey):
        keys.used(auth)
        return keys.caller(auth, address=address, client=client, host=host)
    return Caller(
        subject=f"user:{user.pk}",
        user=user,
        auth=auth,
        groups=frozenset(conf.USER_GROUPS),
        highest_safety=Safety.DESTRUCTIVE,
        address=address,
        client=client,
        host=host,
    )


def _refused(authenticator: BaseAuthentication, asked: Request, error: Exception) -> ProtocolError:
    detail = error.detail if isinstance(error, APIException) else None
    text = one_line(detail) if isinstance(detail, str) else BAD_KEY
    return refuse(401, text, WWW_Authenticate=authenticator.authenticate_header(asked) or SCHEME)


def _address(request: HttpRequest) -> str:
    """Return the address that the connection comes from, in its shortest form; "" where it has none."""
    return _shortest(str(request.META.get("REMOTE_ADDR", "")).strip())


@lru_cache(maxsize=1024)
def _shortest(address: str) -> str:
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return ""


def _host(request: HttpRequest) -> str:
    try:
        return request.get_host()
    except DisallowedHost:
        return ""


NOTHING_EXPOSED = "Nothing is exposed here. Name tool groups in the settings or in the admin."


def require_exposure(server: Server, *, again: bool = False) -> None:
    """Answer 404 where nothing is exposed. `again`: what is remembered may be old, so look before saying no."""
    if exposure.exposes_anything(server):
        return
    if again and exposure.exposes_anything(server_config.current()):
        return
    raise refuse(404, NOTHING_EXPOSED)


def authenticate(request: HttpRequest, *, client: str) -> Caller:
    """Return the caller of a request; `client` is what its software calls itself. Raises ProtocolError, 401 or 404."""
    try:
        return caller_of(request, client=client)
    except ProtocolError:
        # What let the request come this far may be old, and strangers bring no stamp along.
        require_exposure(server_config.current())
        raise


def server_for(caller: Caller) -> Server:
    """Return the server's settings as they are now."""
    # A key's own query has brought the stamp along.
    if isinstance(caller.auth, APIKey):
        return server_config.for_stamp(getattr(caller.auth, "server_stamp", None))
    return server_config.current()
