"""Refusals behind a real server, on a connection that stays open."""

import http.client
import json

import pytest

from tests.e2e.server import Backend, shop

LIST = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).encode()


@pytest.fixture(scope="module")
def threaded(tmp_path_factory):
    """One process with threads: it keeps connections open between requests."""
    with shop(Backend("sqlite:///"), tmp_path_factory.mktemp("threaded"), workers=1, threads=4) as opened:
        yield opened


@pytest.fixture
def sam(threaded):
    return threaded.client("sam")


REFUSALS = {
    "no key": (401, {"Authorization": ""}, LIST),
    "unknown key": (401, {"Authorization": "Bearer ak-unknown"}, LIST),
    "broken JSON": (400, {}, b'{"jsonrpc": "2.0", "id": 1'),
    "batch": (400, {}, b"[" + LIST + b"]"),
    "too large": (413, {}, b'{"a":"' + b"x" * 1_200_000 + b'"}'),
    "other content type": (415, {"Content-Type": "text/plain"}, LIST),
    "foreign origin": (403, {"Origin": "https://evil.example"}, LIST),
}


@pytest.mark.parametrize(("status", "headers", "body"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_is_json_and_the_connection_goes_on(sam, status, headers, body):
    answer = sam.post(body, headers)
    assert answer.status == status
    assert answer.json["error"]["code"] in {-32600, -32700}
    if status == 413:
        # A server hangs up rather than read what the application did not.
        sam.close()
    assert sam.post(LIST).status == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_other_methods_are_refused(sam, method):
    answer = sam.send(method, "/mcp")
    assert answer.status == 405
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_forms_of_the_address_answer_without_a_redirect(sam, path):
    assert sam.send("POST", path, LIST, {"Content-Type": "application/json"}).status == 200


def test_a_body_in_chunks_gets_an_answer(threaded):
    connection = http.client.HTTPConnection("127.0.0.1", threaded.server.port, timeout=30)
    headers = {"Authorization": f"Bearer {threaded.keys['sam']}", "Content-Type": "application/json"}
    connection.request("POST", "/mcp", iter([LIST[:20], LIST[20:]]), headers, encode_chunked=True)
    response = connection.getresponse()
    assert response.headers.get_content_type() == "application/json"
    assert response.status in {200, 400, 411}
    json.loads(response.read())
    connection.close()


def test_many_callers_at_once_each_see_their_own(threaded):
    import concurrent.futures

    def orders(user):
        with threaded.client(user) as client:
            return [client.read("ListCoffeeShopOrders").structured["response"]["count"] for _ in range(10)]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(orders, ["sam", "kim"] * 4))
    assert counts == [[0] * 10, [41] * 10] * 4
