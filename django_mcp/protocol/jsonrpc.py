"""JSON-RPC 2.0 as MCP uses it: strict JSON, one message a body, ids echoed as they came."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.protocol import json as strict_json

VERSION = "2.0"

RequestId = str | int

_BOM = b"\xef\xbb\xbf"
# Each alternative takes what it begins with, to the end of the text where nothing closes it, and never gives back.
_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]|\\(?:.|\Z))*+)(?:"|\Z)|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)
_ID = re.compile(r'\s*+:\s*+("(?:[^"\\]|\\.){0,200}+"|-?[0-9]{1,20}+)\s*+[,}]', re.DOTALL)


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
    """Return the JSON value of a request body; a byte order mark before it says nothing (RFC 8259, section 8.1).

    Raises ProtocolError -32700 (HTTP 400) for text that is not UTF-8 or not strict JSON.
    """
    try:
        return strict_json.parse(body.removeprefix(_BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    except strict_json.NotStrict as error:
        reason = str(error)
    raise ProtocolError(
        ProtocolError.PARSE,
        f"Parse error: {reason}. Send one JSON-RPC request as strict JSON in UTF-8.",
        http_status=400,
    )


def id_in(body: bytes) -> RequestId | None:
    """Return the id of a body that `parse` refuses, None where it is no JSON at all or does not name exactly one."""
    text = body.removeprefix(_BOM).decode("utf-8", "replace")
    try:
        strict_json.parse(text)
    except strict_json.NotStrict as error:
        if not error.well_formed:
            return None
    ids: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        member = _ID.match(text, token.end()) if depth == 1 and token["text"] == "id" else None
        if member is not None:
            ids.append(member[1])
    try:
        return id_of({"id": json.loads(ids[0])}) if len(ids) == 1 and text.lstrip()[:1] == "{" else None
    except ValueError:
        return None


def id_of(value: Any) -> RequestId | None:
    """Return the id of a message that may be malformed, None where it is neither a string nor an integer."""
    request_id = value.get("id") if isinstance(value, dict) else None
    return request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None


def envelope(value: Any, request_id: RequestId | None, *, wrong_params: int = 200) -> Message | None:
    """Return the message in a parsed body, None where it is a response: the server awaits none, as it asks nothing.

    `request_id` is the body's, as `id_of` reads it. Raises ProtocolError -32602 under the HTTP status `wrong_params`
    for `params` that are no object, -32600 (HTTP 400) for any other malformed message and for batches.
    """
    if isinstance(value, list):
        raise _invalid_request("Batches are not supported. Send one JSON-RPC request per HTTP request.")
    if not isinstance(value, dict):
        raise _invalid_request("The body must be one JSON-RPC request object.")
    if value.get("jsonrpc") != VERSION:
        raise _invalid_request('"jsonrpc" must be "2.0".')
    if "id" in value and request_id is None:
        raise _invalid_request('"id" must be a string or an integer; leave it out only in a notification.')
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str) or not method:
        raise _invalid_request('"method" must be a string that names an MCP method.')
    if params is not None and not isinstance(params, dict):
        # A notification has no response to carry the error, so the HTTP status has to.
        status = 400 if request_id is None else wrong_params
        raise ProtocolError(ProtocolError.PARAMS, '"params" must be an object.', http_status=status)
    return Message(id=request_id, method=method, params=params or {})


def success(request_id: RequestId | None, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response that carries a result."""
    return {"jsonrpc": VERSION, "id": request_id, "result": result}


def failure(error: ProtocolError, request_id: RequestId | None) -> dict[str, Any]:
    """Return the response that carries an error. JSON-RPC 2.0 §5 wants a null id where none could be read."""
    members: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        members["data"] = error.data
    return {"jsonrpc": VERSION, "id": request_id, "error": members}


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as compact UTF-8. Lone surrogates, which have no UTF-8, become question marks.

    Raises ValueError for NaN and Infinity, TypeError for a value that JSON does not have.
    """
    return strict_json.compact(message, allow_nan=False).encode("utf-8", "replace")


def _invalid_request(text: str) -> ProtocolError:
    return ProtocolError(ProtocolError.REQUEST, f"Invalid request: {text}", http_status=400)
