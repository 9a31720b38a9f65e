"""Streams end: by the size of a result, by time, and closed whatever happens."""

import asyncio
import itertools

import pytest
from django.http import StreamingHttpResponse

from django_mcp.execution import attachments
from django_mcp.execution.reply import _data


class Stream:
    def __init__(self, chunks):
        self.chunks, self.is_closed = iter(chunks), False

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.chunks)

    def close(self):
        self.is_closed = True


def answer(chunks, media_type="text/plain; charset=utf-8"):
    return _data(None, StreamingHttpResponse(chunks, content_type=media_type))


def test_a_short_stream_of_text_is_the_text():
    stream = Stream([b"a,b\n", "1,é\n".encode()])
    data, notes, attachment = answer(stream, "text/csv; charset=utf-8")
    assert (data["text"], data["size"], notes, attachment) == ("a,b\n1,é\n", 9, (), None)
    assert stream.is_closed


def test_an_endless_stream_of_text_is_cut_and_says_so(settings):
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "MAX_RESULT_LENGTH": 1001}
    stream = Stream(itertools.repeat("é".encode()))
    data, notes, _attachment = answer(stream)
    assert (data["text"], data["truncated"]) == ("é" * 500, True)
    assert notes == ("The text was cut off after 1001 bytes; the rest is missing.",)
    assert stream.is_closed


@pytest.mark.parametrize("media_type", ["text/plain", "application/octet-stream"])
def test_a_slow_stream_is_cut_by_time(monkeypatch, media_type):
    monkeypatch.setattr(attachments, "MAX_STREAM_SECONDS", 0)
    stream = Stream(itertools.repeat(b"x"))
    _description, notes, attachment = answer(stream, media_type)
    assert "was cut off" in notes[0]
    assert stream.is_closed
    if attachment:
        attachment.content.close()


def test_an_asynchronous_stream_that_waits_is_cut_by_time(monkeypatch):
    monkeypatch.setattr(attachments, "MAX_STREAM_SECONDS", 0.05)
    ended = []

    async def chunks():
        try:
            yield b"first"
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    data, _notes, _attachment = answer(chunks())
    assert (data["text"], data["truncated"], ended) == ("first", True, [True])
