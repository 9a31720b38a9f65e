"""Parts of linked files (RFC 9110, section 14)."""

import io

import pytest
from django.core.files.base import ContentFile, File
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.tools.links import StoredFile, store
from django_mcp.transport.files import SyncPart, byte_range
from tests.transport.files.storages import CONTENT, Pipe, body


@pytest.mark.parametrize(
    ("requested", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=700-", 700, 768),
        ("bytes=760-99999999999999999999999", 760, 768),
        ("bytes=-5", 763, 768),
        ("bytes=-99999", 0, 768),
        ("BYTES=0-1", 0, 2),
        ("bytes= 0-1 ", 0, 2),
    ],
)
def test_a_range_is_that_part(get, requested, start, stop):
    response = get(Range=requested)
    assert (response.status_code, body(response)) == (206, CONTENT[start:stop])
    assert response["Content-Range"] == f"bytes {start}-{stop - 1}/768"
    assert response["Content-Length"] == str(stop - start)


@pytest.mark.parametrize("requested", ["bytes=768-", "bytes=1000-2000", "bytes=-0"])
def test_a_range_beyond_the_end_is_416(get, requested):
    response = get(Range=requested)
    assert (response.status_code, response["Content-Range"]) == (416, "bytes */768")
    assert response.json() == {"error": "The file has 768 bytes."}


@pytest.mark.parametrize(
    "requested",
    ["bytes=5-4", "bytes=0-1,3-4", "bytes=-", "bytes", "bytes=a-b", "lines=0-1", "bytes=--1", "", "bytes=0-1;",
     "bytes=\u0660-\u0661", "bytes=" + "9" * 5000 + "-"],
)  # fmt: skip
def test_anything_but_a_single_range_is_ignored(get, requested):
    response = get(Range=requested)
    assert (response.status_code, body(response)) == (200, CONTENT)


def test_a_range_on_a_condition_is_ignored(get):
    assert get(Range="bytes=0-1", If_Range='"abc"').status_code == 200


def test_an_empty_file_has_no_ranges(get, path_of):
    empty = path_of(store(io.BytesIO(), filename="e", media_type="text/plain"))
    assert (get(empty, Range="bytes=0-").status_code, get(empty, Range="bytes=-5").status_code) == (416, 200)
    assert body(get(empty)) == b""


@given(st.binary(max_size=300), st.data())
def test_every_part_is_exactly_its_slice(content, data):
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, len(content)))
    for kind in (io.BytesIO, Pipe):
        file = File(kind(content))
        assert b"".join(SyncPart(file, start, stop - start)) == content[start:stop]


@given(size=st.integers(1, 768), data=st.data())
def test_every_valid_range_is_exactly_its_slice(size, data):
    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, 2 * size))
    suffix = data.draw(st.integers(1, 2 * size))
    content = CONTENT[:size]
    for header, expected in (
        (f"bytes={first}-{last}", content[first : last + 1]),
        (f"bytes={first}-", content[first:]),
        (f"bytes=-{suffix}", content[-suffix:]),
    ):
        part = byte_range(RequestFactory().get("/", headers={"Range": header}), size)
        assert content[part.start : part.stop] == expected


def test_compression_of_the_host_leaves_ranges_alone(get, settings):
    settings.MIDDLEWARE = ["django.middleware.gzip.GZipMiddleware", *settings.MIDDLEWARE]
    response = get(Range="bytes=0-299", Accept_Encoding="gzip")
    assert (response["Content-Length"], body(response)) == ("300", CONTENT[:300])


def test_a_storage_that_cannot_seek_serves_ranges(get, path_of):
    assert body(get(path_of(StoredFile.of("pipe", storage="odd")), Range="bytes=100-299")) == CONTENT[100:300]


def test_a_file_that_became_shorter_ends_early():
    part = SyncPart(ContentFile(b"abc"), 1, 10)
    assert b"".join(part) == b"bc"
