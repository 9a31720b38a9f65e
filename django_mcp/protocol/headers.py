"""The headers that repeat parts of a request's body (MCP 2026-07-28, Streamable HTTP, "Request Metadata").

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
# The parameter that `Mcp-Name` repeats, by method; the other methods that have one are not served here.
_NAME_PARAMETERS = {"tools/call": "name"}
ANNOTATED_TYPES = ("string", "integer", "boolean")

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
    parameter = _NAME_PARAMETERS.get(message.method)
    name = None if parameter is None else message.params.get(parameter)
    if isinstance(name, str) and decoded(_stripped(headers, NAME_HEADER)) != name:
        raise mismatch(NAME_HEADER, f"params.{parameter}", encodes=True)


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Refuse a call with -32020 where an `Mcp-Param-*` header that the tool's schema declares differs from the body.

    An argument that is absent or null has no header, any other has one. Headers that no schema declares are ignored.
    """
    for path, name, kind in header_parameters(schema):
        # Web servers know only hyphens in the names of headers.
        header = PARAM_PREFIX + name.replace("_", "-")
        argument: Any = arguments
        for key in path:
            argument = argument.get(key) if isinstance(argument, Mapping) else None
        text, expected = decoded(_stripped(headers, header)), _header_text(argument)
        # 42 and 42.0 are one number; a type of exactly int or float is no bool.
        number = _WHOLE_NUMBER.fullmatch(text or "") if kind == "integer" and type(argument) in {int, float} else None
        equal = text == expected or (number is not None and int(number[1]) == argument)
        if (header in headers) is (expected is None) or not equal:
            raise mismatch(PARAM_PREFIX + name, ".".join(("params.arguments", *path)), encodes=True)


def header_parameters(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield path, header name and type of the arguments that an input schema wants repeated in headers.

    Only parameters that clients may repeat count: text, integers and booleans, reached through `properties` alone.
    """
    properties = schema.get("properties")
    for key, inner in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(inner, Mapping):
            continue
        name, kind = inner.get(ANNOTATION), inner.get("type")
        if isinstance(name, str) and HEADER_NAME.fullmatch(name) and isinstance(kind, str) and kind in ANNOTATED_TYPES:
            yield (*path, key), name, kind
        yield from header_parameters(inner, (*path, key))


def is_param_header(name: str) -> bool:
    """Tell whether a header of that name can repeat an argument."""
    prefix, rest = name[: len(PARAM_PREFIX)], name[len(PARAM_PREFIX) :]
    return prefix.lower() == PARAM_PREFIX.lower() and HEADER_NAME.fullmatch(rest) is not None


def decoded(value: str | None) -> str | None:
    """Return the text of a header's value, plain or as `=?base64?…?=`; None where it is neither or None."""
    if value is None or not _PLAIN.fullmatch(value):
        return None
    encoded = _ENCODED.fullmatch(value)
    if encoded is None:
        return value
    payload = encoded["payload"]
    try:
        content = base64.b64decode(payload, validate=True)
        # Other spellings of the same bytes are no client's, and two readers may take them for different things.
        return content.decode() if base64.b64encode(content).decode() == payload else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def mismatch(header: str, source: str, *, encodes: bool = False) -> ProtocolError:
    """Return the refusal of a request whose header does not repeat its source in the body."""
    how = ", in plain ASCII or as =?base64?…?= of its UTF-8, and be left out where there is none" if encodes else ""
    return ProtocolError(ProtocolError.HEADERS, f"Header mismatch: {header} must repeat the body's {source}{how}.")


def _stripped(headers: Mapping[str, str], name: str) -> str | None:
    # RFC 9110 section 5.5: white space around a value is no part of it.
    value = headers.get(name)
    return None if value is None else value.strip(" \t")


def _header_text(argument: Any) -> str | None:
    """Return the text by which a header repeats an argument, None for an argument that has no header."""
    if isinstance(argument, bool):
        return "true" if argument else "false"
    return str(argument) if isinstance(argument, str | int | float) else None
