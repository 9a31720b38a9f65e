"""Schemas for `tools/list` that every client takes.

Clients hand the schemas of all listed tools to a model's API, and some APIs refuse a whole conversation over one
keyword that they do not know. The keywords that all of them take stay; the others become sentences of the descriptions,
where models read them. Nothing is lost by it: calls are checked against the full schema.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django_mcp.schema.json_schema import one_object
from django_mcp.schema.keywords import Schema, say

KEYWORDS = frozenset({"type", "description", "properties", "required", "items", "enum"})
SCALARS = frozenset({"string", "integer", "number", "boolean"})
MAX_NAMED = 8

_FORMATS = {
    "date": "A date, YYYY-MM-DD.",
    "date-time": "A date and time as in RFC 3339.",
    # Its description says already what a decimal may be.
    "decimal": "",
}
_ARTICLES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def portable(schema: Mapping[str, Any], *, answers: bool = False) -> Schema:
    """Return an object's schema in the keywords that all clients take; its root is an object with `properties`.

    A value that may be null keeps its other type and says so in words, since lists of types are refused by some.
    With `answers` it describes the result of a tool, which clients may check: then it promises nothing that the full
    schema does not, and a value that may be null has no type at all.
    """
    root = _converted(schema, answers=answers)
    return {**root, "type": "object", "properties": root.get("properties", {})}


def _converted(schema: Any, *, answers: bool) -> Schema:
    if not isinstance(schema, Mapping):
        return {}
    source, nullable = _flat(schema)
    types, nullable = _types(source, nullable=nullable)
    result: Schema = {}
    if source.get("description") or source.get("title"):
        result["description"] = str(source.get("description") or source["title"])
    if len(types) == 1 and not (answers and nullable):
        result["type"] = types[0]
    elif types and not answers:
        # Text is read as the number, truth value or object that it holds, wherever one is expected.
        result["type"] = "string" if "string" in types else types[0]
    _structure(result, source, types, answers=answers)
    _values(result, source, nullable=nullable, answers=answers)
    for sentence in _sentences(source, types, nullable=nullable, answers=answers):
        say(result, sentence)
    return result


def _flat(schema: Mapping[str, Any]) -> tuple[Schema, bool]:
    """Return the schema without combinators, and whether null was one of the variants."""
    source: Schema = {key: value for key, value in schema.items() if key not in {"anyOf", "oneOf"}}
    variants = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    values = [variant for variant in variants if isinstance(variant, Mapping) and variant.get("type") != "null"]
    nullable = len(values) < len(variants)
    if not values:
        return source, nullable
    if len(values) == 1:
        value, inner = _flat(values[0])
        return {**value, **source}, nullable or inner
    if all("properties" in variant for variant in values):
        return one_object({**source, "anyOf": values}), nullable
    if all("type" in variant and SCALARS.issuperset(_listed(variant["type"])) for variant in values):
        source["type"] = list(dict.fromkeys(name for variant in values for name in _listed(variant["type"])))
        if all("enum" in variant for variant in values):
            source["enum"] = list(dict.fromkeys(value for variant in values for value in variant["enum"]))
            return source, nullable
    else:
        source.pop("type", None)
    say(source, f"One of: {'; '.join(dict.fromkeys(map(_brief, values)))}.")
    return source, nullable


def _listed(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else list(types or ())


def _types(source: Schema, *, nullable: bool) -> tuple[list[str], bool]:
    types = _listed(source.get("type"))
    if not types and "properties" in source:
        types = ["object"]
    nullable = nullable or "null" in types or None in source.get("enum", ())
    types = [name for name in types if name != "null"]
    # Every integer is a number.
    return [name for name in types if name != "integer" or "number" not in types], nullable


def _structure(result: Schema, source: Schema, types: list[str], *, answers: bool) -> None:
    if "object" in types:
        properties = source.get("properties", {})
        result["properties"] = {name: _converted(field, answers=answers) for name, field in properties.items()}
        required = [name for name in source.get("required", ()) if name in properties]
        if required:
            result["required"] = required
    elif "array" in types:
        result["items"] = _converted(source.get("items", {}), answers=answers)


def _values(result: Schema, source: Schema, *, nullable: bool, answers: bool) -> None:
    """Keep an enumeration of texts; any other becomes a sentence."""
    values = source.get("enum", [source["const"]] if "const" in source else ())
    named = [value for value in values if value is not None and value != ""]
    if not named:
        return
    blank = "" in values
    if all(isinstance(value, str) for value in named) and not (answers and (nullable or blank)):
        result["enum"] = named
        if blank:
            say(result, "May be empty.")
        return
    literals = ", ".join(map(_literal, named))
    say(result, f"{'One of' if len(named) > 1 else 'Always'} {literals}{', or empty' if blank else ''}.")


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "format": lambda name: _FORMATS.get(name, f"Format: {name}."),
    "pattern": lambda pattern: f"Matches the regular expression {pattern}",
    "minimum": lambda bound: f"At least {bound}.",
    "maximum": lambda bound: f"At most {bound}.",
    "exclusiveMinimum": lambda bound: f"More than {bound}.",
    "exclusiveMaximum": lambda bound: f"Less than {bound}.",
    "multipleOf": lambda step: f"A multiple of {step}.",
    "minLength": lambda length: f"At least {length} characters." if length > 1 else "Not empty." if length else "",
    "maxLength": lambda length: f"At most {length} characters.",
    "minItems": lambda length: f"At least {length} items." if length > 1 else "Not empty." if length else "",
    "maxItems": lambda length: f"At most {length} items.",
    "uniqueItems": lambda unique: "No item twice." if unique else "",
    "minProperties": lambda length: f"At least {length} fields.",
    "maxProperties": lambda length: f"At most {length} fields.",
    "deprecated": lambda deprecated: "Deprecated." if deprecated else "",
    "patternProperties": lambda patterns: f"Further fields match {' or '.join(patterns)}",
}


def _sentences(source: Schema, types: list[str], *, nullable: bool, answers: bool) -> Iterable[str]:
    if len(types) > 1:
        yield f"Either {' or '.join(_ARTICLES.get(name, name) for name in types)}."
    for key, sentence in _SENTENCES.items():
        if key in source and sentence(source[key]):
            yield sentence(source[key])
    if not answers and source.get("default") is not None:
        yield f"{_literal(source['default'])} if left out."
    yield from _further(source)
    if nullable:
        yield (
            f"{_ARTICLES.get(types[0], types[0]).capitalize()}, or null."
            if answers and len(types) == 1
            else "May be null."
        )


def _further(source: Schema) -> Iterable[str]:
    more = source.get("additionalProperties")
    if isinstance(more, Mapping):
        yield f"Further fields may have any name; each is {_brief(more)}."
    elif more is True:
        yield "Further fields are allowed." if source.get("properties") else "Any fields."


def _brief(schema: Mapping[str, Any]) -> str:
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    if values:
        return " or ".join(map(_literal, values))
    types = _types(dict(schema), nullable=False)[0]
    phrase = " or ".join(_ARTICLES.get(name, name) for name in types) or "anything"
    names = list(schema.get("properties", ()))
    if names:
        phrase += f" with {', '.join(names[:MAX_NAMED])}{' and more' if len(names) > MAX_NAMED else ''}"
    return phrase
