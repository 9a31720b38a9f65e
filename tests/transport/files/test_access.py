"""Access to linked files: their caller's alone, by GET and HEAD, from allowed origins."""

import io
import time

import pytest
from django.core.files.storage import storages
from django.urls import resolve

from django_mcp.access import keys
from django_mcp.models import ToolGroup
from django_mcp.tools import links
from django_mcp.tools.links import StoredFile, store
from tests.transport.files.storages import CONTENT, Odd, body


def test_the_whole_file_comes_with_its_type_length_and_name(get):
    response = get()
    assert (response.status_code, body(response)) == (200, CONTENT)
    names = ("Content-Type", "Content-Length", "Accept-Ranges", "Cache-Control")
    assert {name: response[name] for name in names} == {
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


def test_files_that_are_not_there_or_not_theirs_look_the_same(
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
    distinct = {(answer.status_code, answer.content, tuple(sorted(answer.headers.items()))) for answer in answers}
    assert [(status, content) for status, content, _headers in distinct] == [
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


def test_the_view_is_in_no_transaction(path):
    view = resolve(path).func
    assert "default" in view._non_atomic_requests
