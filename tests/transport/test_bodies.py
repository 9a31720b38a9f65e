"""The bodies of requests: their content type, their size, and how they are read."""

import io

import pytest
from django.core.exceptions import RequestDataTooBig
from django.http import UnreadablePostError
from django.test import RequestFactory

from django_mcp.transport.views import McpView
from tests.transport.refusals import refusal


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON; Charset="UTF-8"',
        "APPLICATION/JSON ;x=y",
    ],
)
def test_json_is_taken_whatever_its_parameters_and_case(post, content_type):
    assert post(content_type=content_type).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data; boundary=x"],
)
def test_other_content_types_are_415(stranger, exposed, content_type):
    refusal(stranger(b"{}", content_type=content_type), 415)


def test_compressed_bodies_are_415(stranger, exposed):
    refusal(stranger(headers={"Content-Encoding": "gzip"}), 415)
    refusal(stranger(headers={"Content-Encoding": "identity"}), 401)


def test_large_bodies_are_413_before_they_are_read(settings, exposed):
    settings.DJANGO_MCP = {"MAX_REQUEST_BYTES": 100}

    class Untouchable(io.RawIOBase):
        def read(self, *args):
            raise AssertionError

    request = RequestFactory().post("/mcp", b"{}", content_type="application/json")
    request.META["CONTENT_LENGTH"] = "101"
    request.META["wsgi.input"] = request._stream = Untouchable()
    refusal(McpView.as_view()(request), 413)


@pytest.mark.parametrize("size", ["9" * 5000, "20000000", "0" * 30 + "20000000"])
def test_any_announced_size_is_compared(stranger, exposed, size):
    refusal(stranger(CONTENT_LENGTH=size), 413)


@pytest.mark.parametrize("size", ["-5", "abc", "0", "", "1e3"])
def test_a_malformed_size_is_an_empty_body(stranger, exposed, size):
    refusal(stranger(CONTENT_LENGTH=size), 400, -32700)


def test_the_limit_itself_is_allowed(settings, post):
    message = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    settings.DJANGO_MCP = {"MAX_REQUEST_BYTES": len(message)}
    assert post(message).status_code == 200
    refusal(post(message + b" "), 413)


def chunked(http, secret, body, **extra):
    return http.generic(
        "POST",
        "/mcp",
        b"",
        headers={"Authorization": f"Bearer {secret}", "Transfer-Encoding": "chunked"},
        **{"CONTENT_LENGTH": "", "CONTENT_TYPE": "application/json", "wsgi.input": io.BytesIO(body), **extra},
    )


def test_chunked_bodies_are_read_where_the_server_ends_them(http, secret):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    response = chunked(http, secret, body, **{"wsgi.input_terminated": True})
    assert response.status_code == 200
    assert response.json()["result"] == {}


def test_chunked_bodies_are_411_with_the_cause_where_it_does_not(http, secret):
    assert "Content-Length" in refusal(chunked(http, secret, b"{}"), 411)["message"]


def test_chunked_bodies_are_cut_at_the_limit(settings, http, secret):
    settings.DJANGO_MCP = {"MAX_REQUEST_BYTES": 1000}
    body = io.BytesIO(b" " * 1_000_000)
    refusal(chunked(http, secret, b"", **{"wsgi.input_terminated": True, "wsgi.input": body}), 413)
    assert body.tell() <= 1001


def test_a_body_that_breaks_off_is_400(http, secret):
    class Broken(io.RawIOBase):
        def read(self, *args):
            raise OSError("gone")

    refusal(chunked(http, secret, b"", **{"wsgi.input_terminated": True, "wsgi.input": Broken()}), 400)


@pytest.mark.parametrize(("error", "status"), [(RequestDataTooBig, 413), (UnreadablePostError, 400)])
def test_a_body_that_django_refuses_is_refused_in_json(exposed, monkeypatch, error, status):
    request = RequestFactory().post("/mcp", b"{}", content_type="application/json")

    class Refusing(type(request)):
        @property
        def body(self):
            raise error

    request.__class__ = Refusing
    refusal(McpView.as_view()(request), status)


def test_the_body_stays_readable_for_middleware(exposed):
    request = RequestFactory().post("/mcp", b"{}", content_type="application/json")
    McpView.as_view()(request)
    assert request.body == b"{}"
