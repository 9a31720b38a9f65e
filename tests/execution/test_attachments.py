import pytest

from tests.execution import file_urls
from tests.execution.conftest import execute

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind(call, context, settings):
    """Return a function that calls an operation and returns its reply, the attachment read and closed, or None."""
    settings.ROOT_URLCONF = "tests.execution.file_urls"
    file_urls.closed.clear()

    def answered(name, method="GET"):
        operation = call(method, "/files/{kind}/", {"kind": name}, at="/files/x/", urlconf=settings.ROOT_URLCONF)
        reply = execute(operation, context)
        if reply.attachment is None:
            return reply, None
        with reply.attachment.content as content:
            return reply, content.read()

    return answered


@pytest.fixture
def call():
    from tests.execution.conftest import call_of, operation_at

    def make(method, route, arguments, *, at, urlconf):
        return call_of(operation_at(at, route, method, urlconf=urlconf), arguments)

    return make


def test_bytes_are_kept_beside_their_description(kind):
    reply, content = kind("picture")
    assert content == file_urls.PNG
    assert reply.data == {"contentType": "image/png", "size": len(content), "filename": None}
    assert (reply.attachment.media_type, reply.attachment.size) == ("image/png", len(content))


def test_a_stream_is_read_and_closed(kind):
    reply, content = kind("sound")
    assert (content, reply.data["size"], file_urls.closed) == (b"RIFF" * 10, 40, [True])


def test_an_asynchronous_stream_is_read(kind):
    assert kind("drops")[1] == b"drop" * 3


def test_text_that_is_for_saving_is_a_file(kind):
    reply, content = kind("export")
    assert content == b"a,b\r\n1,2\r\n"
    assert (reply.attachment.filename, reply.attachment.media_type) == ("orders.csv", "text/csv")


def test_an_endless_stream_is_cut_off_with_a_note(kind, settings):
    settings.DJANGO_MCP = {"MAX_STORED_RESOURCE_BYTES": 2500}
    reply, content = kind("endless")
    assert content == b"\0" * 2500
    assert reply.data["size"] == reply.attachment.size == 2500
    assert reply.notes == ("The file was cut off after 2500 bytes; the rest is missing.",)


def test_a_stream_that_just_fits_is_whole(kind, settings):
    settings.DJANGO_MCP = {"MAX_STORED_RESOURCE_BYTES": 40}
    reply, content = kind("sound")
    assert (len(content), reply.notes) == (40, ())


@pytest.mark.parametrize(("name", "size"), [("too_big", 1001), ("picture", 14)])
def test_a_file_that_is_known_to_be_too_big_is_not_read(kind, settings, name, size):
    settings.DJANGO_MCP = {"MAX_STORED_RESOURCE_BYTES": 10}
    reply, content = kind(name)
    assert content is None
    assert reply.data["size"] == size
    assert reply.notes == (f"The file has {size} bytes; at most 10 are passed on, so it was left out.",)


def test_a_stream_that_breaks_leaves_the_answer_with_an_error_id(kind, caplog):
    reply, content = kind("broken")
    assert (reply.status, content, file_urls.closed) == (200, None, [True])
    assert reply.notes[0].startswith("The file could not be read to its end")
    assert reply.notes[0].split()[-1].rstrip(".") in caplog.text
    assert "hunter2" not in str(reply.notes)


@pytest.mark.parametrize("name", ["camera", "packed", "refused", "plain"])
def test_what_is_no_file_is_not_kept(kind, name):
    assert kind(name)[1] is None


def test_a_big_stream_lies_on_disk_while_it_waits(kind, settings, monkeypatch):
    settings.DJANGO_MCP = {"MAX_INLINE_RESOURCE_BYTES": 100, "MAX_STORED_RESOURCE_BYTES": 5000}
    reply, _ = kind("long_sound")
    assert vars(reply.attachment.content)["_rolled"]
