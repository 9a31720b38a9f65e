"""The file that a host's view answers, held for the result: in memory while it is small, on disk above that."""

import asyncio
import time
from contextlib import aclosing
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from asgiref.sync import async_to_sync
from django.utils.http import parse_header_parameters

from django_mcp.conf import conf
from django_mcp.replies import Attachment

# Shorter than the time that web servers give a worker. A synchronous stream is looked at between two chunks.
MAX_STREAM_SECONDS = 20
UNKNOWN_TYPE = "application/octet-stream"
_TEXTUAL = ("json", "xml", "yaml", "javascript", "x-ndjson")


def textual(media_type: str) -> bool:
    """Tell whether content of this type is text that a model can read as it is."""
    return media_type.startswith("text/") or media_type.endswith(_TEXTUAL)


def answers_file(response: Any, media_type: str) -> bool:
    """Tell whether a response is a file to pass on: bytes, or any content whose header says that it is for saving."""
    if not 200 <= response.status_code < 300 or response.headers.get("Content-Encoding", "identity") != "identity":
        return False
    # Parts are cut for one reader of this very response, and often they never end.
    if media_type.startswith("multipart/"):
        return False
    disposition = parse_header_parameters(response.headers.get("Content-Disposition", ""))[0]
    return disposition == "attachment" or not textual(media_type)


def of_content(content: bytes, *, media_type: str, filename: str) -> tuple[Attachment | None, tuple[str, ...]]:
    """Return content as an attachment, or None and a note on the limit that it exceeds."""
    if len(content) > conf.MAX_STORED_RESOURCE_BYTES:
        return None, (_left_out(len(content)),)
    media_type = media_type or UNKNOWN_TYPE
    return Attachment(content=BytesIO(content), media_type=media_type, filename=filename, size=len(content)), ()


def of_stream(
    response: Any, *, length: int | None, media_type: str, filename: str
) -> tuple[Attachment | None, tuple[str, ...]]:
    """Read a streaming response as `filled` does, up to `MAX_STORED_RESOURCE_BYTES`, and return it with notes.

    `length` is the response's Content-Length, in bytes; one that is too big is not read. Raises whatever the host's
    stream raises.
    """
    limit = conf.MAX_STORED_RESOURCE_BYTES
    if length is not None and length > limit:
        return None, (_left_out(length),)
    spool = SpooledTemporaryFile(max_size=conf.MAX_INLINE_RESOURCE_BYTES)  # noqa: SIM115 - it outlives this call
    try:
        whole = filled(response, spool, limit)
        size = spool.tell()
        spool.seek(0)
    except BaseException:
        spool.close()
        raise
    notes = () if whole else (cut_off("file", size),)
    media_type = media_type or UNKNOWN_TYPE
    return Attachment(content=spool, media_type=media_type, filename=filename, size=size), notes


def cut_off(noun: str, size: int) -> str:
    """Return the note on content that was not read to its end."""
    return f"The {noun} was cut off after {size} bytes; the rest is missing."


def filled(response: Any, spool: IO[bytes], limit: int) -> bool:
    """Write a stream to a file, up to `limit` bytes and `MAX_STREAM_SECONDS`; tell whether that was all of it.

    Raises whatever the host's stream raises.
    """
    if getattr(response, "is_async", False):
        return async_to_sync(_filled)(response.streaming_content, spool, limit)
    end = time.monotonic() + MAX_STREAM_SECONDS
    return all(_written(chunk, spool, limit) and time.monotonic() < end for chunk in response.streaming_content)


async def _filled(chunks: Any, spool: IO[bytes], limit: int) -> bool:
    try:
        async with asyncio.timeout(MAX_STREAM_SECONDS), aclosing(chunks):
            async for chunk in chunks:
                if not _written(chunk, spool, limit):
                    return False
    except TimeoutError:
        return False
    return True


def _written(chunk: bytes, spool: IO[bytes], limit: int) -> bool:
    """Write a chunk up to the limit; tell whether that was all of it."""
    room = limit - spool.tell()
    spool.write(chunk[:room])
    return len(chunk) <= room


def _left_out(size: int) -> str:
    return f"The file has {size} bytes; at most {conf.MAX_STORED_RESOURCE_BYTES} are passed on, so it was left out."
