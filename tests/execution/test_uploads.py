import base64

import pytest
import rest_framework

from django_mcp.errors import ValidationFailed
from django_mcp.execution.uploads import uploaded
from django_mcp.types import Argument
from tests.execution.conftest import execute

pytestmark = pytest.mark.django_db

FILE = {"document": Argument(location="body", wire="document", file=True)}
HELLO = "data:text/plain;name=hello.txt;base64," + base64.b64encode(b"hello").decode()


def test_a_form_only_view_gets_a_form(call, context):
    arguments = {"title": "T", "tags": ["a", "b"], "meta": {"n": [1, 2]}, "public": False}
    reply = execute(call("POST", "/upload/", arguments), context)
    assert reply.data == {
        "title": "T",
        "tags": ["a", "b"],
        "meta": {"n": [1, 2]},
        "public": False,
        "sent_as": "multipart/form-data",
        "keys": ["meta", "meta.n", "public", "tags", "title"],
    }


@pytest.mark.skipif(
    rest_framework.VERSION < "3.18", reason="DRF before 3.18 reads no free-form objects in a form's list"
)
def test_a_list_of_objects_is_a_form(call, context):
    rows = [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]
    assert execute(call("POST", "/upload/", {"title": "T", "rows": rows}), context).data["rows"] == rows


def test_a_url_encoded_form_is_written(call, context):
    reply = execute(call("POST", "/url-encoded/", {"title": "Ž&=", "tags": ["a"]}), context)
    assert (reply.data["title"], reply.data["sent_as"]) == ("Ž&=", "application/x-www-form-urlencoded")


def test_json_is_sent_unless_there_is_a_file(call, context):
    reply = execute(call("POST", "/upload-or-json/", {"title": "T"}, placement=FILE), context)
    assert (reply.data["sent_as"], reply.data["public"]) == ("application/json", True)


def test_a_file_is_uploaded(call, context):
    sent = {"title": "T", "document": HELLO}
    reply = execute(call("POST", "/upload-or-json/", sent, placement=FILE), context)
    assert reply.data["document"] == {"name": "hello.txt", "type": "text/plain", "text": "hello"}


@pytest.mark.parametrize("uri", ["hello", "data:text/plain", "data:text/plain;base64,!", 5, "/etc/passwd"])
def test_what_is_no_data_uri_is_refused_by_name(call, context, uri):
    with pytest.raises(ValidationFailed) as refused:
        execute(call("POST", "/upload/", {"title": "T", "document": uri}, placement=FILE), context)
    assert refused.value.details == {"errors": {"document": ["Not a data URI."]}}


@pytest.mark.parametrize(
    ("name", "filename"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:%5CWindows%5Ccmd.exe", "cmd.exe"),
        ("a%22%0D%0AX: y.txt", "aX: y.txt"),
        ("..", "upload.txt"),
        ("", "upload.txt"),
    ],
)
def test_file_names_cannot_leave_their_place(name, filename):
    assert uploaded("document", f"data:text/plain;name={name};base64,aGVsbG8=").name == filename


def test_a_key_cannot_add_fields_to_a_form(call, context):
    injected = {'x"\r\n\r\nv\r\n--b\r\nContent-Disposition: form-data; name="title': "evil"}
    reply = execute(call("POST", "/upload/", {"title": "T", "meta": injected}), context)
    assert (reply.data["title"], reply.data["meta"]) == ("T", injected)


def test_an_empty_list_is_refused_in_a_form_as_it_would_be_lost(call, context):
    with pytest.raises(ValidationFailed):
        execute(call("POST", "/upload/", {"title": "T", "tags": []}), context)


def test_several_files_share_a_name(call, context):
    files = {"document": Argument(location="body", wire="document", file=True)}
    sent = {"title": "T", "document": [HELLO, HELLO.replace("hello.txt", "last.txt")]}
    assert execute(call("POST", "/upload/", sent, placement=files), context).data["document"]["name"] == "last.txt"


def test_a_form_without_fields_has_no_body(call, context):
    assert execute(call("POST", "/upload/"), context).data == {"title": ["This field is required."]}


def test_percent_encoded_data_uris_are_read():
    assert uploaded("document", "data:,hello%20world").read() == b"hello world"


def test_a_body_can_be_an_array(call, context):
    whole = {"items": Argument(location="body", wire="")}
    reply = execute(call("POST", "/whole/", {"items": [1, {"a": 2**70}]}, placement=whole), context)
    assert reply.data == {"items": [1, {"a": str(2**70)}]}


def test_large_integers_arrive_exactly(call, context):
    reply = execute(call("POST", "/whole/", {"n": 12345678901234567890123}), context)
    assert reply.data == {"items": {"n": "12345678901234567890123"}}
