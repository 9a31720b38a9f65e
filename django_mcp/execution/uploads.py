"""Arguments as a form: files from data URIs, nested values in the spelling that DRF reads."""

import base64
import binascii
import mimetypes
import secrets
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlencode

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import encode_multipart

from django_mcp.errors import ValidationFailed
from django_mcp.protocol.json import compact

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def text(value: Any) -> str:
    """Return the text for a JSON value in a URL or a form."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value, default=str)


def uploaded(name: str, uri: Any) -> SimpleUploadedFile:
    """Return the file in a data URI (RFC 2397, with `;name=` for the file's name); `name` is the argument's.

    Raises ValidationFailed for any other value.
    """
    head, comma, payload = str(uri).partition(",")
    if not comma or not head.lower().startswith("data:"):
        raise _no_data_uri(name)
    media_type, *parameters = head[len("data:") :].split(";")
    try:
        encoded = bool(parameters) and parameters[-1].strip().lower() == "base64"
        content = base64.b64decode("".join(payload.split()), validate=True) if encoded else unquote_to_bytes(payload)
    except (binascii.Error, ValueError) as error:
        raise _no_data_uri(name) from error
    media_type = _header_text(media_type.strip()) or "application/octet-stream"
    attributes = dict(parameter.strip().partition("=")[::2] for parameter in parameters)
    filename = _header_text(unquote(attributes.get("name", attributes.get("filename", ""))))
    default = "upload" + (mimetypes.guess_extension(media_type) or "")
    try:
        return SimpleUploadedFile(filename.replace("\\", "/") or default, content, media_type)
    except SuspiciousFileOperation:
        return SimpleUploadedFile(default, content, media_type)


def form(fields: Mapping[str, Any], *, multipart: bool) -> tuple[bytes, str]:
    """Return body and content type of a form. Files among the values are `SimpleUploadedFile`.

    A list of plain values repeats its name; a list of objects is `items[0]quantity`; an object is `profile.city`,
    and beside it as JSON text under its own name, which is what a JSON field reads.

    Raises ValidationFailed for an empty list, which a form cannot express.
    """
    pairs: dict[str, list[Any]] = {}
    for name, value in fields.items():
        for key, item in _flat(name, value, in_list=False):
            pairs.setdefault(_header_text(key, escape=True), []).append(item)
    if not multipart:
        return urlencode(pairs, doseq=True, errors="replace").encode(), FORM
    boundary = secrets.token_hex(16)
    return encode_multipart(boundary, pairs), f"{MULTIPART}; boundary={boundary}"


def _flat(name: str, value: Any, *, in_list: bool) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        if not in_list:
            yield name, text(value)
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item, in_list=in_list)
    elif isinstance(value, list | tuple):
        yield from _flat_list(name, value, in_list=in_list)
    else:
        yield name, value if isinstance(value, SimpleUploadedFile) else text(value)


def _flat_list(name: str, values: Any, *, in_list: bool) -> Iterator[tuple[str, Any]]:
    if not values:
        field = name.partition(".")[0].partition("[")[0]
        msg = f"{field}: an empty list cannot be sent in a form; leave it out, or leave out the file."
        raise ValidationFailed(msg, errors={field: ["An empty list cannot be sent in a form."]})
    for index, item in enumerate(values):
        if isinstance(item, Mapping):
            for key, inner in item.items():
                yield from _flat(f"{name}[{index}]{key}", inner, in_list=True)
        else:
            # Within a list of objects DRF keeps only the last of a repeated name.
            yield from _flat(f"{name}[{index}]" if in_list else name, item, in_list=in_list)


def _header_text(value: str, *, escape: bool = False) -> str:
    """Return a name without the characters that could end its header: escaped as browsers do, or dropped."""
    for char, code in (('"', "%22"), ("\r", "%0D"), ("\n", "%0A")):
        value = value.replace(char, code if escape else "")
    return value


def _no_data_uri(name: str) -> ValidationFailed:
    msg = f"{name} takes a file as a data URI: data:TYPE;name=FILE;base64,CONTENT."
    return ValidationFailed(msg, errors={name: ["Not a data URI."]})
