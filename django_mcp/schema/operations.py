"""The input and output schema of an operation, built when it is first asked for."""

import json
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from django.utils.translation import get_language
from rest_framework.generics import GenericAPIView
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.host.handlers import BODY_METHODS, is_drfs_own
from django_mcp.host.views import is_replaced, mock_view, versioned
from django_mcp.schema.fields import LENIENT
from django_mcp.schema.inspector import PASSED_OVER, OperationInspector, described_by, inspector_for, quietly
from django_mcp.schema.json_schema import NormalForm, one_object
from django_mcp.schema.keywords import FILE, Schema, plain, say
from django_mcp.schema.per_user import variant
from django_mcp.types import Argument, Operation


@dataclass
class Parts:
    """An operation's schema while it is put together."""

    operation: Operation
    fields: dict[str, Schema] = field(default_factory=dict)
    placement: dict[str, Argument] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    read_only: set[str] = field(default_factory=set)
    sensitive: set[str] = field(default_factory=set)
    lenient: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    more: Any = False
    has_body: bool = False

    def placed(self) -> Mapping[str, Argument]:
        if self.more is False:
            return self.placement
        return FreePlacement(self.placement, "body" if self.has_body else "query")

    def add(self, name: str, location: Literal["path", "query"], schema: Schema, *, required: bool) -> None:
        """Add a path or query argument under a name that is still free."""
        argument = name
        while argument in self.fields:
            argument = f"{location}_{argument}"
        self.fields[argument] = schema
        self.placement[argument] = Argument(location=location, wire=name)
        if schema.pop(LENIENT, False):
            self.lenient.add(argument)
        if location == "path":
            self.renamed[name] = argument
        if required:
            self.required.append(argument)


class FreePlacement(dict[str, Argument]):
    """A placement in which every argument that it does not know has one place: the body, or the query without one."""

    def __init__(self, known: Mapping[str, Argument], location: Literal["body", "query"]) -> None:
        super().__init__(known)
        self.location = location

    def __missing__(self, name: str) -> Argument:
        return Argument(location=self.location, wire=name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]


logger = logging.getLogger("django_mcp")

CACHE_SIZE = 512
FURTHER_FIELDS = "It may take further fields, which are not described."
UNDESCRIBED_BODY = (
    "The body of this operation is not described. Send the fields that its description names; where it names none, "
    "send none and read the error."
)
_FREE_QUERY = "The options of this operation are not described; any may be sent, and it ignores what it does not know."
UNDESCRIBED = {
    "parameters": "Some arguments of the path or query could not be described.",
    "filters": "The filters of this operation could not be described.",
    "pagination": "The pagination of this operation could not be described.",
    "response": "The answer of this operation could not be described.",
}


@dataclass(frozen=True)
class OperationSchema:
    """What an operation takes and gives, as plain JSON Schema 2020-12; shared between callers, not to be changed.

    `route` is the URI template whose holes are the arguments of `input`. `placement` maps an argument to its place
    in the request; the wire name of a path argument is the hole in `Operation.route`, that of a body which is an
    array is empty. `read_only` are body fields that the host sets itself. `sensitive` are dotted paths, lists not
    counted, as are `lenient`: what the host reads in its own way, so that another type of value goes on to it. `notes`
    are for the model, `warnings` (of the inspection) for developers only.
    """

    input: dict[str, Any]
    output: dict[str, Any] | None
    placement: Mapping[str, Argument]
    read_only: frozenset[str] = frozenset()
    sensitive: frozenset[str] = frozenset()
    lenient: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    route: str = ""
    warnings: tuple[str, ...] = ()


_cache: OrderedDict[tuple[Any, ...], OperationSchema] = OrderedDict()
_lock = threading.Lock()


def forget() -> None:
    """Drop all schemas, for changed settings."""
    with _lock:
        _cache.clear()


def schema_for(operation: Operation, view: Callable[[], APIView] | None = None) -> OperationSchema:
    """Return the schemas of an operation in the active language.

    `view` gives the operation's view with the caller's request on it, so that a serializer that depends on the user is
    the caller's own. Asks no database and raises only what `view` does: what cannot be described is left free-form,
    with a note.
    """
    key = (operation, get_language(), *variant(operation, view))
    with _lock:
        known = _cache.get(key)
        if known is not None:
            _cache.move_to_end(key)
            return known
    with quietly() as warnings:
        schema = _build(operation, None if view is None else view(), warnings)
    with _lock:
        _cache[key] = schema
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)
    return schema


def _build(operation: Operation, view: APIView | None, warnings: list[str]) -> OperationSchema:
    try:
        inspected, inspector = _inspect(operation, view)
        if view is not None and inspector.free_form:
            # With the caller's request alone the view may lack what its URL would give; this one knows that it is asked.
            inspected, inspector = _inspect(operation, None)
        parts, output = _put_together(operation, inspected, inspector)
        warnings += inspector.messages
    except Exception as error:
        logger.warning("%s cannot be described: %s", operation.name, type(error).__name__, exc_info=True)
        warnings.append(f"cannot be described: {type(error).__name__}")
        parts, output = _assemble(operation, {}, None), None
    parts.sensitive.update(operation.hints.sensitive_fields)
    return OperationSchema(
        input=_root(parts),
        output=output,
        placement=parts.placed(),
        read_only=frozenset(parts.read_only - parts.fields.keys()),
        sensitive=frozenset(parts.sensitive),
        lenient=frozenset(parts.lenient),
        notes=tuple(dict.fromkeys(parts.notes)),
        route=re.sub(r"\{([^{}]*)\}", lambda hole: f"{{{parts.renamed.get(hole[1], hole[1])}}}", operation.route),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _put_together(
    operation: Operation, inspected: Mapping[str, Any], inspector: OperationInspector
) -> tuple[Parts, dict[str, Any] | None]:
    """Return the parts and the output of an operation as the host has it, or as it is without where that fails."""
    own = inspector.own or {}
    plainly = _assemble(operation, own, inspector)
    if inspected is own:
        return plainly, _output(own, inspector)
    try:
        parts, output = _assemble(operation, inspected, inspector), _output(inspected, inspector)
    except Exception as error:  # noqa: BLE001 - made by the host's code, it may be anything
        inspector.messages.append(f"{PASSED_OVER}{type(error).__name__}")
        return plainly, _output(own, inspector)
    # A body that the host writes anew need not say any more which of its fields are secret.
    parts.sensitive |= plainly.sensitive
    return parts, output


def _inspect(operation: Operation, view: APIView | None) -> tuple[Mapping[str, Any], OperationInspector]:
    if view is None or is_replaced(operation):
        view = mock_view(operation)
    view = versioned(view, operation.namespace)
    handler = getattr(type(view), operation.handler, None)
    inspector = inspector_for(view, operation.callback, handler, operation.method)
    return described_by(inspector, operation.route, operation.path_regex or operation.route), inspector


def _components(inspector: Any) -> dict[str, Any]:
    registry = getattr(inspector, "registry", None)
    return cast("dict[str, Any]", registry.build({}).get("schemas", {})) if registry is not None else {}


def _assemble(operation: Operation, described: Mapping[str, Any], inspector: Any) -> Parts:
    parts = Parts(operation)
    components = _components(inspector)
    parts.has_body = operation.method in BODY_METHODS or bool(described.get("requestBody"))
    if parts.has_body:
        _add_body(parts, described.get("requestBody"), components, free=inspector is None or inspector.free_form)
        parts.sensitive |= getattr(inspector, "guessed_secrets", set())
    for failure in dict.fromkeys(getattr(inspector, "failures", ())):
        if failure in UNDESCRIBED:
            parts.notes.append(UNDESCRIBED[failure])
    said = (item for item in described.get("parameters", ()) if isinstance(item, Mapping))
    parameters = {(item.get("in"), item.get("name")): item for item in said}
    for name in operation.path_arguments:
        item = parameters.get(("path", name), {"schema": {"type": "string"}})
        schema = _parameter(item, components, parts)
        schema.pop("default", None)
        schema |= _versions(operation.view_class, name)
        parts.add(name, "path", schema, required=True)
    for (location, wire), item in parameters.items():
        if location == "query":
            option = _option(_parameter(item, components, parts))
            parts.add(str(wire), "query", option, required=bool(item.get("required")))
    if _reads_what_it_likes(operation, parts):
        parts.more = True
        parts.notes.append(_FREE_QUERY)
    return parts


def _reads_what_it_likes(operation: Operation, parts: Parts) -> bool:
    """Tell whether nobody said what a view reads from its query: a plain one has nothing that could be asked."""
    described = any(argument.location == "query" for argument in parts.placement.values())
    return operation.method == "GET" and not issubclass(operation.view_class, GenericAPIView) and not described


def _versions(view_class: Any, name: str) -> Schema:
    """Return what is known of the argument that carries the version of an API."""
    versioning = getattr(view_class, "versioning_class", None)
    if versioning is None or not issubclass(versioning, URLPathVersioning) or name != versioning.version_param:
        return {}
    allowed = [str(version) for version in versioning.allowed_versions or ()]
    return {"type": "string", "description": "The version of the API.", **({"enum": allowed} if allowed else {})}


def _option(schema: Schema) -> Schema:
    """Return what is known of a query argument with its default told only: left out it means that anyway."""
    # Filled in, it would change the answer where the host's description is wrong.
    default = schema.pop("default", None)
    if default is not None:
        say(schema, f"Default: {json.dumps(default, ensure_ascii=False)}.")
    return schema


def _parameter(item: Mapping[str, Any], components: Mapping[str, Any], parts: Parts) -> Schema:
    form = NormalForm(components, "request")
    schema = form.convert(item.get("schema", {}))
    parts.sensitive |= form.sensitive
    if form.lenient:
        schema[LENIENT] = True
    if item.get("description"):
        say(schema, str(item["description"]))
    if item.get("explode") is False and "items" in schema:
        # Written as one value, which the host splits at commas.
        separated: Schema = {"type": "string", "description": schema.get("description", "")}
        values = ", ".join(map(str, schema["items"].get("enum", ())))
        say(separated, f"Comma-separated list{f' of: {values}' if values else ''}.")
        return separated
    return schema


def _add_body(parts: Parts, body: Mapping[str, Any] | None, components: Mapping[str, Any], *, free: bool) -> None:
    content = (body or {}).get("content") or {}
    media = content.get("application/json") or next(iter(content.values()), None)
    if media is None:
        if free:
            parts.more = True
            parts.notes.append(UNDESCRIBED_BODY)
        return
    form = NormalForm(components, "request", partial=parts.operation.method == "PATCH")
    schema = one_object(form.convert(media.get("schema", {})))
    # Code of the host's may read the body with another serializer than it shows rows with.
    own = is_drfs_own(parts.operation.view_class, parts.operation.handler, parts.operation.method)
    (parts.read_only if own else parts.lenient).update(form.read_only)
    if form.recursive:
        parts.notes.append("A field that contains its own kind of object is described one level deep only.")
    if "array" in schema.get("type", ()):
        parts.fields["items"] = schema
        parts.placement["items"] = Argument(location="body", wire="", file=_is_file(schema))
        parts.required += ["items"] if parts.operation.method != "PATCH" else []
        parts.sensitive |= {f"items.{path}" for path in form.sensitive}
        parts.lenient |= {f"items.{path}".rstrip(".") for path in form.lenient}
        return
    parts.sensitive |= form.sensitive
    parts.lenient |= form.lenient - {""}
    for name, described in schema.get("properties", {}).items():
        parts.fields[name] = described
        anything = not described.keys() & {"type", "enum", "anyOf", "oneOf"}
        parts.placement[name] = Argument(location="body", wire=name, file=_is_file(described), json=anything)
    parts.required += schema.get("required", [])
    parts.more = schema.get("additionalProperties", False) if parts.fields else True
    if parts.more is not False:
        parts.notes.append(UNDESCRIBED_BODY if not parts.fields else FURTHER_FIELDS)


def _is_file(schema: Mapping[str, Any]) -> bool:
    return FILE in str(schema.get("description", "")) or ("items" in schema and _is_file(schema["items"]))


def _root(parts: Parts) -> dict[str, Any]:
    places = {"path": 0, "body": 1, "query": 2}
    names = sorted(parts.fields, key=lambda name: places[parts.placement[name].location])
    root: dict[str, Any] = {"type": "object", "properties": {name: parts.fields[name] for name in names}}
    if parts.required:
        root["required"] = list(dict.fromkeys(parts.required))
    root["additionalProperties"] = parts.more
    return root


def _output(described: Mapping[str, Any], inspector: Any) -> dict[str, Any] | None:
    responses = {str(plain(code)): response for code, response in described.get("responses", {}).items()}
    for code in sorted(responses):
        content = responses[code].get("content") or {}
        media = content.get("application/json") or next(iter(content.values()), None)
        if code.startswith("2") and media is not None:
            form = NormalForm(_components(inspector), "response")
            return one_object(form.convert(media.get("schema", {})), every=True)
    return None
