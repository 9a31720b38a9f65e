"""Requests that no client should send: real calls, mutated calls and garbage, each made from a seed and its number."""

import base64
import copy
import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

ORDER = {
    "customer_name": "Sam",
    "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": ["Extra Shot"]}],
}
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
FORGED = "mcp_cf_eyJhbGciOiJIUzI1NiIsInR5cCI6Ik1DUCtDT05GSVJNIn0.eyJqdGkiOiJhIn0.c2lnbmF0dXJl"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "f", "version": "1"}}),
    ("server/discover", {}),
    ("ping", {}),
    ("tools/list", {}),
    ("tools/list", {"cursor": "bm8"}),
    ("prompts/list", {}),
    ("resources/list", {}),
    ("logging/setLevel", {"level": "info"}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": ""}}),
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "none"}),
    ("tools/call", {"name": "api_search", "arguments": {"query": "order a latte"}}),
    ("tools/call", {"name": "api_describe", "arguments": {"names": ["CreateCoffeeShopOrder", "GetCoffeeShopMenu"]}}),
    ("tools/call", {"name": "api_read", "arguments": {"name": "GetCoffeeShopMenu", "args": {"search": "latte"}}}),
    ("tools/call", {"name": "api_read", "arguments": {"name": "ListCoffeeShopOrders", "args": {"limit": 5}}}),
    ("tools/call", {"name": "api_call", "arguments": {"name": "CreateCoffeeShopOrder", "args": ORDER}}),
    (
        "tools/call",
        {
            "name": "api_call",
            "arguments": {"name": "CreateCoffeeShopOrder", "args": ORDER, "confirmationToken": FORGED},
        },
    ),
    ("tools/call", {"name": "recommend", "arguments": {"budget": "4.50", "category": "drinks"}}),
    ("tools/call", {"name": "prepare_order", "arguments": {"order_id": 1}}),
    ("tools/call", {"name": "draw_latte_art", "arguments": {"pattern": "heart"}}),
    ("tools/call", {"name": "order_statistics", "arguments": {}, "inputResponses": {"a": {}}, "requestState": "x.y"}),
)
WORDS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**64), 10**300, 1e308, -0.0, 0.1, "", " ", "0", "null", "true", [],
    {}, "\x00", "\ud800", "\u202e", "\ufeff", "é" * 50, "a" * 5000, "%00", "../../etc/passwd", "' OR 1=1 --", "<b>",
    "{{7*7}}", "${jndi:x}", "\r\nX-Injected: 1", "__class__", "__proto__", "constructor", "\u0130", "🂡", "1e5", "NaN",
    "0x10", [[]], [None], {"": ""}, {"a": {"a": {"a": {}}}}, ["CreateCoffeeShopOrder"] * 60, "CreateCoffeeShopOrder",
    "sam", "2025-06-18", "2026-07-28", "9999-12-31", "2026-02-30", "mcp_cf_", FORGED, [1] * 500,
)  # fmt: skip
KEYS = (
    "", "id", "method", "params", "_meta", "name", "arguments", "args", "confirmationToken", "jsonrpc", "\x00",
    "__proto__",
)  # fmt: skip
HEADERS = (
    "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp-Param-", "Mcp-Session-Id", "Accept",
    "Content-Type", "Content-Encoding", "Origin", "Host", "Authorization", "Cookie", "Accept-Language", "User-Agent",
    "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override", "Last-Event-ID", "Referer",
    "Access-Control-Request-Headers", "Access-Control-Request-Method", "Expect", "If-None-Match", "Range",
    "Forwarded",
)  # fmt: skip
VALUES = (
    "", " ", "*/*", "text/html", "text/event-stream", "application/json", "application/json; charset=utf-16", "gzip",
    "application/json; charset=nonsense", "multipart/form-data; boundary=x", "APPLICATION/JSON;;;", "identity", "br",
    *HANDSHAKE, MODERN, "1.0", "tools/call", "tools/list", "api_read", "=?base64?YXBpX3JlYWQ=?=", "=?base64?!!?=",
    "null", "https://evil.example", "http://127.0.0.1", "http://[::1", "127.0.0.1", "evil.example", "a..b",
    "[::1]:99999", "Bearer", "Bearer x", "Basic c2FtOnNhbQ==", "Bearer " + "a" * 3000, "Digest \xff", "é", "\xff\xfe",
    "a" * 4000, "sessionid=x; csrftoken=y", "bytes=0-1", "xx-klingon;q=2", "GET", "0", "-1", "1e9", "for=1.2.3.4",
    "\t", ",,,", '"',
)  # fmt: skip
METHODS = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "PROPFIND", "X" * 20)
PATHS = (
    "/mcp/",
    "/mcp?x=1",
    "/mcp?" + "a=b&" * 300,
    "/mcp/%00",
    "//mcp",
    "/mcp/..",
    "/mcp/files/a.b.c",
    "/MCP",
    "/mcp;x",
)


@dataclass
class Request:
    """One request before it is written out. `whole` says that HTTP has nothing against it, so that an answer is due."""

    method: str = "POST"
    path: str = "/mcp"
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    chunked: bool = False
    whole: bool = True

    def encoded(self) -> bytes:
        headers = [*self.headers, ("Connection", "close")]
        body = self.body
        if self.chunked:
            headers.append(("Transfer-Encoding", "chunked"))
            body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        elif not any(name == "Content-Length" for name, _ in headers):
            headers.append(("Content-Length", str(len(body))))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
        return "\r\n".join(lines).encode("latin-1", "replace") + body


def make(seed: int, number: int, key: str) -> Request:
    """Return the request with this number; the same for the same seed and key."""
    rng = random.Random(f"{seed}:{number}")
    message, headers = _call(rng)
    request = Request(headers=[("Host", "127.0.0.1"), ("Authorization", f"Bearer {key}"), *headers])
    request.body = rng.choices(
        (_as_it_is, _mutated, _several_mutated, _broken_text, _other_encoding, _garbage), (14, 42, 20, 13, 5, 6)
    )[0](rng, message)
    if rng.random() < 0.7:
        _mirror(request)
    for change, chance in ((_other_header, 0.35), (_other_method, 0.04), (_other_path, 0.04), (_other_framing, 0.06)):
        while rng.random() < chance:
            change(rng, request)
    return request


def _call(rng: random.Random) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return a message that a client could send, of either era, and the headers that belong to it."""
    method, params = copy.deepcopy(rng.choice(CALLS))
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = rng.choice((1, 0, "a", 2**53, "é", -5))
    headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    if rng.random() < 0.5:
        if rng.random() < 0.8:
            headers.append(("MCP-Protocol-Version", rng.choice(HANDSHAKE)))
        return message, headers
    params["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": rng.choice(({}, {"elicitation": {"form": {}, "url": {}}})),
    }
    headers += [("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)]
    return message, [*headers, ("Mcp-Name", params["name"])] if "name" in params else (message, headers)[1]


def _mirror(request: Request) -> None:
    """Let the headers repeat what the body says after its mutation, as a client would."""
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict):
        return
    for at, (name, _value) in enumerate(request.headers):
        repeated = {"Mcp-Method": message.get("method"), "Mcp-Name": params.get("name")}.get(name)
        if isinstance(repeated, str):
            encoded = f"=?base64?{base64.b64encode(repeated.encode('utf-8', 'replace')).decode()}?="
            request.headers[at] = (name, repeated if repeated.isascii() and repeated.isprintable() else encoded)


def _as_it_is(_rng: random.Random, message: Any) -> bytes:
    return json.dumps(message).encode()


def _word(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(WORDS))


def _spots(value: Any, depth: int = 1) -> Iterator[tuple[Any, Any, int]]:
    """Yield each container, a key or index in it, and how deep that is."""
    for name in [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, name, depth
        yield from _spots(value[name], depth + 1)


def _mutated(rng: random.Random, message: Any) -> bytes:
    # The deeper, the likelier: what is wrong at the top is refused before anything else is looked at.
    spots = [*_spots(message)][:2000]
    if not spots or rng.random() < 0.02:
        return json.dumps(_word(rng)).encode()
    spot, name, _depth = rng.choices(spots, [depth**2 for _, _, depth in spots])[0]
    value = spot[name]
    changes: tuple[Callable[[], Any], ...] = (
        lambda: _word(rng),
        lambda: [value],
        lambda: {rng.choice(KEYS): value},
        lambda: [value] * rng.randrange(40),
        lambda: {**(value if isinstance(value, dict) else {}), rng.choice(KEYS): _word(rng)},
        lambda: str(value),
        lambda: _deep(rng, value),
    )
    if isinstance(spot, dict) and rng.random() < 0.25:
        moved = spot.pop(name)
        if rng.random() < 0.5:
            spot[rng.choice(KEYS)] = moved
    else:
        spot[name] = rng.choice(changes)()
    return json.dumps(message).encode()


def _several_mutated(rng: random.Random, message: Any) -> bytes:
    text = b""
    for _ in range(rng.randrange(2, 6)):
        text = _mutated(rng, message)
        message = json.loads(text)
        if len(text) > 100_000:
            break
    return text


def _deep(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.choice((10, 60, 65, 130))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def _broken_text(rng: random.Random, message: Any) -> bytes:
    text = bytearray(json.dumps(message, ensure_ascii=rng.random() < 0.5).encode())
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text) + 1)
        what = rng.randrange(6)
        if what == 0:
            del text[at : at + rng.randrange(1, 30)]
        elif what == 1:
            text[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif what == 2:
            text[at:at] = rng.choice(
                (b"{", b"}", b"[", b",", b'"', b":", b"\\u", b"NaN", b"1e999", b"\\ud83d", b"//", b"\x00")
            )
        elif what == 3:
            text[at:at] = text[: rng.randrange(1, 60)]
        elif what == 4:
            text[at:at] = rng.choice(
                (b"[" * 3000, b"9" * 5000, b'{"a":' * 800, b'"id":2,', b'"method":"ping",', b" " * 9000)
            )
        else:
            del text[at:]
    return bytes(text)


def _other_encoding(rng: random.Random, message: Any) -> bytes:
    text = json.dumps(message, ensure_ascii=False)
    encoding = rng.choice(
        ("utf-16", "utf-16-le", "utf-32", "utf-7", "utf-8-sig", "latin-1", "cp037", "gzip", "base64", "batch")
    )
    if encoding == "gzip":
        return gzip.compress(text.encode(), mtime=0)
    if encoding == "base64":
        return base64.b64encode(text.encode())
    if encoding == "batch":
        return json.dumps([message] * rng.randrange(4)).encode()
    return text.encode(encoding, "replace")


def _garbage(rng: random.Random, _message: Any) -> bytes:
    size = rng.choice((0, 1, 2, 10, 200, 20_000, 1_100_000 if rng.random() < 0.05 else 50))
    return rng.choice(
        (rng.randbytes, lambda n: b"[" * n, lambda n: b'"' + b"a" * n, lambda n: b"1" * n, lambda n: b" " * n)
    )(size)


def _other_header(rng: random.Random, request: Request) -> None:
    name, value = rng.choice(HEADERS), rng.choice(VALUES)
    at = rng.randrange(len(request.headers) + 1)
    what = rng.randrange(4)
    if what == 0 and request.headers:
        request.headers.pop(at - 1)
    elif what == 1 and request.headers:
        request.headers[at - 1] = (request.headers[at - 1][0], value)
    else:
        request.headers.insert(at, (name, value))
    request.whole = request.whole and name != "Expect"


def _other_method(rng: random.Random, request: Request) -> None:
    request.method = rng.choice(METHODS)


def _other_path(rng: random.Random, request: Request) -> None:
    request.path = rng.choice(PATHS)


def _other_framing(rng: random.Random, request: Request) -> None:
    what = rng.randrange(5)
    request.whole = request.whole and what == 0
    if what == 0:
        request.chunked = True
    elif what == 1:
        request.headers.append(
            ("Content-Length", rng.choice(("0", "-1", "x", "99999999999", "1,1", str(len(request.body) + 9))))
        )
    elif what == 2:
        request.headers.append((rng.choice(("Bad Header", "", "X\x00", ":", "Transfer-Encoding")), rng.choice(VALUES)))
    elif what == 3:
        request.headers += [("Content-Length", str(len(request.body)))] * 2
    else:
        request.headers += [("X-Filler", "a" * 100)] * 200
