"""A call's arguments as the parts of an HTTP request: path, query string and body."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from rest_framework.mixins import ListModelMixin

from django_mcp.choices import Safety
from django_mcp.conf import conf
from django_mcp.errors import NotFound, ValidationFailed
from django_mcp.execution import uploads
from django_mcp.host.handlers import BODYLESS_METHODS, HOLE
from django_mcp.host.views import declared
from django_mcp.protocol.json import compact
from django_mcp.types import Argument, Operation, OperationCall

JSON = "application/json"
# What web servers read of a request's first line before they answer 414.
MAX_QUERY_BYTES = 8 * 1024

Placed = dict[str, tuple[Argument, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a request. `holes` is the text put into each hole of the route, by its name in the URL pattern."""

    path: str
    holes: Mapping[str, str]
    query: Mapping[str, Any]
    body: bytes
    content_type: str
    notes: tuple[str, ...]


def compose(call: OperationCall, parsers: Sequence[str]) -> Parts:
    """Return the parts for a call; `parsers` are the media types that the view parses.

    Raises ValidationFailed where a path argument is missing, path or query string is too long or a file is no data
    URI, NotFound for a path that no URL can have.
    """
    operation = call.operation
    placed: dict[str, Placed] = {"path": {}, "query": {}, "body": {}}
    names = HOLE.findall(operation.route)
    for name, value in call.arguments.items():
        argument = call.placement.get(name)
        if argument is None:
            rest = "query" if operation.method in BODYLESS_METHODS else "body"
            argument = Argument(location="path" if name in names else rest, wire=name)  # type: ignore[arg-type]
        placed[argument.location][name] = (argument, value)
    path, holes = _path(operation, placed["path"])
    query: dict[str, Any] = {}
    for argument, value in placed["query"].values():
        if value is not None:
            query[argument.wire] = (
                [uploads.text(item) for item in value] if isinstance(value, list) else uploads.text(value)
            )
    _require_short(path, query)
    query, notes = _paged(call, query)
    body, content_type = _body(operation, placed["body"], parsers)
    return Parts(path=path, holes=holes, query=query, body=body, content_type=content_type, notes=notes)


def _require_short(path: str, query: Mapping[str, Any]) -> None:
    """Refuse with ValidationFailed what a web server would answer 414."""
    for part, length in (
        ("path", len(quote(path, errors="replace"))),
        ("query string", len(urlencode(query, doseq=True, errors="replace"))),
    ):
        if length > MAX_QUERY_BYTES:
            msg = (
                f"The {part} would have {length} bytes, at most {MAX_QUERY_BYTES} are taken. Send shorter values, or "
                "several calls with fewer of them."
            )
            raise ValidationFailed(msg, errors={"args": [msg]})


def _path(operation: Operation, values: Placed) -> tuple[str, dict[str, str]]:
    """Return the filled route, and the text in each of its holes by the name in the URL pattern."""
    texts: dict[str, str] = {}
    holes = HOLE.findall(operation.route)
    for name, (argument, value) in values.items():
        by_pattern = [hole for hole in holes if operation.path_arguments.get(hole) == argument.wire]
        for hole in (argument.wire, name, *by_pattern):
            if hole in holes:
                texts[hole] = uploads.text(value)
                break
    missing = [hole for hole in holes if hole not in texts]
    if missing:
        msg = f"Missing: {', '.join(missing)}."
        raise ValidationFailed(msg, errors={hole: ["This field is required."] for hole in missing})
    if any("\0" in value for value in texts.values()):
        raise NotFound
    path = HOLE.sub(lambda match: texts[match[1]], "/" + operation.route.lstrip("/"))
    return path, {operation.path_arguments.get(hole, hole): texts[hole] for hole in holes}


def _body(operation: Operation, values: Placed, parsers: Sequence[str]) -> tuple[bytes, str]:
    """Return the body and its content type: a form where there is a file or no JSON is parsed, else JSON."""
    if operation.method in BODYLESS_METHODS or (operation.method == "DELETE" and not values):
        return b"", ""
    files = any(argument.file and value is not None for argument, value in values.values())
    multipart = uploads.MULTIPART in parsers
    json_type = _json_type(parsers)
    if (files and multipart) or not json_type:
        if not values:
            return b"", ""
        return uploads.form(_form_fields(values), multipart=multipart)
    # A body that is an array as a whole has no name on the wire. An argument whose own name is empty is none.
    whole = [value for name, (argument, value) in values.items() if name and not argument.wire]
    content = whole[0] if whole else {argument.wire: value for argument, value in values.values()}
    return compact(content, default=str).encode(), json_type


def _form_fields(values: Placed) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, (argument, value) in values.items():
        fields[argument.wire or name] = json.dumps(value, ensure_ascii=False) if argument.json else value
        if argument.file and isinstance(value, list):
            fields[argument.wire] = [uploads.uploaded(name, item) for item in value]
        elif argument.file and value is not None:
            fields[argument.wire] = uploads.uploaded(name, value)
    return fields


def _json_type(parsers: Sequence[str]) -> str | None:
    """Return the content type for JSON, None where the view parses forms only.

    A view that parses neither gets JSON, to answer 415 itself.
    """
    for media_type in parsers:
        if media_type in {JSON, "*/*", "application/*"}:
            return JSON
        if media_type.endswith("+json"):
            return media_type
    return None if {uploads.MULTIPART, uploads.FORM} & set(parsers) else JSON


def _paged(call: OperationCall, query: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the query with the paginator's own argument for the page size set and capped, and a note if it was cut."""
    name = _size_argument(call)
    if not name:
        return dict(query), ()
    sent = query.get(name, "")
    try:
        size = int(sent[-1] if isinstance(sent, list) else sent)
    except (ValueError, IndexError):
        size = 0
    if size > conf.MAX_LIMIT:
        return {**query, name: str(conf.MAX_LIMIT)}, (f"{name} was lowered to {conf.MAX_LIMIT}, the most per call.",)
    # A size that the paginator would ignore must not turn pagination off.
    return {**query, name: str(size if size > 0 else conf.DEFAULT_LIMIT)}, ()


def _size_argument(call: OperationCall) -> str | None:
    """Return the query argument for the page size, None for a write and where the paginator has no such argument."""
    operation = call.operation
    if operation.method != "GET" or call.safety is not Safety.READ_ONLY:
        return None
    paginator = declared(operation, "pagination_class")
    name: str | None = getattr(paginator, "limit_query_param", None) or getattr(
        paginator, "page_size_query_param", None
    )
    described = any(item.location == "query" and item.wire == name for item in call.placement.values())
    lists = operation.handler in {"list", "get"} and issubclass(operation.view_class, ListModelMixin)
    return name if name and (described or lists) else None
