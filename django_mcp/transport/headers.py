"""The headers that a request must have before its body is read, the reading of it, and the headers of every answer."""

from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils.cache import patch_vary_headers

from django_mcp.conf import conf
from django_mcp.errors import ProtocolError
from django_mcp.protocol.headers import is_param_header

ALLOWED_METHODS = "POST, OPTIONS"
REQUEST_HEADERS = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, accept"
EXPOSED_HEADERS = "WWW-Authenticate, Retry-After"
PREFLIGHT_SECONDS = 600
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int | None]


def refuse(status: int, text: str, **headers: str) -> ProtocolError:
    """Return the error of a refusal below JSON-RPC. Header names are written with underscores."""
    hyphenated = {name.replace("_", "-"): value for name, value in headers.items()}
    return ProtocolError(ProtocolError.REQUEST, text, http_status=status, headers=hyphenated)


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


def read_body(request: HttpRequest) -> bytes:
    """Return the body. Refuse one larger than MAX_REQUEST_BYTES with 413, one that cannot be read with 411 or 400."""
    limit = conf.MAX_REQUEST_BYTES
    length = str(request.META.get("CONTENT_LENGTH") or "").strip()
    counted = length.isdecimal()
    # Cut to as many digits as int() converts at once; more of them are too many for any limit.
    oversized = counted and int(length.lstrip("0")[:20] or 0) > limit
    body = b""
    try:
        if not oversized:
            # `body` stays readable for the host's middleware; the stream is for bodies of unknown length, where it
            # would read without end.
            body = request.body if counted else _read_stream(request, limit)
    except RequestDataTooBig:
        raise refuse(413, "The request is larger than the server's DATA_UPLOAD_MAX_MEMORY_SIZE allows.") from None
    except UnreadablePostError:
        raise refuse(400, "The request's body could not be read to its end. Send it again.") from None
    if oversized or len(body) > limit:
        raise refuse(413, f"The request is larger than {limit} bytes.")
    return body


def _read_stream(request: HttpRequest, limit: int) -> bytes:
    """Return a body of unknown length, cut one byte after the limit."""
    source = request
    if "wsgi.input" in request.META and request.headers.get("Transfer-Encoding"):
        # Django takes a WSGI body without Content-Length for empty. Only this flag tells that reading on is safe.
        if not request.META.get("wsgi.input_terminated"):
            raise refuse(411, "The web server does not pass on chunked bodies. Send a Content-Length header.")
        source = request.META["wsgi.input"]
    chunks: list[bytes] = []
    size = 0
    while size <= limit:
        try:
            chunk = source.read(limit + 1 - size)
        except Exception as error:
            # Each web server has its own exception for a malformed chunk; gunicorn's is no OSError.
            raise UnreadablePostError(*error.args) from error
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


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
    origin = _parse_origin(request.headers.get("Origin", ""))
    if origin is None:
        return False
    if any(origin == _parse_origin(allowed) for allowed in conf.ALLOWED_ORIGINS):
        return True
    try:
        return origin == _parse_origin(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        return False


def _parse_origin(text: str) -> Origin | None:
    """Return scheme, host and port of a serialised origin (RFC 6454 §6.2); None for "null" and anything else."""
    # urlsplit() drops control characters, so a text that it parses may still be no header.
    if not text.isascii() or not text.isprintable():
        return None
    try:
        url = urlsplit(text.strip().rstrip("/").lower())
        port = url.port
    except ValueError:
        return None
    if not url.hostname or "@" in url.netloc or url.path or url.query or url.fragment:
        return None
    return url.scheme, url.hostname, port or _PORTS.get(url.scheme)


def preflight(request: HttpRequest) -> HttpResponse:
    """Answer a browser's OPTIONS for an allowed origin; the key comes with the request that follows."""
    if not request.headers.get("Origin"):
        require_post(request)
    require_origin(request)
    # Headers that repeat arguments are named by the tools, so no fixed list has them.
    requested = map(str.strip, request.headers.get("Access-Control-Request-Headers", "").split(","))
    response = HttpResponse(status=204)
    del response["Content-Type"]
    response["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response["Access-Control-Allow-Headers"] = ", ".join([REQUEST_HEADERS, *filter(is_param_header, requested)])
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def finish(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add the headers of every answer: it is for this caller and this moment, and an allowed origin may read it."""
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Origin"])
    if request.headers.get("Origin") and origin_allowed(request):
        response["Access-Control-Allow-Origin"] = request.headers["Origin"]
        response["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response
