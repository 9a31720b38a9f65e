"""Host names and origins: who may call from a browser, and who may read the answer."""

import pytest

from tests.transport.refusals import refusal

PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, mcp-protocol-version, mcp-method",
}


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
    requested = "authorization, mcp-param-region,Mcp-Param-X, mcp-param-, x-other, mcp-param-a b"
    headers = {"Origin": "http://localhost:6274", **PREFLIGHT, "Access-Control-Request-Headers": requested}
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
