"""JSON Schemas that hosts write themselves: checked once, published as they are, never completed from elsewhere.

Arguments are checked against them as they came.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
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
    """Yield what keeps a schema from being published and checked against, each as the end of a sentence."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield 'must be a dict with "type": "object" at its root; MCP takes nothing else there.'
        return
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        yield f"is no JSON: {error}. Use plain dicts, lists, texts and numbers."
        return
    yield from _schema_problems(dict(schema))


def _schema_problems(schema: dict[str, Any]) -> Iterator[str]:
    dialect = _dialect(schema)
    if dialect is None:
        yield f"names an unknown $schema, {schema.get('$schema')!r}; leave it out for JSON Schema 2020-12."
        return
    try:
        dialect.check_schema(schema)
    except SchemaError as error:
        yield f"is no JSON Schema: {error.message} (at {error.json_path})."
        return
    root: Resource[Any] = DRAFT202012.create_resource(schema)
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
            yield f"has a {keyword} that leads nowhere inside of it, {reference!r}; nothing is fetched, put it in $defs."
    for inner in resource.subresources():
        yield from _reference_problems(inner, resolver.in_subresource(inner))


def _header_problems(root: Resource[Any]) -> Iterator[str]:
    """Check the arguments that clients repeat in a header (MCP 2026-07-28, custom headers from tool parameters)."""
    reachable = {id(schema): name for name, schema in _properties(root.contents, "")}
    seen: dict[str, str] = {}
    for schema in _everywhere(root):
        if ANNOTATION not in schema:
            continue
        header, where = schema[ANNOTATION], reachable.get(id(schema))
        if where is None:
            yield f"has {ANNOTATION} where clients do not look for it; it belongs on an entry of properties."
        elif not isinstance(header, str) or not HEADER_NAME.fullmatch(header):
            yield f"has {ANNOTATION} {header!r} on {where}; it must be a word of letters, digits and -."
        elif schema.get("type") not in ANNOTATED_TYPES:
            yield f"has {ANNOTATION} on {where}, whose type must be one of {', '.join(ANNOTATED_TYPES)}."
        elif header.lower() in seen:
            yield f"has {ANNOTATION} {header!r} on {seen[header.lower()]} and on {where}; name each only once."
        else:
            seen[header.lower()] = where


def _properties(schema: Any, path: str) -> Iterator[tuple[str, Any]]:
    inner = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, entry in (inner or {}).items():
        here = f"{path}.{name}" if path else name
        yield here, entry
        yield from _properties(entry, here)


def _everywhere(resource: Resource[Any]) -> Iterator[Mapping[str, Any]]:
    if isinstance(resource.contents, Mapping):
        yield resource.contents
    for inner in resource.subresources():
        yield from _everywhere(inner)


def validator(schema: Schema) -> Validator:
    """Return the validator of a schema that has no problems; it fetches nothing."""
    return json_schemas.validator(schema, _dialect(schema) or Draft202012Validator)


def path_of(error: ValidationError) -> str:
    """Return where the value is wrong, spelled as in `items[0].size`; `args` for all of it."""
    return error.json_path.removeprefix("$").removeprefix(".") or "args"


def check(args: Mapping[str, Any], schema: Validator, sensitive: frozenset[str]) -> None:
    """Raise ValidationFailed unless the arguments fit; it quotes no value whose path is in `sensitive`."""
    try:
        errors = _errors(schema.iter_errors(args), sensitive)
    except (RecursionError, OverflowError):
        raise ValidationFailed("The arguments are nested too deeply, or a number in them is too large.") from None
    if errors:
        text = " ".join(f"{where}: {said[0]}." for where, said in list(errors.items())[:MAX_PROBLEMS_IN_TEXT])
        raise ValidationFailed(f"The arguments do not fit. {text}", errors=errors)


def _errors(found: Iterable[ValidationError], sensitive: frozenset[str]) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    for error in islice(found, MAX_PROBLEMS):
        errors.setdefault(one_line(path_of(error)), []).append(_said(error, sensitive))
    return errors


def _said(error: ValidationError, sensitive: frozenset[str]) -> str:
    """Return what is wrong. jsonschema quotes the value, which must not happen to one that is masked everywhere."""
    names = [step for step in error.absolute_path if isinstance(step, str)]
    hidden = any(sensitive_name(name) for name in names) or ".".join(names) in sensitive
    if hidden or (
        isinstance(error.instance, dict | list) and error.validator not in {"required", "additionalProperties"}
    ):
        return f"does not fit its schema ({error.validator})"
    return one_line(error.message)
