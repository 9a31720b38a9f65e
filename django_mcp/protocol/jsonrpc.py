"""JSON-RPC 2.0 as MCP uses it: strict JSON, one message a body, ids echoed as they came."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.protocol import json as strict_json

VERSION = "2.0"

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

    Raises ProtocolError -32700 (HTTP 400) for text that is not UTF-8 or not strict JSON.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unparsable(f"byte {error.start} is not UTF-8") from None
    try:
        return strict_json.parse(text)
    except strict_json.NotStrict as error:
        raise _unparsable(str(error)) from None


def id_of(value: Any) -> RequestId | None:
    """Return the id of a message that may be malformed, as far as it can be read."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if _is_id(found) else None


def envelope(value: Any, *, wrong_params: int = 200) -> Message | None:
    """Return the message in a parsed body, None where it is a response: the server asks nothing, so it awaits none.

    A string, an array or another non-object as `params` is -32602 under the HTTP status `wrong_params`; all else that
    is no message is -32600 (HTTP 400), batches included.
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
    return Message(id=known, method=method, params=_params(value, known, wrong_params))


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
    return strict_json.compact(message, allow_nan=False).encode("utf-8", "replace")


def _params(value: dict[str, Any], known: RequestId | None, wrong: int) -> dict[str, Any]:
    params = value.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        # A notification has no response to carry the error, so the HTTP status has to.
        raise ProtocolError(
            ProtocolError.PARAMS,
            '"params" must be an object.',
            http_status=400 if known is None else wrong,
            request_id=known,
        )
    return params


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _unparsable(reason: str) -> ProtocolError:
    return ProtocolError(
        ProtocolError.PARSE,
        f"Parse error: {reason}. Send one JSON-RPC request as strict JSON in UTF-8.",
        http_status=400,
    )


def _no_request(text: str, request_id: RequestId | None = None) -> ProtocolError:
    return ProtocolError(ProtocolError.REQUEST, f"Invalid request: {text}", http_status=400, request_id=request_id)
