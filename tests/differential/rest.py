"""The same call by a REST client, written as a person would who read the API's documentation."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from rest_framework.parsers import FormParser, MultiPartParser


def send(http: Any, case: Any, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
    """Send the request that these arguments stand for, to the URLs of the language that is asked for."""
    parts: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}}
    for name, value in arguments.items():
        placed = case.schema.placement.get(name)
        place = placed.location if placed else "query" if case.operation.method == "GET" else "body"
        parts[place][placed.wire if placed else name] = value
    path = case.operation.route
    if path.startswith("/en/"):
        path = f"/{headers['Accept-Language']}/{path.removeprefix('/en/')}"
    for name, value in parts["path"].items():
        path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
    query = {name: _texts(value) for name, value in parts["query"].items() if value is not None}
    body, content_type = _body(case, parts["body"])
    accept = {"Accept": "application/json, */*", **headers}
    target = f"{path}?{urlencode(query, doseq=True)}" if query else path
    return http.generic(case.operation.method, target, body, content_type=content_type, headers=accept)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(item) for item in value]
    return json.dumps(value) if isinstance(value, dict) else _text(value)


def _body(case: Any, fields: dict[str, Any]) -> tuple[Any, str]:
    if case.operation.method == "GET" or (case.operation.method == "DELETE" and not fields):
        return b"", "application/octet-stream"
    parsers = _parsers(case)
    files = {name for name, item in case.schema.placement.items() if item.file and fields.get(name)}
    if files or not any(getattr(item, "media_type", "").endswith("json") for item in parsers):
        if MultiPartParser in parsers:
            return encode_multipart(BOUNDARY, _form(case, fields, files)), MULTIPART_CONTENT
        if FormParser in parsers:
            return urlencode(_form(case, fields, ()), doseq=True).encode(), "application/x-www-form-urlencoded"
    content_type = next((item.media_type for item in parsers if item.media_type.endswith("json")), "application/json")
    whole = fields.pop("", None) if "" in fields else fields
    return json.dumps(whole).encode(), content_type


def _parsers(case: Any) -> list[type]:
    if case.name == "choosing":
        return [MultiPartParser]
    operation = case.operation
    return list(operation.callback.initkwargs.get("parser_classes", operation.view_class.parser_classes))


def _form(case: Any, fields: Mapping[str, Any], files: Any) -> dict[str, Any]:
    form: dict[str, Any] = {}
    for name, value in fields.items():
        if "type" not in case.schema.input["properties"].get(name, {"type": "unknown"}):
            form[name] = json.dumps(value)
        elif value is None:
            continue
        elif name in files and str(value).startswith("data:"):
            head, _, data = value.partition(",")
            kind, *options = head.removeprefix("data:").split(";")
            [file_name] = [item.removeprefix("name=") for item in options if item.startswith("name=")]
            form[name] = SimpleUploadedFile(file_name, base64.b64decode(data), kind)
        elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
            for index, row in enumerate(value):
                form.update({f"{name}[{index}]{key}": _text(item) for key, item in row.items()})
        else:
            form[name] = _texts(value)
    return form
