"""The files that resource links lead to: for the caller they were made for, whole or in part, never all in memory."""

import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.log import log_response

from django_mcp.access import server_config
from django_mcp.errors import NotFound, ProtocolError
from django_mcp.host.requests import Context
from django_mcp.text import one_line
from django_mcp.tools.links import StoredFile, linked
from django_mcp.transport import authentication, headers, throttling
from django_mcp.transport.views import JSON, JsonView, internal_error

METHODS = "GET, HEAD, OPTIONS"
REQUEST_HEADERS = f"{headers.REQUEST_HEADERS}, range, if-range"
EXPOSED_HEADERS = f"{headers.EXPOSED_HEADERS}, Accept-Ranges, Content-Disposition, Content-Length, Content-Range"
CHUNK = 64 * 1024
# RFC 9110, section 14.1.2: one range of bytes, from a first byte on or the last so many.
_RANGE = re.compile(r"bytes=[ \t]*(?:([0-9]{1,30})-([0-9]{0,30})|-([0-9]{1,30}))[ \t]*", re.IGNORECASE)


class FileView(JsonView):
    """Gives a linked file to its caller. A file that is another's, gone, or was never there looks alike."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response_headers: dict[str, str] = {}
        try:
            return _finish(request, self._answer(request, kwargs["token"]))
        except NotFound as error:
            status, text = 404, error.text
        except ProtocolError as error:
            status, response_headers = error.http_status, error.headers
            text = NotFound().text if status == 404 else error.message
        except Exception as error:  # noqa: BLE001 - whatever broke, the client gets JSON and the log the reason
            status, text = 500, internal_error("Sending a linked file failed.", error)
        refusal = HttpResponse(json.dumps({"error": text}), status=status, content_type=JSON, headers=response_headers)
        # Django's own line would have the path, and with it the link.
        log_response("%s: a linked file.", refusal.reason_phrase, response=refusal)
        return _finish(request, refusal)

    def _answer(self, request: HttpRequest, token: str) -> HttpResponseBase:
        authentication.require_exposure(server_config.cached(), again=True)
        if request.method == "OPTIONS":
            return _preflight(request)
        if request.method not in {"GET", "HEAD"}:
            raise headers.refuse(405, "Fetch files by GET.", Allow=METHODS)
        headers.require_origin(request)
        caller = authentication.authenticate(request, client=one_line(request.headers.get("User-Agent", "")))
        authentication.require_exposure(authentication.server_for(caller))
        throttling.check(Context(outer=request, caller=caller))
        return _file_response(request, linked(token.removesuffix("/"), caller))


@dataclass(eq=False)
class Part:
    """A part of an open file, chunk by chunk. The response closes it, whether it was read or not."""

    file: Any
    start: int
    length: int

    def close(self) -> None:
        self.file.close()

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the part; fewer where the file has become shorter."""
        if self.file.seekable():
            self.file.seek(self.start)
        else:
            before = self.start
            while before and (skipped := self.file.read(min(CHUNK, before))):
                before -= len(skipped)
        left = self.length
        while left and (chunk := self.file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk


class SyncPart(Part):
    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()


class AsyncPart(Part):
    """Under ASGI, Django reads an iterator that is not asynchronous into memory before it sends anything."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self.chunks()
        read = sync_to_async(lambda: next(chunks, b""), thread_sensitive=False)
        while chunk := await read():
            yield chunk


def byte_range(request: HttpRequest, size: int) -> range | None:
    """Return the bytes of a file that the request wants, None for all of them (RFC 9110, section 14.2).

    Several ranges and malformed ones are ignored. So is a range under If-Range: there is no validator that it could
    name. Raises ProtocolError with HTTP status 416 for a range beyond the end.
    """
    match = _RANGE.fullmatch(request.headers.get("Range", ""))
    if match is None or request.method != "GET" or "If-Range" in request.headers:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        start, stop = max(0, size - int(suffix)), size
        # Of an empty file the last bytes are the whole file.
        if size == 0 and int(suffix):
            return None
    else:
        start, stop = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return None
    if start >= size:
        raise headers.refuse(416, f"The file has {size} bytes.", Content_Range=f"bytes */{size}")
    return range(start, stop)


def _file_response(request: HttpRequest, stored: StoredFile) -> HttpResponseBase:
    part = None if stored.size is None else byte_range(request, stored.size)
    try:
        file = stored.open()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFound from None
    response: HttpResponseBase
    if request.method == "HEAD":
        file.close()
        response = HttpResponse(content_type=stored.media_type)
    else:
        span = part or range(sys.maxsize if stored.size is None else stored.size)
        part_class: Any = AsyncPart if isinstance(request, ASGIRequest) else SyncPart
        response = StreamingHttpResponse(part_class(file, span.start, len(span)), content_type=stored.media_type)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=stored.filename)
    response["X-Content-Type-Options"] = "nosniff"
    # A middleware of the host that compresses would send other bytes than the length and the range tell.
    response["Content-Encoding"] = "identity"
    if stored.size is not None:
        response["Accept-Ranges"] = "bytes"
        response["Content-Length"] = str(stored.size if part is None else len(part))
    if part is not None:
        response.status_code = 206
        response["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{stored.size}"
    return response


def _preflight(request: HttpRequest) -> HttpResponse:
    if not request.headers.get("Origin"):
        return HttpResponse(status=204, headers={"Allow": METHODS})
    response = headers.preflight(request)
    response["Access-Control-Allow-Methods"] = METHODS
    response["Access-Control-Allow-Headers"] = REQUEST_HEADERS
    return response


def _finish(request: HttpRequest, response: Any) -> HttpResponseBase:
    headers.finish(request, response)
    response["Cache-Control"] = "private, no-store"
    if "Access-Control-Expose-Headers" in response.headers:
        response["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response  # type: ignore[no-any-return]
