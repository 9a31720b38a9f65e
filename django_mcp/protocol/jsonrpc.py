"""JSON-RPC 2.0 as MCP uses it: strict JSON, one message a body, ids echoed as they came."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django_mcp.errors import ProtocolError

VERSION = "2.0"
MAX_DEPTH = 64
# CPython's default limit; one of our own, because a host may have lifted the interpreter's.
MAX_DIGITS = 4300

RequestId = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A request, or a notification where `id` is None. Absent and null `params` are an empty object."""

    id: RequestId | None
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_notification(self) -> bool:
        return self.id is None


def parse(body: bytes) -> Any:
    """Return the JSON value of a request body.

    JSON has many readings of the same bytes where they are sloppy, and what is shown to a human must be what runs. So
    this refuses duplicate keys, NaN, Infinity, numbers that overflow, lone surrogates, a byte order mark, text that is
    not UTF-8, nesting deeper than 64 and integers longer than 4300 digits.

    Raises ProtocolError -32700 (HTTP 400).
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unparsable(f"byte {error.start} is not UTF-8") from None
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise _unparsable(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise _unparsable(f"it nests deeper than {MAX_DEPTH} levels") from None
    _check_depth(body, value)
    _check_surrogates(text, value)
    return value


def id_of(value: Any) -> RequestId | None:
    """Return the id of a message that may be malformed, as far as it can be read."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if _is_id(found) else None


def envelope(value: Any) -> Message | None:
    """Return the message in a parsed body, None where it is a response: the server asks nothing, so it awaits none.

    A string, an array or another non-object as `params` is -32602; all else that is no message is -32600 (HTTP 400),
    batches included.
    """
    if isinstance(value, list):
        raise _no_request("Batches are not supported. Send one JSON-RPC request per HTTP request.")
    if not isinstance(value, dict):
        raise _no_request("The body must be one JSON-RPC request object.")
    known = id_of(value)
    if value.get("jsonrpc") != VERSION:
        raise _no_request('"jsonrpc" must be "2.0".', known)
    if "id" in value and known is None:
        raise _no_request('"id" must be a string or an integer; leave it out only in a notification.')
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method = value.get("method")
    if not isinstance(method, str) or not method:
        raise _no_request('"method" must be a string that names an MCP method.', known)
    return Message(id=known, method=method, params=_params(value, known))


def decode(body: bytes) -> Message | None:
    """Return the message in a request body: `parse` and `envelope` in one."""
    return envelope(parse(body))


def success(request_id: RequestId | None, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response that carries a result."""
    return {"jsonrpc": VERSION, "id": request_id, "result": result}


def failure(error: ProtocolError, request_id: RequestId | None = None) -> dict[str, Any]:
    """Return the response that carries an error. JSON-RPC 2.0 §5 wants a null id where none could be read."""
    said: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        said["data"] = error.data
    return {"jsonrpc": VERSION, "id": request_id if error.request_id is None else error.request_id, "error": said}


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as compact UTF-8. Lone surrogates, which have no UTF-8, become question marks.

    Raises ValueError for NaN and Infinity, TypeError for what is no JSON value.
    """
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


def _params(value: dict[str, Any], known: RequestId | None) -> dict[str, Any]:
    params = value.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        # A notification has no response to carry the error, so the HTTP status has to.
        raise ProtocolError(
            ProtocolError.PARAMS,
            '"params" must be an object.',
            http_status=400 if known is None else 200,
            request_id=known,
        )
    return params


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _unparsable("an object has the same key twice")
    return found


def _constant(text: str) -> Any:
    raise _unparsable(f"{text} is no JSON number")


def _float(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise _unparsable("a number is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _unparsable(f"an integer has more than {MAX_DIGITS} digits")
    return int(text)


def _check_depth(body: bytes, value: Any) -> None:
    # No value nests deeper than it has opening brackets, and counting bytes is far cheaper than walking.
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return
    level = _containers([value])
    for _depth in range(MAX_DEPTH):
        level = _containers(chain.from_iterable(_children(item) for item in level))
        if not level:
            return
    raise _unparsable(f"it nests deeper than {MAX_DEPTH} levels")


def _containers(values: Iterable[Any]) -> list[Any]:
    return [item for item in values if isinstance(item, dict | list)]


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _check_surrogates(text: str, value: Any) -> None:
    # Bytes that are UTF-8 hold none; only an escape can smuggle one in.
    if _SURROGATE.search(text) is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _unparsable("a string holds half of a surrogate pair") from None


def _unparsable(reason: str) -> ProtocolError:
    return ProtocolError(
        ProtocolError.PARSE,
        f"Parse error: {reason}. Send one JSON-RPC request as strict JSON in UTF-8.",
        http_status=400,
    )


def _no_request(text: str, request_id: RequestId | None = None) -> ProtocolError:
    return ProtocolError(ProtocolError.REQUEST, f"Invalid request: {text}", http_status=400, request_id=request_id)
