"""The file that a host's view answers, kept for the result: in memory while it is small, on disk above that."""

from collections.abc import Iterable
from contextlib import aclosing
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from asgiref.sync import async_to_sync
from django.utils.http import parse_header_parameters

from django_mcp.conf import conf
from django_mcp.types import Attachment

UNKNOWN_TYPE = "application/octet-stream"
_TEXTUAL = ("json", "xml", "yaml", "javascript", "x-ndjson")


def textual(media_type: str) -> bool:
    """Tell whether content of this type is text that a model can read as it is."""
    return media_type.startswith("text/") or media_type.endswith(_TEXTUAL)


def answers_file(response: Any, media_type: str) -> bool:
    """Tell whether a response is a file to pass on: bytes, or what says of itself that it is for saving."""
    if not 200 <= response.status_code < 300 or response.headers.get("Content-Encoding", "identity") != "identity":
        return False
    # Parts are cut for one reader of this very response, and often they never end.
    if media_type.startswith("multipart/"):
        return False
    disposition = parse_header_parameters(response.headers.get("Content-Disposition", ""))[0]
    return disposition == "attachment" or not textual(media_type)


def of_content(content: bytes, *, media_type: str, filename: str) -> tuple[Attachment | None, tuple[str, ...]]:
    """Return content as an attachment, or none and why."""
    if len(content) > conf.MAX_STORED_RESOURCE_BYTES:
        return None, (_left_out(len(content)),)
    return _attachment(BytesIO(content), media_type, filename, len(content)), ()


def of_stream(
    response: Any, *, length: int | None, media_type: str, filename: str
) -> tuple[Attachment | None, tuple[str, ...]]:
    """Read a streaming response to its end, or to `MAX_STORED_RESOURCE_BYTES`, and return it with what to note.

    `length` is what the response says of its size, in bytes; one that is too big is not read. Raises whatever the
    host's stream raises.
    """
    limit = conf.MAX_STORED_RESOURCE_BYTES
    if length is not None and length > limit:
        return None, (_left_out(length),)
    spool = SpooledTemporaryFile(max_size=conf.MAX_INLINE_RESOURCE_BYTES)  # noqa: SIM115 - it outlives this call
    try:
        fill = async_to_sync(_filled_async) if getattr(response, "is_async", False) else _filled
        whole = fill(response.streaming_content, spool, limit)
        size = spool.tell()
        spool.seek(0)
    except BaseException:
        spool.close()
        raise
    notes = () if whole else (f"The file was cut off after {limit} bytes; the rest is missing.",)
    return _attachment(spool, media_type, filename, size), notes


def _attachment(content: IO[bytes], media_type: str, filename: str, size: int) -> Attachment:
    return Attachment(content=content, media_type=media_type or UNKNOWN_TYPE, filename=filename, size=size)


def _filled(chunks: Iterable[bytes], spool: IO[bytes], limit: int) -> bool:
    """Write chunks up to the limit; tell whether that was all of them."""
    return all(_written(chunk, spool, limit) for chunk in chunks)


async def _filled_async(chunks: Any, spool: IO[bytes], limit: int) -> bool:
    async with aclosing(chunks):
        async for chunk in chunks:
            if not _written(chunk, spool, limit):
                return False
    return True


def _written(chunk: bytes, spool: IO[bytes], limit: int) -> bool:
    room = limit - spool.tell()
    spool.write(chunk[:room])
    return len(chunk) <= room


def _left_out(size: int) -> str:
    return f"The file has {size} bytes; at most {conf.MAX_STORED_RESOURCE_BYTES} are passed on, so it was left out."
