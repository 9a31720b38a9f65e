"""JSON Schemas that hosts write themselves: checked once, published unchanged, never completed from elsewhere.

Arguments are checked against them as the client sent them.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from django_mcp.errors import ValidationFailed
from django_mcp.protocol import json_schemas
from django_mcp.protocol.headers import ANNOTATED_TYPES, ANNOTATION, HEADER_NAME
from django_mcp.redaction import sensitive_name
from django_mcp.text import one_line
from django_mcp.tools.base import Schema

MAX_PROBLEMS_IN_TEXT = 5
MAX_PROBLEMS = 20

_REFERENCES = ("$ref", "$dynamicRef")


def problems(schema: Any) -> Iterator[str]:
    """Yield the reasons why a schema cannot be published or checked against, each as the end of a sentence."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield 'must be a dict with "type": "object" at its root; MCP takes nothing else there.'
        return
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        yield f"is no JSON: {error}. Use plain dicts, lists, texts and numbers."
        return
    dialect = _dialect(schema)
    if dialect is None:
        yield f"names an unknown $schema, {schema.get('$schema')!r}; leave it out for JSON Schema 2020-12."
        return
    contents = dict(schema)
    try:
        dialect.check_schema(contents)
    except SchemaError as error:
        yield f"is no JSON Schema: {error.message} (at {error.json_path})."
        return
    root: Resource[Any] = DRAFT202012.create_resource(contents)
    yield from _reference_problems(root, json_schemas.NOWHERE.resolver_with_root(root))
    yield from _header_problems(root)


def _dialect(schema: Schema) -> type[Validator] | None:
    if "$schema" not in schema:
        return Draft202012Validator
    unknown: Any = None
    return validator_for(schema, default=unknown)


def _reference_problems(resource: Resource[Any], resolver: Any) -> Iterator[str]:
    contents = resource.contents
    for keyword in _REFERENCES:
        reference = contents.get(keyword) if isinstance(contents, Mapping) else None
        if not isinstance(reference, str):
            continue
        try:
            resolver.lookup(reference)
        except (Unresolvable, ValueError):
            cure = "nothing is fetched, put it in $defs."
            yield f"has a {keyword} that leads nowhere inside of it, {reference!r}; {cure}"
    for inner in resource.subresources():
        yield from _reference_problems(inner, resolver.in_subresource(inner))


def _header_problems(root: Resource[Any]) -> Iterator[str]:
    """Yield the mistakes in annotations of headers (MCP 2026-07-28, "Custom Headers from Tool Parameters")."""
    paths = {id(entry): path for path, entry in _properties(root.contents, "")}
    paths_by_header: dict[str, str] = {}
    for schema in _everywhere(root):
        if ANNOTATION not in schema:
            continue
        problem = _header_problem(schema, paths.get(id(schema)), paths_by_header)
        if problem:
            yield f"has {ANNOTATION} {problem}"


def _header_problem(schema: Mapping[str, Any], path: str | None, paths_by_header: dict[str, str]) -> str | None:
    """Return the mistake in one annotation, None for a right one, whose path is added to `paths_by_header`."""
    if path is None:
        return "where clients do not look for it; it belongs on an entry of properties."
    header = schema[ANNOTATION]
    if not isinstance(header, str) or not HEADER_NAME.fullmatch(header):
        return f"{header!r} on {path}; it must be a word of letters, digits and -."
    if schema.get("type") not in ANNOTATED_TYPES:
        return f"on {path}, whose type must be one of {', '.join(ANNOTATED_TYPES)}."
    if header.lower() in paths_by_header:
        return f"{header!r} on {paths_by_header[header.lower()]} and on {path}; name each only once."
    paths_by_header[header.lower()] = path
    return None


def _properties(schema: Any, parent: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of `properties`, and of the entries' own, each with its dotted path."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, entry in (properties or {}).items():
        path = f"{parent}.{name}" if parent else name
        yield path, entry
        yield from _properties(entry, path)


def _everywhere(resource: Resource[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the schema and every schema inside of it."""
    if isinstance(resource.contents, Mapping):
        yield resource.contents
    for inner in resource.subresources():
        yield from _everywhere(inner)


def validator(schema: Schema) -> Validator:
    """Return the validator of a schema that has no problems; it fetches nothing."""
    return json_schemas.validator(schema, _dialect(schema) or Draft202012Validator)


def path_of(error: ValidationError) -> str:
    """Return the path of the wrong value, spelled as in `items[0].size`; `args` for the arguments as a whole."""
    return error.json_path.removeprefix("$").removeprefix(".") or "args"


def check(args: Mapping[str, Any], schema: Validator, sensitive: frozenset[str]) -> None:
    """Raise ValidationFailed unless the arguments fit; it quotes no value whose dotted path is in `sensitive`."""
    errors: dict[str, list[str]] = {}
    try:
        for error in islice(schema.iter_errors(args), MAX_PROBLEMS):
            errors.setdefault(one_line(path_of(error)), []).append(_message(error, sensitive))
    except (RecursionError, OverflowError):
        raise ValidationFailed("The arguments are nested too deeply, or a number in them is too large.") from None
    if errors:
        first = list(errors.items())[:MAX_PROBLEMS_IN_TEXT]
        text = " ".join(f"{path}: {messages[0]}." for path, messages in first)
        raise ValidationFailed(f"The arguments do not fit. {text}", errors=errors)


def _message(error: ValidationError, sensitive: frozenset[str]) -> str:
    """Return jsonschema's message, without the value where that is secret or long."""
    names = [step for step in error.absolute_path if isinstance(step, str)]
    hidden = any(sensitive_name(name) for name in names) or ".".join(names) in sensitive
    # These two messages name members and quote no value.
    quotes_all = isinstance(error.instance, dict | list) and error.validator not in {"required", "additionalProperties"}
    if hidden or quotes_all:
        return f"does not fit its schema ({error.validator})"
    return one_line(error.message)
