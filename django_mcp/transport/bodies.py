"""Reading a request's body: never more than is allowed, whatever the client announces."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, UnreadablePostError

from django_mcp.conf import conf
from django_mcp.errors import ProtocolError
from django_mcp.transport.headers import refuse


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
