"""The endpoint's address and methods, the host's middleware around it, and that every answer is JSON."""

import json
import re
import time

import pytest
from django.test import Client
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from django_mcp.access import server_config
from django_mcp.transport import views
from tests.transport.refusals import refusal


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


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/*", "text/event-stream", "nonsense", None])
def test_accept_is_taken_leniently(post, accept):
    response = post(headers={} if accept is None else {"Accept": accept})
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"


def test_session_ids_are_ignored_and_never_issued(post):
    response = post(headers={"Mcp-Session-Id": "from-another-worker"})
    assert response.status_code == 200
    assert "Mcp-Session-Id" not in response


def test_an_unforeseen_exception_is_an_internal_error_with_an_id_that_the_log_has(post, monkeypatch, caplog, secret):
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


def test_csrf_middleware_lets_a_key_pass(secret):
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


def test_middleware_around_the_endpoint_sees_the_user_of_the_key(post, person):
    assert post().wsgi_request.user == person


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
