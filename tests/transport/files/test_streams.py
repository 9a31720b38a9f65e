"""Linked files of any size and storage are sent chunk by chunk, under WSGI and under ASGI."""

import tracemalloc

from asgiref.sync import async_to_sync
from django.core.files.base import File
from django.core.wsgi import get_wsgi_application
from django.test import AsyncClient, RequestFactory

from django_mcp.tools.links import StoredFile
from django_mcp.transport.files import AsyncPart
from tests.transport.files.storages import CONTENT, MEGABYTE, Zeros, body, opened


def test_a_file_of_unknown_size_comes_whole(get, path_of):
    response = get(path_of(StoredFile.of("unmeasured", storage="odd")), Range="bytes=0-1")
    assert (response.status_code, body(response)) == (200, CONTENT)
    assert "Content-Length" not in response
    assert "Accept-Ranges" not in response


def test_a_file_that_nobody_reads_is_closed_with_its_answer(get, path_of):
    response = get(path_of(StoredFile.of("pipe", storage="odd")))
    assert not opened[0].closed
    response.close()
    assert opened[0].closed


def environment(path, bearer, **more):
    return {**RequestFactory().get(path, headers=bearer).environ, **more}


def test_a_big_file_streams_in_constant_memory(bearer, path_of):
    path = path_of(StoredFile.of("zeros", storage="odd", media_type="audio/wav"))
    application = get_wsgi_application()
    answered = []
    application(environment(path, bearer), lambda *start: None).close()
    tracemalloc.start()
    try:
        parts = application(environment(path, bearer), lambda *start: answered.append(start))
        size = sum(len(part) for part in parts)
        parts.close()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (answered[0][0], size) == ("200 OK", 40 * MEGABYTE)
    assert peak < 2 * MEGABYTE


def test_a_big_file_streams_in_constant_memory_under_asgi():
    async def read():
        return sum([len(part) async for part in AsyncPart(File(Zeros()), 0, 40 * MEGABYTE)])

    async_to_sync(read)()
    tracemalloc.start()
    try:
        size = async_to_sync(read)()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (size, peak < 2 * MEGABYTE) == (40 * MEGABYTE, True)


def test_a_range_is_answered_under_asgi_without_a_warning(bearer, path):
    async def fetch():
        response = await AsyncClient().get(path, headers={**bearer, "Range": "bytes=5-300"})
        return response.status_code, b"".join([part async for part in response.streaming_content])

    assert async_to_sync(fetch)() == (206, CONTENT[5:301])
