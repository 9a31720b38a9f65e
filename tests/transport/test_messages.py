"""Messages that are malformed or of an unknown revision are refused, with the id that could be read."""

import pytest

from django_mcp.transport import views
from tests.transport.refusals import refusal


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
def test_an_id_of_the_wrong_type_is_refused_and_not_taken_for_a_notification(post, request_id):
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


@pytest.mark.parametrize("revision", ["1900-01-01", "2099-01-01", "banana", "2025-06-18, 2025-06-18"])
@pytest.mark.parametrize("message", [{"method": "ping", "id": 5}, {"method": "notifications/initialized"}])
def test_an_unknown_revision_is_400_and_lists_the_supported(post, revision, message):
    error = refusal(post({"jsonrpc": "2.0", **message}, headers={"MCP-Protocol-Version": revision}), 400, -32022)
    supported = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    assert error["data"] == {"supported": supported, "requested": revision}


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", " 2025-06-18 ", ""])
def test_a_known_revision_and_none_are_served(post, revision):
    assert post(headers={"MCP-Protocol-Version": revision}).status_code == 200


def test_the_handshake_is_not_held_to_the_header(post):
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2099-01-01"}}
    response = post(message, headers={"MCP-Protocol-Version": "2099-01-01"})
    assert response.json()["result"]["protocolVersion"] == "2025-11-25"
