"""What a request's headers must say before its body matters, and what every answer's headers say."""

from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils.cache import patch_vary_headers

from django_mcp.conf import conf
from django_mcp.errors import ProtocolError
from django_mcp.protocol import headers

ALLOWED_METHODS = "POST, OPTIONS"
REQUEST_HEADERS = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, accept"
EXPOSED_HEADERS = "WWW-Authenticate, Retry-After"
PREFLIGHT_SECONDS = 600
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int | None]


def refuse(status: int, text: str, **headers: str) -> ProtocolError:
    """Return the error of a refusal below JSON-RPC. Header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ProtocolError(ProtocolError.REQUEST, text, http_status=status, headers=named)


def require_post(request: HttpRequest) -> None:
    """Refuse every method but POST with 405: no stream and no session is offered."""
    if request.method != "POST":
        raise refuse(405, "Send JSON-RPC requests by POST.", Allow=ALLOWED_METHODS)


def require_json(request: HttpRequest) -> None:
    """Refuse bodies that are not plain JSON with 415. Django has parsed case and parameters away."""
    if request.content_type != "application/json":
        raise refuse(415, "Send Content-Type: application/json.")
    if request.headers.get("Content-Encoding", "").strip().lower() not in {"", "identity"}:
        raise refuse(415, "Send the body without Content-Encoding.")


def require_origin(request: HttpRequest) -> None:
    """Refuse hosts that are not in ALLOWED_HOSTS with 400 and other origins with 403.

    The MCP transport demands the second against DNS rebinding. A request without Origin is no browser's.
    """
    try:
        request.get_host()
    except DisallowedHost:
        raise refuse(400, "This host name is not served here. The server's ALLOWED_HOSTS must list it.") from None
    if request.headers.get("Origin") and not origin_allowed(request):
        raise refuse(403, "Requests from this origin are not allowed. The server's ALLOWED_ORIGINS must list it.")


def origin_allowed(request: HttpRequest) -> bool:
    """Tell whether the request names an origin that may read the answer: its own host, or one of ALLOWED_ORIGINS."""
    asked = _origin(request.headers.get("Origin", ""))
    if asked is None:
        return False
    if any(asked == _origin(allowed) for allowed in conf.ALLOWED_ORIGINS):
        return True
    try:
        return asked == _origin(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        return False


def preflight(request: HttpRequest) -> HttpResponse:
    """Answer a browser's OPTIONS for an allowed origin; the key comes with the request that follows."""
    if not request.headers.get("Origin"):
        require_post(request)
    require_origin(request)
    response = HttpResponse(status=204)
    del response["Content-Type"]
    response["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response["Access-Control-Allow-Headers"] = ", ".join([REQUEST_HEADERS, *_mirroring(request)])
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _mirroring(request: HttpRequest) -> list[str]:
    """Return the headers for arguments that the browser asks about: their names are the tools', so no list has them."""
    asked = request.headers.get("Access-Control-Request-Headers", "").split(",")
    return [name for name in map(str.strip, asked) if headers.is_param_header(name)]


def finish(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add what every answer carries: it is for this caller and this moment, and an allowed origin may read it."""
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Origin"])
    if request.headers.get("Origin") and origin_allowed(request):
        response["Access-Control-Allow-Origin"] = request.headers["Origin"]
        response["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response


def _origin(text: str) -> Origin | None:
    """Return scheme, host and port of a serialised origin (RFC 6454 §6.2); None for "null" and anything else."""
    # urlsplit() drops control characters, so what it likes may still be no header.
    if not text.isascii() or not text.isprintable():
        return None
    try:
        parts = urlsplit(text.strip().rstrip("/").lower())
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or parts.path or parts.query or parts.fragment:
        return None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)


def read(request: HttpRequest) -> bytes:
    """Return the body. Refuses with 413 what is larger than MAX_REQUEST_BYTES, with 411 what cannot be read here."""
    limit = conf.MAX_REQUEST_BYTES
    declared = str(request.META.get("CONTENT_LENGTH") or "").strip()
    counted = declared.isdecimal()
    # Cut to what int() converts at once; that many digits are too many for any limit.
    if counted and int(declared.lstrip("0")[:20] or 0) > limit:
        raise _too_large(limit)
    try:
        # `body` stays readable for the host's middleware; the stream is for bodies of unknown length, where it would
        # read without end.
        body = request.body if counted else _stream(request, limit)
    except RequestDataTooBig:
        raise refuse(413, "The request is larger than the server's DATA_UPLOAD_MAX_MEMORY_SIZE allows.") from None
    except UnreadablePostError:
        raise refuse(400, "The request's body could not be read to its end. Send it again.") from None
    if len(body) > limit:
        raise _too_large(limit)
    return body


def _stream(request: HttpRequest, limit: int) -> bytes:
    source = request
    if "wsgi.input" in request.META and request.headers.get("Transfer-Encoding"):
        # Django takes a WSGI body without Content-Length for empty. Only this flag says that reading on is safe.
        if not request.META.get("wsgi.input_terminated"):
            raise refuse(411, "The web server does not pass on chunked bodies. Send a Content-Length header.")
        source = request.META["wsgi.input"]
    parts: list[bytes] = []
    size = 0
    while size <= limit:
        try:
            part = source.read(limit + 1 - size)
        except Exception as error:
            # Each web server has its own for a chunk that is none; gunicorn's is no OSError.
            raise UnreadablePostError(*error.args) from error
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _too_large(limit: int) -> ProtocolError:
    return refuse(413, f"The request is larger than {limit} bytes.")
