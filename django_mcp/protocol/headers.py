"""What the headers of a request repeat of its body (MCP 2026-07-28, Streamable HTTP, "Request Metadata").

Whatever stands between client and server may route by these headers, so a request whose headers and body differ means
two things at once and is refused.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.protocol.jsonrpc import Message

METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"
PARAM_PREFIX = "Mcp-Param-"
ANNOTATION = "x-mcp-header"
# The parameter that `Mcp-Name` repeats, by method; of the methods with one, the others are not served here.
_NAMED_BY = {"tools/call": "name"}
MIRRORED_TYPES = ("string", "integer", "boolean")

_ENCODED = re.compile(r"=\?base64\?(?P<payload>.*)\?=")
_PLAIN = re.compile(r"[\t\x20-\x7E]*")
# RFC 9110 section 5.6.2; no other text can be part of a header's name.
HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_WHOLE_NUMBER = re.compile(r"(-?[0-9]{1,20})(\.0+)?")


def check_message(message: Message, headers: Mapping[str, str]) -> None:
    """Refuse a request with -32020 where `Mcp-Method` or `Mcp-Name` is missing or differs from the body.

    `headers` finds names whatever their case. A name that is no text is left to whoever reads the parameters.
    """
    # The method is the one of these values that has no encoded form.
    if _stripped(headers, METHOD_HEADER) != message.method:
        raise mismatch(METHOD_HEADER, "method")
    field = _NAMED_BY.get(message.method)
    name = None if field is None else message.params.get(field)
    if isinstance(name, str) and _said(headers, NAME_HEADER) != name:
        raise mismatch(NAME_HEADER, f"params.{field}", encodes=True)


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Refuse a call with -32020 where an `Mcp-Param-*` header that the tool's schema declares differs from the body.

    An argument that is absent or null has no header, any other has one. Headers that no schema declares are ignored.
    """
    for path, name, kind in declared(schema):
        # Web servers know only hyphens in the names of headers.
        header = PARAM_PREFIX + name.replace("_", "-")
        value = _at(arguments, path)
        said, expected = _said(headers, header), _as_text(value)
        same = said == expected or (kind == "integer" and _same_number(said, value))
        if (header in headers) is (expected is None) or not same:
            raise mismatch(PARAM_PREFIX + name, ".".join(("params.arguments", *path)), encodes=True)


def declared(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield path, header name and type of the arguments that an input schema wants repeated in headers.

    Only what clients may honour counts: on text, integers and booleans, reached through `properties` alone.
    """
    properties = schema.get("properties")
    for key, inner in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(inner, Mapping):
            continue
        name, kind = inner.get(ANNOTATION), inner.get("type")
        if isinstance(name, str) and HEADER_NAME.fullmatch(name) and isinstance(kind, str) and kind in MIRRORED_TYPES:
            yield (*path, key), name, kind
        yield from declared(inner, (*path, key))


def is_param_header(name: str) -> bool:
    """Tell whether a header of that name can repeat an argument."""
    prefix, rest = name[: len(PARAM_PREFIX)], name[len(PARAM_PREFIX) :]
    return prefix.lower() == PARAM_PREFIX.lower() and HEADER_NAME.fullmatch(rest) is not None


def decoded(text: str) -> str | None:
    """Return what a header's value stands for, plain or as `=?base64?…?=`; None where it is neither."""
    if not _PLAIN.fullmatch(text):
        return None
    encoded = _ENCODED.fullmatch(text)
    if encoded is None:
        return text
    payload = encoded["payload"]
    try:
        content = base64.b64decode(payload, validate=True)
        # Other spellings of the same bytes are no client's, and two readers may take them for different things.
        return content.decode() if base64.b64encode(content).decode() == payload else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def mismatch(header: str, source: str, *, encodes: bool = False) -> ProtocolError:
    """Return the refusal of a request whose header does not say what its source in the body says."""
    how = ", in plain ASCII or as =?base64?…?= of its UTF-8, and be left out where there is none" if encodes else ""
    return ProtocolError(ProtocolError.HEADERS, f"Header mismatch: {header} must repeat the body's {source}{how}.")


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _same_number(said: str | None, value: Any) -> bool:
    number = _WHOLE_NUMBER.fullmatch(said or "")
    whole = isinstance(value, int | float) and not isinstance(value, bool)
    return whole and number is not None and int(number[1]) == value


def _stripped(headers: Mapping[str, str], name: str) -> str | None:
    # RFC 9110 section 5.5: white space around a value is no part of it.
    value = headers.get(name)
    return None if value is None else value.strip(" \t")


def _said(headers: Mapping[str, str], name: str) -> str | None:
    value = _stripped(headers, name)
    return None if value is None else decoded(value)


def _at(arguments: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
