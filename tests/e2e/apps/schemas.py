"""What is looked at in a description: rules of strict clients, free-form places, and answers that do not fit."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

COMBINATORS = ("oneOf", "anyOf", "allOf", "not", "if")


def faults(api: dict[str, Any]) -> Iterator[str]:
    """Yield what a strict client refuses in a described operation's schemas."""
    for side in ("inputSchema", "outputSchema"):
        schema = api[side]
        if schema is None:
            continue
        for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
            yield f"{side} {error.json_path}: {error.message[:200]}"
        if any("$ref" in place for place in _places(schema)):
            yield f"{side} has a $ref"
    schema = api["inputSchema"]
    if schema.get("type") != "object" or "properties" not in schema or any(word in schema for word in COMBINATORS):
        yield "inputSchema is no plain object"
    missing = set(schema.get("required", ())) - set(schema["properties"])
    if missing:
        yield f"inputSchema requires what it does not describe: {sorted(missing)}"


def free_form(api: dict[str, Any]) -> Counter[str]:
    """Count the arguments of which nothing is said."""
    arguments = api["inputSchema"]["properties"].values()
    found: Counter[str] = Counter(arguments=len(arguments))
    found["arguments without a type"] = sum(not {"type", "enum", "const", *COMBINATORS} & set(one) for one in arguments)
    found["arguments without a description"] = sum("description" not in one for one in arguments)
    found["operations without a description"] = not api["description"]
    found["operations without an output schema"] = api["outputSchema"] is None
    return found


def misfits(api: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """Yield where a successful answer does not fit the output schema that was described."""
    if answer["status"] != "success" or api["outputSchema"] is None or answer.get("truncated"):
        return
    seen: set[tuple[Any, ...]] = set()
    for error in Draft202012Validator(api["outputSchema"]).iter_errors(answer["response"]):
        place = tuple("*" if isinstance(step, int) else step for step in error.absolute_path)
        if (place, error.validator) not in seen:
            seen.add((place, error.validator))
            yield f"{'.'.join(place) or 'it'} does not fit: {error.message[:160]}"


def _places(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from _places(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _places(part)
