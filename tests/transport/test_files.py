import io
import time
import tracemalloc

import pytest
from asgiref.sync import async_to_sync
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages
from django.core.wsgi import get_wsgi_application
from django.test import AsyncClient, RequestFactory
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.access import keys
from django_mcp.host.requests import Context
from django_mcp.models import ToolGroup
from django_mcp.tools import links
from django_mcp.tools.links import StoredFile, link, store
from django_mcp.transport import authentication
from django_mcp.transport.files import AsyncPart, SyncPart

CONTENT = bytes(range(256)) * 3
MEGABYTE = 1024 * 1024
opened = []


class Zeros(io.RawIOBase):
    """A file of 40 MB that is nowhere."""

    def __init__(self):
        self.left = 40 * MEGABYTE

    def readable(self):
        return True

    def read(self, size=-1):
        size = min(self.left, size)
        self.left -= size
        return b"\0" * size


class Odd(Storage):
    """A storage that cannot seek, and in which only some files can be measured."""

    def _open(self, name, mode="rb"):
        file = File(Zeros() if name == "zeros" else Pipe(CONTENT))
        opened.append(file)
        return file

    def size(self, name):
        if name == "unmeasured":
            raise NotImplementedError
        if name == "broken":
            raise OSError("the disk secret=hunter2 is gone")
        return 40 * MEGABYTE if name == "zeros" else len(CONTENT)


class Pipe(io.BytesIO):
    def seekable(self):
        return False


@pytest.fixture(autouse=True)
def storage(settings, tmp_path):
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path)}},
        "odd": {"BACKEND": "tests.transport.test_files.Odd"},
    }
    opened.clear()


@pytest.fixture
def key(exposed, person):
    return keys.issue(name="files", user=person, all_groups=True)


@pytest.fixture
def bearer(key):
    return {"Authorization": f"Bearer {key[1]}"}


@pytest.fixture
def path_of(key):
    """Return a function that links a stored file for the key and returns the link's path."""
    caller = authentication.caller_of(RequestFactory().get("/", headers={"Authorization": f"Bearer {key[1]}"}))

    def path_of(stored):
        block = link(stored, Context(outer=RequestFactory().post("/mcp"), caller=caller))
        return block["uri"].removeprefix("http://testserver")

    return path_of


@pytest.fixture
def path(path_of):
    return path_of(store(io.BytesIO(CONTENT), filename="Žluť.wav", media_type="audio/wav"))


@pytest.fixture
def get(http, bearer, path):
    """Return a function that fetches the file with the key and further headers."""
    responses = []

    def get(where=path, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        responses.append(http.get(where, headers={**bearer, **named}))
        return responses[-1]

    yield get
    for response in responses:
        response.close()


def body(response):
    return b"".join(response.streaming_content)


def test_the_whole_file_comes_with_what_is_known_of_it(get):
    response = get()
    assert (response.status_code, body(response)) == (200, CONTENT)
    said = {name: response[name] for name in ("Content-Type", "Content-Length", "Accept-Ranges", "Cache-Control")}
    assert said == {
        "Content-Type": "audio/wav",
        "Content-Length": str(len(CONTENT)),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-store",
    }
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == "attachment; filename*=utf-8''%C5%BDlu%C5%A5.wav"


def test_a_trailing_slash_makes_no_difference(get, path):
    assert body(get(path + "/")) == CONTENT


def test_head_has_the_headers_and_no_body(http, bearer, path):
    response = http.head(path, headers={**bearer, "Range": "bytes=0-1"})
    assert (response.status_code, response["Content-Length"], response.content) == (200, str(len(CONTENT)), b"")
    assert response["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
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
def test_a_range_is_that_part(get, asked, start, stop):
    response = get(Range=asked)
    assert (response.status_code, body(response)) == (206, CONTENT[start:stop])
    assert response["Content-Range"] == f"bytes {start}-{stop - 1}/768"
    assert response["Content-Length"] == str(stop - start)


@pytest.mark.parametrize("asked", ["bytes=768-", "bytes=1000-2000", "bytes=-0"])
def test_a_range_beyond_the_end_is_416(get, asked):
    response = get(Range=asked)
    assert (response.status_code, response["Content-Range"]) == (416, "bytes */768")
    assert response.json() == {"error": "The file has 768 bytes."}


@pytest.mark.parametrize(
    "asked",
    ["bytes=5-4", "bytes=0-1,3-4", "bytes=-", "bytes", "bytes=a-b", "lines=0-1", "bytes=--1", "", "bytes=0-1;",
     "bytes=\u0660-\u0661", "bytes=" + "9" * 5000 + "-"],
)  # fmt: skip
def test_what_is_no_single_range_is_ignored(get, asked):
    response = get(Range=asked)
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
    from django_mcp.transport.files import _part

    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, 2 * size))
    suffix = data.draw(st.integers(1, 2 * size))
    content = CONTENT[:size]
    for asked, expected in (
        (f"bytes={first}-{last}", content[first : last + 1]),
        (f"bytes={first}-", content[first:]),
        (f"bytes=-{suffix}", content[-suffix:]),
    ):
        part = _part(RequestFactory().get("/", headers={"Range": asked}), size)
        assert content[part.start : part.stop] == expected


def test_everything_that_is_not_there_or_not_theirs_looks_the_same(
    http, bearer, path, path_of, person, django_user_model, monkeypatch, caplog
):
    """Another key, another user, an expired link, a changed one, a guessed one, a file that is gone, a folder."""
    other = {"Authorization": f"Bearer {keys.issue(name='b', user=person, all_groups=True)[1]}"}
    stranger = django_user_model.objects.create_user("eve")
    eve = {"Authorization": f"Bearer {keys.issue(name='c', user=stranger, all_groups=True)[1]}"}
    token = path.rpartition("/")[2]
    gone = store(io.BytesIO(b"x"), filename="x", media_type="text/plain")
    gone_path = path_of(gone)
    storages["default"].delete(gone.name)
    now = time.time()
    monkeypatch.setattr(links.time, "time", lambda: now - 2 * 60 * 60)
    expired = path_of(store(io.BytesIO(b"x"), filename="x", media_type="text/plain"))
    monkeypatch.undo()
    answers = [
        http.get(where, headers=headers)
        for where, headers in [
            (path, other), (path, eve), (expired, bearer), (path + "x", bearer), (path[:-5], bearer), (path + "//", bearer),
            (path + "/more", bearer), (path.replace(token, "x/" + token), bearer), ("/mcp/files/guess", bearer),
            ("/mcp/files/mcp_file_guess", bearer), ("/mcp/files/../../etc/passwd", bearer), (gone_path, bearer),
            ("/mcp/files/%2e%2e/%2e%2e/settings.py", bearer), (path_of(StoredFile.of("mcp")), bearer),
        ]
    ]  # fmt: skip
    ToolGroup.objects.update(exposed=False)
    answers += [http.get(path, headers=bearer), http.get(path)]
    said = {(answer.status_code, answer.content, tuple(sorted(answer.headers.items()))) for answer in answers}
    assert [(status, content) for status, content, _ in said] == [
        (404, b'{"error": "Not found or not available to you."}')
    ]
    assert "mcp_file_" not in caplog.text


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer ak-unknown"}, {"Authorization": "Basic eDp5"}])
def test_without_a_key_there_is_nothing(http, path, headers):
    response = http.get(path, headers=headers)
    assert (response.status_code, response["Content-Type"]) == (401, "application/json")
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["error"]


def test_a_session_opens_nothing(http, path, person):
    http.force_login(person)
    assert http.get(path).status_code == 401


def test_a_revoked_key_opens_nothing(http, bearer, path, key):
    keys.revoke(key[0])
    assert http.get(path, headers=bearer).status_code == 401


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
def test_other_methods_are_405(http, bearer, path, method):
    response = getattr(http, method)(path, headers=bearer)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert response.json() == {"error": "Fetch files by GET."}


def test_an_allowed_origin_may_read_it(get, settings):
    settings.DJANGO_MCP = {"ALLOWED_ORIGINS": ["https://app.example.com"]}
    response = get(Origin="https://app.example.com")
    assert response["Access-Control-Allow-Origin"] == "https://app.example.com"
    assert "Content-Range" in response["Access-Control-Expose-Headers"]
    body(response)


def test_another_origin_may_not(get):
    assert get(Origin="https://evil.example.com").status_code == 403


def test_browsers_may_ask_first(http, path):
    response = http.options(path, headers={"Origin": "http://testserver"})
    assert (response.status_code, response["Access-Control-Allow-Methods"]) == (204, "GET, HEAD, OPTIONS")
    assert "range" in response["Access-Control-Allow-Headers"]
    assert http.options(path)["Allow"] == "GET, HEAD, OPTIONS"
    assert http.options(path, headers={"Origin": "https://evil.example.com"}).status_code == 403


def test_a_login_that_the_host_demands_does_not_redirect(get, settings):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.contrib.auth.middleware.LoginRequiredMiddleware"]
    assert body(get()) == CONTENT


def test_compression_of_the_host_leaves_ranges_alone(get, settings):
    settings.MIDDLEWARE = ["django.middleware.gzip.GZipMiddleware", *settings.MIDDLEWARE]
    response = get(Range="bytes=0-299", Accept_Encoding="gzip")
    assert (response["Content-Length"], body(response)) == ("300", CONTENT[:300])


def test_downloads_are_throttled_like_calls(get, settings):
    settings.DJANGO_MCP = {"THROTTLE_CLASSES": ["django_mcp.transport.throttling.CallerRateThrottle"]}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"mcp": "1/min"}}
    body(get())
    response = get()
    assert (response.status_code, "Retry-After" in response) == (429, True)


def test_a_storage_that_breaks_is_an_error_id(http, bearer, key, path_of, monkeypatch, caplog):
    monkeypatch.setattr(Odd, "size", lambda self, name: 1)
    path = path_of(StoredFile.of("broken", storage="odd"))
    monkeypatch.undo()
    response = http.get(path, headers=bearer)
    assert response.status_code == 500
    assert response.json()["error"].split()[3].rstrip(";") in caplog.text
    assert "hunter2" not in response.content.decode()


def test_a_storage_that_cannot_seek_serves_ranges(get, path_of):
    assert body(get(path_of(StoredFile.of("pipe", storage="odd")), Range="bytes=100-299")) == CONTENT[100:300]


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
    application(environment(path, bearer), lambda *said: None).close()
    tracemalloc.start()
    try:
        parts = application(environment(path, bearer), lambda *said: answered.append(said))
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


def test_the_view_is_in_no_transaction(path):
    view = resolve(path).func
    assert "default" in view._non_atomic_requests


def test_a_file_that_became_shorter_ends_early():
    part = SyncPart(ContentFile(b"abc"), 1, 10)
    assert b"".join(part) == b"bc"
