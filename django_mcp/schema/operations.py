"""The input and output schema of an operation, built when it is first asked for."""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from django.utils.translation import get_language
from rest_framework.generics import GenericAPIView
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from django_mcp.host.handlers import BODY_METHODS, HOLE, is_drfs_own
from django_mcp.host.views import is_replaced, mock_view, versioned
from django_mcp.schema import notes
from django_mcp.schema.fields import LENIENT
from django_mcp.schema.inspector import PASSED_OVER, OperationInspector, described_by, inspector_for, quietly
from django_mcp.schema.json_schema import NormalForm, one_object
from django_mcp.schema.keywords import Schema, is_file, plain, say
from django_mcp.schema.per_user import variant
from django_mcp.types import Argument, Operation

logger = logging.getLogger("django_mcp")
T = TypeVar("T")

CACHE_SIZE = 512


@dataclass(frozen=True)
class OperationSchema:
    """What an operation takes and gives, as plain JSON Schema 2020-12; shared between callers, not to be changed.

    `route` is the URI template whose holes are the arguments of `input`. `placement` maps an argument to its place
    in the request; the wire name of a path argument is the hole in `Operation.route`, that of a body which is an
    array is empty. An argument that `input` allows and `placement` does not name belongs to the body, or to the query
    of a method without one. `read_only` are body fields that the host sets itself. `sensitive` and `lenient` are
    dotted paths in which lists do not count: secrets, and what the host reads in its own way, so that another type of
    value goes on to it. `notes` are for the model, `warnings` (of the inspection) for developers only.
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
    _derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def derived(self, derive: Callable[["OperationSchema"], T]) -> T:
        """Return what `derive` makes of this schema; it is made once, and kept as long as the schema."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        return cast("T", self._derived[derive])


_cache: OrderedDict[tuple[Any, ...], OperationSchema] = OrderedDict()
_lock = threading.Lock()


def forget() -> None:
    """Drop all schemas, for changed settings."""
    with _lock:
        _cache.clear()


def schema_for(
    operation: Operation,
    view: Callable[[], APIView] | None = None,
    personal: MutableMapping[Any, OperationSchema] | None = None,
) -> OperationSchema:
    """Return the schemas of an operation in the active language.

    `view` gives the operation's view with the caller's request on it, so that a serializer that depends on the user is
    the caller's own. Such a schema is kept in `personal` alone, which lives as long as the request: what a user may see
    can change with the next. Asks no database and raises only what `view` does: what cannot be described is left
    free-form, with a note.
    """
    depends_on = variant(operation, view)
    key = (operation, get_language(), depends_on.chosen)
    if depends_on.personal:
        schema = None if personal is None else personal.get(key)
    else:
        with _lock:
            if key in _cache:
                _cache.move_to_end(key)
            schema = _cache.get(key)
    if schema is None:
        with quietly() as warnings:
            schema = _described(operation, None if view is None else view(), warnings)
        if not depends_on.personal:
            _keep(key, schema)
        elif personal is not None:
            personal[key] = schema
    return schema


def _keep(key: tuple[Any, ...], schema: OperationSchema) -> None:
    with _lock:
        _cache[key] = schema
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)


def _described(operation: Operation, view: APIView | None, warnings: list[str]) -> OperationSchema:
    try:
        openapi, inspector = _inspect(operation, view)
        if view is not None and inspector.free_form:
            # With the caller's request alone the view may lack what its URL would give; a mock view knows that it is one.
            openapi, inspector = _inspect(operation, None)
        schema = _converted(operation, openapi, inspector)
        warnings += inspector.messages
    except Exception as error:
        logger.warning("%s cannot be described: %s", operation.name, type(error).__name__, exc_info=True)
        warnings.append(f"cannot be described: {type(error).__name__}")
        schema = _arguments(operation, {}, {}, None).schema(None)
    return replace(schema, warnings=tuple(dict.fromkeys(warnings)))


def _inspect(operation: Operation, view: APIView | None) -> tuple[Mapping[str, Any], OperationInspector]:
    """Return the operation in OpenAPI, and the inspector that says the rest."""
    if view is None or is_replaced(operation):
        view = mock_view(operation)
    view = versioned(view, operation.namespace)
    handler = getattr(type(view), operation.handler, None)
    inspector = inspector_for(view, operation.callback, handler, operation.method)
    return described_by(inspector, operation.route, operation.path_regex or operation.route), inspector


def _converted(operation: Operation, openapi: Mapping[str, Any], inspector: OperationInspector) -> OperationSchema:
    """Return the operation as the host's schema classes have it, or as it is without them where that fails."""
    components = inspector.registry.build({}).get("schemas", {})
    own = inspector.own or {}
    arguments = _arguments(operation, own, components, inspector)
    if openapi is not own:
        try:
            rewritten = _arguments(operation, openapi, components, inspector)
            output = _output(openapi, components)
        except Exception as error:  # noqa: BLE001 - made by the host's code, it may be anything
            inspector.messages.append(f"{PASSED_OVER}{type(error).__name__}")
        else:
            # A body that the host writes anew need not say any more which of its fields are secret.
            rewritten.sensitive |= arguments.sensitive
            return rewritten.schema(output)
    return arguments.schema(_output(own, components))


@dataclass(slots=True)
class _Arguments:
    """The arguments of one operation while they are gathered from its body, its path and its query, in this order.

    The fields are those of `OperationSchema`, and `further` is what JSON Schema calls `additionalProperties`.
    """

    operation: Operation
    components: Mapping[str, Any]
    properties: dict[str, Schema] = field(default_factory=dict)
    placement: dict[str, Argument] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    further: Any = False
    read_only: set[str] = field(default_factory=set)
    sensitive: set[str] = field(default_factory=set)
    lenient: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def schema(self, output: dict[str, Any] | None) -> OperationSchema:
        """Return the schema of the operation, without the warnings of its inspection."""
        names = sorted(self.properties, key=lambda name: ("path", "body", "query").index(self.placement[name].location))
        root: dict[str, Any] = {"type": "object", "properties": {name: self.properties[name] for name in names}}
        if self.required:
            root["required"] = list(dict.fromkeys(self.required))
        root["additionalProperties"] = self.further
        holes = {place.wire: name for name, place in self.placement.items() if place.location == "path"}
        return OperationSchema(
            input=root,
            output=output,
            placement=self.placement,
            read_only=frozenset(self.read_only - self.properties.keys()),
            sensitive=frozenset(self.sensitive.union(self.operation.hints.sensitive_fields)),
            lenient=frozenset(self.lenient),
            notes=tuple(dict.fromkeys(self.notes)),
            route=HOLE.sub(lambda hole: f"{{{holes.get(hole[1], hole[1])}}}", self.operation.route),
        )

    def add_body(self, body: Mapping[str, Any] | None, *, free: bool) -> None:
        content = (body or {}).get("content") or {}
        media = content.get("application/json") or next(iter(content.values()), None)
        if media is None:
            self.further = free
            self.notes += [notes.UNDESCRIBED_BODY] if free else []
            return
        form = NormalForm(self.components, "request", partial=self.operation.method == "PATCH")
        schema = one_object(form.convert(media.get("schema", {})))
        # Code of the host's may read the body with another serializer than it shows rows with.
        own = is_drfs_own(self.operation.view_class, self.operation.handler, self.operation.method)
        (self.read_only if own else self.lenient).update(form.read_only)
        if form.recursive:
            self.notes.append(notes.RECURSIVE)
        if "array" in schema.get("type", ()):
            self.properties["items"] = schema
            self.placement["items"] = Argument(location="body", wire="", file=is_file(schema))
            self.required += ["items"] if self.operation.method != "PATCH" else []
            self.sensitive |= {f"items.{path}" for path in form.sensitive}
            self.lenient |= {f"items.{path}".rstrip(".") for path in form.lenient}
            return
        self.sensitive |= form.sensitive
        self.lenient |= form.lenient - {""}
        for name, part in schema.get("properties", {}).items():
            self.properties[name] = part
            anything = not part.keys() & {"type", "enum", "anyOf", "oneOf"}
            self.placement[name] = Argument(location="body", wire=name, file=is_file(part), json=anything)
        self.required += schema.get("required", [])
        self.further = schema.get("additionalProperties", False) if self.properties else True
        if self.further is not False:
            self.notes.append(notes.FURTHER_FIELDS if self.properties else notes.UNDESCRIBED_BODY)

    def add_path(self, parameters: Mapping[tuple[Any, Any], Mapping[str, Any]]) -> None:
        for name in self.operation.path_arguments:
            schema = self.convert(parameters.get(("path", name), {"schema": {"type": "string"}}))
            schema.pop("default", None)
            schema |= _versions(self.operation.view_class, name)
            self.add(name, "path", schema, required=True)

    def add_query(self, parameters: Mapping[tuple[Any, Any], Mapping[str, Any]]) -> None:
        queries = {str(name): item for (location, name), item in parameters.items() if location == "query"}
        for name, item in queries.items():
            schema = self.convert(item)
            # Told only: left out it means that anyway, and filled in it would do harm where the description is wrong.
            default = schema.pop("default", None)
            if default is not None:
                say(schema, f"Default: {json.dumps(default, ensure_ascii=False)}.")
            self.add(name, "query", schema, required=bool(item.get("required")))
        # A plain view has nothing that could be asked for the options that it reads from its query.
        if self.operation.method == "GET" and not queries and not issubclass(self.operation.view_class, GenericAPIView):
            self.further = True
            self.notes.append(notes.FREE_QUERY)

    def add(self, name: str, location: Literal["path", "query"], schema: Schema, *, required: bool) -> None:
        """Add a path or query argument under a name that is still free."""
        argument = name
        while argument in self.properties:
            argument = f"{location}_{argument}"
        self.properties[argument] = schema
        self.placement[argument] = Argument(location=location, wire=name)
        if schema.pop(LENIENT, False):
            self.lenient.add(argument)
        if required:
            self.required.append(argument)

    def convert(self, parameter: Mapping[str, Any]) -> Schema:
        form = NormalForm(self.components, "request")
        schema = form.parameter(parameter)
        self.sensitive |= form.sensitive
        return schema


def _arguments(
    operation: Operation,
    openapi: Mapping[str, Any],
    components: Mapping[str, Any],
    inspector: OperationInspector | None,
) -> _Arguments:
    """Return the arguments of an operation in OpenAPI; without an inspector nothing is known but its path."""
    arguments = _Arguments(operation, components)
    body = openapi.get("requestBody")
    if operation.method in BODY_METHODS or body:
        arguments.add_body(body, free=inspector is None or inspector.free_form)
        arguments.sensitive |= inspector.guessed_secrets if inspector else set()
    failures = dict.fromkeys(inspector.failures if inspector else ())
    arguments.notes += [notes.UNDESCRIBED[part] for part in failures if part in notes.UNDESCRIBED]
    items = [item for item in openapi.get("parameters", ()) if isinstance(item, Mapping)]
    parameters = {(item.get("in"), item.get("name")): item for item in items}
    arguments.add_path(parameters)
    arguments.add_query(parameters)
    return arguments


def _versions(view_class: Any, name: str) -> Schema:
    """Return the schema of the path argument that carries the version of an API; empty for any other argument."""
    versioning = getattr(view_class, "versioning_class", None)
    if versioning is None or not issubclass(versioning, URLPathVersioning) or name != versioning.version_param:
        return {}
    allowed = [str(version) for version in versioning.allowed_versions or ()]
    return {"type": "string", "description": "The version of the API.", **({"enum": allowed} if allowed else {})}


def _output(openapi: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any] | None:
    responses = {str(plain(code)): response for code, response in openapi.get("responses", {}).items()}
    for code in sorted(responses):
        content = responses[code].get("content") or {}
        media = content.get("application/json") or next(iter(content.values()), None)
        if code.startswith("2") and media is not None:
            form = NormalForm(components, "response")
            return one_object(form.convert(media.get("schema", {})), every=True)
    return None
