"""The reply of a view, of its answer or its exception, as plain JSON values."""

import io
import math
import time
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http.multipartparser import MultiPartParserError
from django.utils.http import parse_header_parameters, parse_http_date_safe
from rest_framework.exceptions import APIException, ErrorDetail
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.views import APIView, exception_handler

from django_mcp import error_reports
from django_mcp.conf import conf
from django_mcp.execution import attachments
from django_mcp.host.refusals import refused
from django_mcp.protocol.json import parse_portable
from django_mcp.redaction import secrets_in
from django_mcp.replies import Attachment, ViewReply
from django_mcp.types import OperationCall

# The digits of a number in a header; no size and no wait has more.
MAX_DECIMALS = 15
_MALFORMED = (BadRequest, SuspiciousOperation, MultiPartParserError)


def rendered(response: Any) -> Any:
    """Return the response rendered, as JSON where its renderer would make a page of plain data."""
    renderer = getattr(response, "accepted_renderer", None)
    if isinstance(renderer, BrowsableAPIRenderer):
        renderer = response.accepted_renderer = JSONRenderer()
        response.accepted_media_type = JSONRenderer.media_type
    if isinstance(renderer, JSONRenderer):
        # It refuses NaN otherwise, after the view has done its work.
        vars(renderer)["strict"] = False
    return response.render() if callable(getattr(response, "render", None)) else response


def answered(
    call: OperationCall, response: Any, *, rolled_back: bool = False, notes: tuple[str, ...] = ()
) -> ViewReply:
    """Return a rendered response as a reply, with the file that it answers open.

    Streams are read up to their limits of size and time, and closed. A 5xx gets an error id and is logged.
    """
    data, data_notes, attachment = _data(call, response)
    error_id = public_text = ""
    if response.status_code >= 500:
        public_text = "" if _is_made_up(response) else _public_text(getattr(response, "data", None))
        error_id = error_reports.report(f"{call.target} answered {response.status_code}.")
        # The page of a debug server or proxy is no answer for a model.
        data = None if isinstance(data, Mapping) and {"contentType", "size"} <= data.keys() else data
    return ViewReply(
        status=response.status_code,
        data=data,
        notes=(*notes, *data_notes),
        location=response.headers.get("Location") if 300 <= response.status_code < 400 else None,
        retry_after=_retry_after(response.headers.get("Retry-After")),
        rolled_back=rolled_back,
        error_id=error_id,
        public_text=public_text,
        attachment=attachment,
    )


def failed(call: OperationCall, error: Exception, *, rolled_back: bool) -> ViewReply:
    """Return the reply for an exception out of a view, as Django's handler would answer it.

    A 5xx is logged with its traceback under the reply's error id, and only an APIException's own text is public.
    """
    reply = refused(error, ViewReply, rolled_back=rolled_back)
    if reply is not None:
        return reply
    if isinstance(error, _MALFORMED):
        # Their texts were not written for a caller.
        return ViewReply(status=400, data={"detail": "Bad request."}, rolled_back=rolled_back)
    status, public_text = 500, ""
    if isinstance(error, APIException):
        status = error.status_code
        # Made of another exception, as an exception handler of the host may, it has the text of that one.
        public_text = _public_text(error.detail) if isinstance(error.__context__, APIException | None) else ""
    error_id = _reported(call, f"{call.target} failed.", error)
    return ViewReply(status=status, public_text=public_text, error_id=error_id, rolled_back=rolled_back)


def _is_made_up(response: Any) -> bool:
    """Tell whether code of the host may have made a 5xx of any exception, whose text was meant for nobody."""
    view = (getattr(response, "renderer_context", None) or {}).get("view")
    if view is None:
        return False
    handles: Any = type(view).handle_exception
    return handles is not APIView.handle_exception or view.get_exception_handler() is not exception_handler


def _public_text(data: Any) -> str:
    """Return the texts that an APIException brought for clients; no other text of a broken view was meant for them."""
    if isinstance(data, ErrorDetail):
        return str(data)
    parts = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    return " ".join(filter(None, map(_public_text, parts)))


def _reported(call: OperationCall, event: str, error: Exception) -> str:
    return error_reports.report(event, error, secrets=secrets_in(call.arguments, call.sensitive))


def _data(call: OperationCall, response: Any) -> tuple[Any, tuple[str, ...], Attachment | None]:
    """Return the value of a JSON response, or a description of any other, with notes and the file that it is."""
    media_type, parameters = parse_header_parameters(response.headers.get("Content-Type", ""))
    disposition = parse_header_parameters(response.headers.get("Content-Disposition", ""))[1]
    description: dict[str, Any] = {
        "contentType": media_type or None,
        "size": None,
        "filename": disposition.get("filename") or None,
    }
    if getattr(response, "streaming", False):
        return _streamed(call, response, description)
    content: bytes = response.content
    if not content or 300 <= response.status_code < 400:
        return None, (), None
    if media_type == "application/json" or media_type.endswith("+json"):
        try:
            return *parse_portable(content), None
        except (ValueError, RecursionError):
            media_type = "text/plain"
    description["size"] = len(content)
    text, notes = _text(content, media_type, parameters.get("charset", "utf-8"))
    if text is not None:
        return {**description, "text": text}, notes, None
    if not attachments.answers_file(response, media_type):
        return description, (), None
    attachment, notes = attachments.of_content(content, media_type=media_type, filename=description["filename"] or "")
    return description, notes, attachment


def _streamed(
    call: OperationCall, response: Any, description: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...], Attachment | None]:
    length = response.headers.get("Content-Length", "")
    description["size"] = int(length) if length.isdecimal() and len(length) <= MAX_DECIMALS else None
    media_type = description["contentType"] or ""
    try:
        if not attachments.answers_file(response, media_type):
            return *_streamed_text(response, description), None
        attachment, notes = attachments.of_stream(
            response, length=description["size"], media_type=media_type, filename=description["filename"] or ""
        )
    except Exception as error:  # noqa: BLE001 - logged; the view itself has done its work.
        error_id = _reported(call, f"The file that {call.target} answered could not be read.", error)
        return description, (f"The file could not be read to its end, so it was left out. Error id {error_id}.",), None
    finally:
        _close(response)
    return ({**description, "size": attachment.size} if attachment else description), notes, attachment


def _streamed_text(response: Any, description: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a description with the text of a stream, as much of it as a result may hold."""
    media_type, parameters = parse_header_parameters(response.headers.get("Content-Type", ""))
    if not attachments.textual(media_type) or response.headers.get("Content-Encoding", "identity") != "identity":
        return description, ()
    spool = io.BytesIO()
    whole = attachments.filled(response, spool, conf.MAX_RESULT_LENGTH)
    content = spool.getvalue()
    try:
        # The last character may have been cut in two.
        text = content.decode(parameters.get("charset", "utf-8"), "strict" if whole else "ignore")
    except (UnicodeDecodeError, LookupError):
        return description, ()
    description = {**description, "text": text}
    if whole:
        return {**description, "size": len(content)}, ()
    return {**description, "truncated": True}, (attachments.cut_off("text", len(content)),)


def _text(content: bytes, media_type: str, charset: str) -> tuple[str | None, tuple[str, ...]]:
    """Return content as text where it is one, at most `MAX_RESULT_LENGTH` bytes of it."""
    if not attachments.textual(media_type):
        return None, ()
    try:
        text = content.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return None, ()
    whole, limit = text.encode(errors="replace"), conf.MAX_RESULT_LENGTH
    if len(whole) <= limit:
        return text, ()
    return whole[:limit].decode(errors="ignore"), (f"The text was cut after {limit} of {len(whole)} bytes.",)


def _close(response: Any) -> None:
    """Close the stream of a response, but not the request."""
    # `response.close()` would send request_finished, and with it close the outer request's database connections.
    for closer in getattr(response, "_resource_closers", ()):
        try:
            closer()
        except Exception as error:  # noqa: BLE001 - reported
            error_reports.report("A streamed response could not be closed.", error)


def _retry_after(header: str | None) -> int | None:
    """Read seconds or a date (RFC 9110, section 10.2.3)."""
    if not header:
        return None
    if header.isdecimal():
        return int(header) if len(header) <= MAX_DECIMALS else None
    when = parse_http_date_safe(header)
    return None if when is None else max(0, math.ceil(when - time.time()))
