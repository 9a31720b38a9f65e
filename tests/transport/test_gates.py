"""The gates in front of a method, in their order, and that whatever they say is JSON."""

import io
import json
import re
import time

import pytest
from django.core.exceptions import RequestDataTooBig
from django.http import UnreadablePostError
from django.test import Client, RequestFactory
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from django_mcp.access import keys, server_config
from django_mcp.models import ToolGroup
from django_mcp.transport import views
from django_mcp.transport.views import McpView

PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, mcp-protocol-version, mcp-method",
}


def refusal(response, status, code=-32600):
    """Assert a refusal in JSON and return its error."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    body = json.loads(response.content)
    assert body["jsonrpc"] == "2.0"
    assert body["error"]["code"] == code
    assert body["error"]["message"]
    return body["error"]


@pytest.mark.parametrize("method", ["get", "post", "delete", "options", "put"])
def test_nothing_exposed_is_404_for_every_method(db, http, method):
    server_config.forget()
    refusal(getattr(http, method)("/mcp"), 404)


def test_what_was_hidden_by_another_process_is_404_with_a_key(post, exposed):
    post()
    ToolGroup.objects.get().delete()
    response = post()
    refusal(response, 404)
    assert response.json()["id"] == 1


def test_what_was_hidden_by_another_process_is_404_without_a_key(stranger, post, exposed):
    post()
    exposed.exposed = False
    exposed.save()
    refusal(stranger(), 404)


def test_what_was_exposed_by_another_process_is_there_at_once(stranger, exposed):
    exposed.exposed = False
    exposed.save()
    refusal(stranger(), 404)
    exposed.exposed = True
    exposed.save()
    refusal(stranger(), 401)


@pytest.mark.parametrize("method", ["get", "head", "delete", "put", "patch", "trace"])
def test_other_methods_are_405_before_authentication(exposed, http, method):
    started = time.monotonic()
    response = getattr(http, method)("/mcp", headers={"Mcp-Session-Id": "old"})
    assert response.status_code == 405
    assert response["Allow"].startswith("POST")
    assert response["Content-Type"] == "application/json"
    assert "WWW-Authenticate" not in response
    assert time.monotonic() - started < 1


def test_delete_costs_no_query(post, exposed, http, django_assert_num_queries):
    post()
    with django_assert_num_queries(0):
        refusal(http.delete("/mcp"), 405)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("append", [True, False])
def test_both_slash_forms_answer_without_redirect(settings, post, path, debug, append):
    settings.DEBUG, settings.APPEND_SLASH = debug, append
    response = post(path=path)
    assert response.status_code == 200
    assert response.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.urls("tests.transport.urls")
@pytest.mark.parametrize("path", ["/en-us/agents/mcp", "/en-us/agents/mcp/", "/mcp"])
def test_a_prefix_changes_nothing(post, path):
    assert post(path=path).status_code == 200


@pytest.mark.urls("tests.transport.urls")
def test_login_and_locale_middleware_do_not_redirect(settings, stranger, exposed):
    settings.MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.locale.LocaleMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.auth.middleware.LoginRequiredMiddleware",
    ]
    refusal(stranger(), 401)
    exposed.exposed = False
    exposed.save()
    refusal(stranger(), 404)


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


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/*", "text/event-stream", "nonsense", None])
def test_accept_is_taken_leniently(post, accept):
    response = post(headers={} if accept is None else {"Accept": accept})
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"


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
def test_a_size_that_is_none_is_an_empty_body(stranger, exposed, size):
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
def test_what_django_says_of_a_body_is_json_too(exposed, monkeypatch, error, status):
    request = RequestFactory().post("/mcp", b"{}", content_type="application/json")

    class Refusing(type(request)):
        @property
        def body(self):
            raise error

    request.__class__ = Refusing
    refusal(McpView.as_view()(request), status)


def test_the_body_stays_readable_for_middleware(post, exposed, secret):
    request = RequestFactory().post("/mcp", b"{}", content_type="application/json")
    McpView.as_view()(request)
    assert request.body == b"{}"


@pytest.mark.parametrize("origin", ["http://testserver", "http://TESTSERVER", "http://testserver:80"])
def test_the_own_origin_is_allowed(post, origin):
    response = post(headers={"Origin": origin})
    assert response.status_code == 200
    assert response["Access-Control-Allow-Origin"] == origin


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example", "null", "https://testserver", "http://testserver:8080", "http://testserver.evil.example",
        "http://evil@testserver", "http://testserver/path", "testserver", "http://", "http://[", "*", "http://testserver:x",
        "http://test\nserver", "http://tëstserver",
    ],
)  # fmt: skip
def test_other_origins_are_403(stranger, exposed, origin):
    response = stranger(HTTP_ORIGIN=origin)
    refusal(response, 403)
    assert "Access-Control-Allow-Origin" not in response


@pytest.mark.parametrize("allowed", ["https://app.example", "https://app.example/", "HTTPS://APP.example:443"])
def test_configured_origins_are_allowed(settings, post, allowed):
    settings.DJANGO_MCP = {"ALLOWED_ORIGINS": [allowed]}
    response = post(headers={"Origin": "https://app.example"})
    assert response.status_code == 200
    assert response["Access-Control-Allow-Origin"] == "https://app.example"
    assert "WWW-Authenticate" in response["Access-Control-Expose-Headers"]
    assert "Retry-After" in response["Access-Control-Expose-Headers"]
    assert "Origin" in response["Vary"]


def test_an_allowed_origin_may_read_refusals_too(stranger, exposed):
    response = stranger(headers={"Origin": "http://testserver"})
    refusal(response, 401)
    assert response["Access-Control-Allow-Origin"] == "http://testserver"


def test_preflight_is_answered_before_authentication(settings, http, exposed):
    settings.DJANGO_MCP = {"ALLOWED_ORIGINS": ["http://localhost:6274"]}
    response = http.options("/mcp", headers={"Origin": "http://localhost:6274", **PREFLIGHT})
    assert response.status_code == 204
    assert response.content == b""
    assert response["Access-Control-Allow-Origin"] == "http://localhost:6274"
    assert "POST" in response["Access-Control-Allow-Methods"]
    listed = set(response["Access-Control-Allow-Headers"].split(", "))
    assert listed >= {
        "authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "accept"
    }  # fmt: skip


def test_preflight_lists_the_headers_of_arguments_that_the_browser_asks_about(settings, http, exposed):
    settings.DJANGO_MCP = {"ALLOWED_ORIGINS": ["http://localhost:6274"]}
    asked = "authorization, mcp-param-region,Mcp-Param-X, mcp-param-, x-other, mcp-param-a b"
    headers = {"Origin": "http://localhost:6274", **PREFLIGHT, "Access-Control-Request-Headers": asked}
    listed = http.options("/mcp", headers=headers)["Access-Control-Allow-Headers"].split(", ")
    assert [name for name in listed if name.lower().startswith("mcp-param")] == ["mcp-param-region", "Mcp-Param-X"]
    assert "x-other" not in listed


def test_preflight_of_another_origin_is_403(http, exposed):
    refusal(http.options("/mcp", headers={"Origin": "https://evil.example", **PREFLIGHT}), 403)


def test_options_without_origin_is_405(http, exposed):
    refusal(http.options("/mcp"), 405)


def test_a_foreign_host_is_400(stranger, exposed, settings):
    settings.MIDDLEWARE = []
    refusal(stranger(headers={"Host": "evil.example"}), 400)
    refusal(stranger(headers={"Host": "evil.example", "Origin": "http://evil.example"}), 400)


def test_a_public_host_behind_a_proxy_is_served(post, settings):
    settings.ALLOWED_HOSTS = ["mcp.example.com"]
    settings.USE_X_FORWARDED_HOST = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    forwarded = {"X-Forwarded-Host": "mcp.example.com", "X-Forwarded-Proto": "https"}
    assert post(headers={**forwarded, "Origin": "https://mcp.example.com"}).status_code == 200


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize(
    "body", [b"{", b"", b"\xff\xfe", b"[" * 20_000, b"1" * 5000, b'{"a":1,"a":1}', b"NaN", b'"\\ud800"']
)
def test_sloppy_json_is_400_before_authentication(settings, stranger, exposed, body, debug):
    settings.DEBUG = debug
    response = stranger(body)
    refusal(response, 400, -32700)
    assert response.json()["id"] is None


@pytest.mark.parametrize(
    "body", [[], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], [{"jsonrpc": "2.0", "method": "x"}] * 2]
)
def test_batches_are_one_refusal(post, monkeypatch, body):
    monkeypatch.setattr(views, "dispatch", None)
    refusal(post(body), 400)


@pytest.mark.parametrize("message", [[], {}, 1, {"id": 1, "jsonrpc": "2.0", "method": 5}])
def test_the_envelope_comes_after_authentication(stranger, exposed, message):
    refusal(stranger(message), 401)


def test_refusals_carry_the_id_that_could_be_read(stranger, exposed):
    response = stranger({"jsonrpc": "2.0", "id": "a-b", "method": "ping"})
    refusal(response, 401)
    assert response.json()["id"] == "a-b"


@pytest.mark.parametrize("request_id", [None, True, {}, [1], 1.5])
def test_an_id_that_is_none_is_refused_and_not_taken_for_a_notification(post, request_id):
    response = post({"jsonrpc": "2.0", "id": request_id, "method": "tools/list"})
    refusal(response, 400)
    assert response.json()["id"] is None


@pytest.mark.parametrize(
    "members", [{"params": "x"}, {"params": [1]}, {"params": 42}, {"method": 5}, {"method": "tools/call", "params": {"name": None}},
                {"method": "tools/call", "params": {"name": "api_call", "arguments": [1]}}]
)  # fmt: skip
def test_messages_of_the_wrong_shape_are_errors_with_their_id(post, members):
    response = post({"jsonrpc": "2.0", "id": 2**60, "method": "ping", **members})
    assert response.status_code in {200, 400}
    assert response.json()["id"] == 2**60
    assert response.json()["error"]["code"] in {-32600, -32602}


@pytest.mark.parametrize("named", ["1900-01-01", "2099-01-01", "banana", "2025-06-18, 2025-06-18"])
@pytest.mark.parametrize("message", [{"method": "ping", "id": 5}, {"method": "notifications/initialized"}])
def test_an_unknown_revision_is_400_and_lists_the_supported(post, named, message):
    error = refusal(post({"jsonrpc": "2.0", **message}, headers={"MCP-Protocol-Version": named}), 400, -32022)
    supported = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    assert error["data"] == {"supported": supported, "requested": named}


@pytest.mark.parametrize("named", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", " 2025-06-18 ", ""])
def test_a_known_revision_and_none_are_served(post, named):
    assert post(headers={"MCP-Protocol-Version": named}).status_code == 200


def test_the_handshake_is_not_held_to_the_header(post):
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2099-01-01"}}
    response = post(message, headers={"MCP-Protocol-Version": "2099-01-01"})
    assert response.json()["result"]["protocolVersion"] == "2025-11-25"


def test_session_ids_are_ignored_and_never_issued(post):
    response = post(headers={"Mcp-Session-Id": "from-another-worker"})
    assert response.status_code == 200
    assert "Mcp-Session-Id" not in response


def test_what_breaks_is_an_internal_error_with_an_id_that_the_log_has(post, monkeypatch, caplog, secret):
    def breaks(*args):
        raise RuntimeError(f"/srv/app SELECT secret {secret}")

    monkeypatch.setattr(views, "dispatch", breaks)
    response = post({"jsonrpc": "2.0", "id": "q", "method": "ping"})
    error = refusal(response, 200, -32603)
    assert response.json()["id"] == "q"
    assert "SELECT" not in error["message"]
    error_id = re.search(r"Error id (\w+)", error["message"])[1]
    assert error_id in caplog.text
    assert "RuntimeError" in caplog.text
    assert "Traceback" in caplog.text
    assert secret not in caplog.text


def test_a_broken_database_is_an_internal_error(stranger, exposed, monkeypatch, caplog):
    monkeypatch.setattr(server_config, "cached", lambda: 1 / 0)
    refusal(stranger(), 200, -32603)
    assert "ZeroDivisionError" in caplog.text


def test_the_view_is_free_of_the_hosts_csrf_login_and_transactions(settings):
    view = resolve("/mcp").func
    assert view.csrf_exempt is True
    assert view.login_required is False
    assert view._non_atomic_requests == set(settings.DATABASES)


def test_csrf_middleware_lets_a_key_pass(secret, stranger):
    from django.test import Client

    response = Client(enforce_csrf_checks=True).post(
        "/mcp",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert response.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/mcp/.well-known/openid-configuration",
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "options"])
def test_oauth_metadata_is_a_json_404(http, path, method):
    response = getattr(http, method)(path)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/json"
    assert response.json()["error"] == "not_found"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(max_size=60) | st.sampled_from([b"{}", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":1}']),
    method=st.sampled_from(["GET", "POST", "OPTIONS", "BREW", "post"]),
    content_type=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20) | st.just("application/json"),
    headers=st.dictionaries(
        st.sampled_from(
            ["Origin", "Authorization", "Accept", "MCP-Protocol-Version", "Content-Encoding", "User-Agent",
             "Mcp-Session-Id", "Transfer-Encoding", "X-Forwarded-For"]
        ),
        st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30),
    ),
)  # fmt: skip
def test_any_request_gets_a_json_answer(http, exposed, body, method, content_type, headers):
    response = http.generic(method, "/mcp", body, content_type=content_type, headers=headers)
    assert response.status_code in {400, 401, 403, 405, 411, 413, 415}
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content)["error"]["code"] in {-32600, -32700}


def test_middleware_around_the_endpoint_sees_who_called(exposed, person):
    _key, secret = keys.issue(name="k", user=person, all_groups=True)
    response = Client().post(
        "/mcp",
        '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert response.wsgi_request.user == person
