"""The keywords of one OpenAPI schema rewritten in JSON Schema 2020-12, and values as JSON has them."""

import enum
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise

Schema = dict[str, Any]

KEYWORDS = frozenset(
    {
        "type", "enum", "const", "default", "title", "description", "format", "pattern", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
        "uniqueItems", "minProperties", "maxProperties", "deprecated",
    }
)  # fmt: skip
FORMATS = frozenset({"date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "decimal"})
FILE = "A file as a data URI: data:TYPE;name=FILENAME;base64,CONTENT"

# What JSON Schema's regular expressions (ECMA-262) do not have, or have under another meaning.
_PYTHON_ONLY = re.compile(r"\(\?(?![:=!])|\\[AZazGN]|[*+?}]\+|\[\[|\(\?\#")
_LONGEST_PATTERN = 120
_EXAMPLES = 8
# Bounds from here on are those of a database's or a machine's integers, not the API's.
_STORAGE = 2**31 - 1
_NOTHING = object()
_LABEL = re.compile(r"^\* `(.*)` - (.*)$", re.MULTILINE)


def plain(value: Any) -> Any:
    """Return the value as strings, numbers, booleans, None, lists and dicts; lazy texts in the active language.

    Raises ValueError for a value that JSON cannot hold.
    """
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, Promise) or type(value).__module__ in {"decimal", "datetime", "uuid"}:
        return str(value)
    msg = f"{type(value).__name__} has no form in JSON"
    raise ValueError(msg)


def _number(value: float) -> int | float:
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        msg = "JSON has no such number"
        raise ValueError(msg)
    return float(value)


def say(schema: Schema, text: str) -> None:
    """Add a sentence to the description."""
    before = schema.get("description", "").rstrip()
    if text not in before:
        schema["description"] = f"{before} {text}".strip()


def is_file(schema: Mapping[str, Any]) -> bool:
    """Tell whether a rewritten schema is that of a file, or of a list of files."""
    return FILE in str(schema.get("description", "")) or ("items" in schema and is_file(schema["items"]))


def facts(source: Mapping[str, Any]) -> Schema:
    """Return the keywords of a schema that concern it alone, rewritten; `type` is a list of names, "null" last."""
    result: Schema = {key: _keyword(key, source[key]) for key in source if key in KEYWORDS}
    result = {key: value for key, value in result.items() if value is not _NOTHING}
    _rewrite_type(result, source)
    _rewrite_bounds(result)
    if "enum" in result and "description" in result:
        _drop_idle_labels(result)
    _rewrite_texts(result, source)
    if "x-mcp-decimal" in source:
        _rewrite_decimal(result, source["x-mcp-decimal"])
    return result


def _keyword(key: str, value: Any) -> Any:
    if (value is None and key != "default") or (key in {"title", "description"} and not str(value).strip()):
        return _NOTHING
    if key in {"title", "description", "pattern", "format"}:
        return str(value)
    try:
        if isinstance(value, Decimal) and key not in {"default", "enum", "const"}:
            return _number(float(value))
        return plain(value)
    except ValueError:
        return _NOTHING


def _rewrite_type(result: Schema, source: Mapping[str, Any]) -> None:
    declared = result.pop("type", None)
    types = [declared] if isinstance(declared, str) else list(declared or ())
    nullable = bool(source.get("nullable")) or "null" in types
    types = [name for name in types if name != "null"]
    values = result.get("enum")
    if values is not None:
        scalars = (value for value in values if value is None or isinstance(value, str | int | float))
        values = list(dict.fromkeys(scalars))
        if nullable and values and None not in values:
            values.append(None)
        nullable = nullable or None in values
        result["enum"] = values
    if not values:
        result.pop("enum", None)
    if types:
        result["type"] = [*types, "null"] if nullable else types
    if result.get("default", "") is None and types and not nullable:
        del result["default"]


def _drop_idle_labels(result: Schema) -> None:
    """Drop the list of the choices' labels from the description where they only repeat the values."""
    lines = _LABEL.findall(result["description"])
    if lines and all(value.casefold() == label.casefold() for value, label in lines):
        result["description"] = _LABEL.sub("", result["description"]).strip()
        if not result["description"]:
            del result["description"]


def shorten(schema: Schema, most: int) -> None:
    """Replace an enumeration of more than `most` values by a sentence with the first of them."""
    values = schema.get("enum", ())
    if len(values) > most:
        del schema["enum"]
        schema["description"] = _LABEL.sub("", schema.get("description", "")).strip()
        examples = ", ".join(str(value) for value in values[:_EXAMPLES] if value not in {None, ""})
        say(schema, f"One of {len(values)} values, such as {examples}.")


def _rewrite_bounds(result: Schema) -> None:
    for bound in ("minimum", "maximum"):
        exclusive = f"exclusive{bound.title()}"
        if isinstance(result.get(exclusive), bool) and result.pop(exclusive) and bound in result:
            result[exclusive] = result.pop(bound)
        for key in (bound, exclusive):
            value = result.get(key)
            if value is not None and (not isinstance(value, (int, float)) or abs(value) >= _STORAGE):
                del result[key]
    if "array" in result.get("type", ()):
        for length, items in (("minLength", "minItems"), ("maxLength", "maxItems")):
            if length in result:
                result.setdefault(items, result.pop(length))


def _rewrite_texts(result: Schema, source: Mapping[str, Any]) -> None:
    if source.get("x-mcp-file"):
        for key in ("format", "pattern", "minLength", "maxLength", "default"):
            result.pop(key, None)
        result["type"] = ["string", "null"] if "null" in result.get("type", ()) else ["string"]
        say(result, FILE + ".")
        return
    if result.get("format") not in FORMATS:
        result.pop("format", None)
    pattern = result.get("pattern")
    if pattern is None:
        return
    if source.get("x-mcp-no-pattern") or "pattern" in source.get("x-mcp-without", ()):
        del result["pattern"]
    elif _PYTHON_ONLY.search(pattern) or not _compiles(pattern):
        del result["pattern"]
        if len(pattern) <= _LONGEST_PATTERN:
            say(result, f"Must match the Python regular expression {pattern}")


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _rewrite_decimal(result: Schema, decimal: Mapping[str, Any]) -> None:
    null = ["null"] if "null" in result.get("type", ()) else []
    for key in ("pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"):
        result.pop(key, None)
    if decimal["direction"] == "response":
        result["type"] = ["string" if decimal["text"] else "number", *null]
        result.pop("format", None)
        return
    result["type"] = ["string", "number", *null]
    result["format"] = "decimal"
    rules = []
    if decimal["digits"] is not None:
        rules.append(f"at most {decimal['digits']} digits")
    if decimal["places"] is not None:
        rules.append(f"at most {decimal['places']} after the point")
    rules += [f"{text} {decimal[key]}" for key, text in _LIMITS if decimal[key] is not None]
    say(result, f"Decimal number, {', '.join(rules)}." if rules else "Decimal number.")


_LIMITS = (("minimum", "at least"), ("maximum", "at most"))
