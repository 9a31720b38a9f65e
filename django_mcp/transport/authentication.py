"""Who calls: DRF authentication classes, run on a request without cookies, make the caller or answer 401."""

from collections.abc import Sequence
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

from django_mcp.access import exposure, keys, last_use, server_config
from django_mcp.access.server_config import Server
from django_mcp.choices import Safety
from django_mcp.conf import conf
from django_mcp.errors import ProtocolError
from django_mcp.host.addresses import client_address
from django_mcp.models import APIKey
from django_mcp.text import one_line
from django_mcp.transport import credentials
from django_mcp.transport.credentials import BAD_KEY, SCHEME, bearer_token, key_of
from django_mcp.transport.headers import refuse
from django_mcp.types import Caller

NO_KEYS_TAKEN = "This server takes no keys: none of its AUTHENTICATION_CLASSES is that of keys."
# RFC 6750 §3.1: the error is named only where a credential was sent.
BAD_KEY_CHALLENGE = f'{SCHEME} error="invalid_token"'
NOTHING_EXPOSED = "Nothing is exposed here. Name tool groups in the settings or in the admin."

# Where a request keeps its session, the session's user, and the headers with the cookies among them.
_SESSION_ATTRIBUTES = frozenset({"session", "headers", "user", "auser", "_cached_user", "_acached_user"})


class KeyRefused(AuthenticationFailed):
    """A credential in the form of a key does not authenticate; `known` is True where it is a key's all the same."""

    def __init__(self, text: str, *, known: bool) -> None:
        super().__init__(text)
        self.known = known


class APIKeyAuthentication(BaseAuthentication):
    """Authenticates `Authorization: Bearer ak-…`. Other bearer tokens are left to the classes after it."""

    challenge = SCHEME

    @sensitive_variables("secret")
    def authenticate(self, request: Request) -> tuple[Any, APIKey] | None:
        secret = key_of(request)
        if secret is None:
            return None
        key = keys.find(secret)
        if key is not None and key.usable:
            return key.user, key
        self.challenge = BAD_KEY_CHALLENGE
        # Only who has the key itself is told what became of it.
        text = credentials.unknown(secret) if key is None else credentials.unusable(key)
        raise KeyRefused(text, known=key is not None)

    def authenticate_header(self, request: Request) -> str:
        return self.challenge


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
    user, auth = _authenticated(request, drf_request)
    return _caller(user, auth, **connection)


def _authenticated(request: HttpRequest, drf_request: Request) -> tuple[Any, Any]:
    """Return the user and the credential that the first class vouches for, an anonymous user where none has to.

    As in DRF the first class that refuses is the last that is asked. But a key may be sent to classes in any order: one
    that takes it for a wrong token of its own leaves it to ours, and ours leaves one that it does not know to the others.
    """
    authenticators = [cast("BaseAuthentication", import_string(path)()) for path in conf.AUTHENTICATION_CLASSES]
    refusals: list[tuple[Exception, BaseAuthentication]] = []
    for authenticator in authenticators:
        try:
            user, auth = authenticator.authenticate(drf_request) or (None, None)
        except (APIException, PermissionDenied) as error:
            refusals.append((error, authenticator))
            unclaimed = isinstance(error, AuthenticationFailed) and not getattr(error, "known", False)
            if key_of(request) is None or not unclaimed:
                break
            continue
        if user is not None and user.is_authenticated and getattr(user, "is_active", True):
            return user, auth
    return _anonymous(request, drf_request, authenticators, refusals)


@sensitive_variables("token")
def _anonymous(
    request: HttpRequest,
    drf_request: Request,
    authenticators: Sequence[BaseAuthentication],
    refusals: Sequence[tuple[Exception, BaseAuthentication]],
) -> tuple[Any, None]:
    """Return the anonymous user. Raises ProtocolError where it is not let in, or where a credential was sent."""
    token = bearer_token(request)
    if key_of(request) is not None and not any(isinstance(item, APIKeyAuthentication) for item in authenticators):
        raise _unauthorized(f"{BAD_KEY} {NO_KEYS_TAKEN}", BAD_KEY_CHALLENGE)
    if refusals:
        refusal, authenticator = next((pair for pair in refusals if isinstance(pair[0], KeyRefused)), refusals[0])
        detail = refusal.detail if isinstance(refusal, APIException) else None
        text = one_line(detail) if isinstance(detail, str) else BAD_KEY
        raise _unauthorized(text, authenticator.authenticate_header(drf_request))
    if token is not None:
        raise _unauthorized(credentials.unknown(token), BAD_KEY_CHALLENGE)
    if conf.REQUIRE_AUTH:
        challenge = authenticators[0].authenticate_header(drf_request) if authenticators else None
        raise _unauthorized(credentials.no_key(request), challenge)
    return AnonymousUser(), None


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
        last_use.note(auth)
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
