"""Validators of JSON Schemas that were written elsewhere, for values that come from anywhere."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry

# An empty registry: without one, jsonschema fetches what a `$ref` points to over the network.
NOWHERE: Registry[Any] = Registry()


def validator(schema: Mapping[str, Any], dialect: type[Validator], *, formats: bool = False) -> Validator:
    """Return the validator of a schema. It fetches nothing, and takes time linear in the size of what it checks."""
    checker: Any = dialect.FORMAT_CHECKER if formats else None
    made: Validator = _linear(dialect)(dict(schema), registry=NOWHERE, format_checker=checker)
    return made


@cache
def _linear(dialect: type[Validator]) -> Any:
    # The library compares each item with each other where they cannot be sorted.
    return extend(dialect, {"uniqueItems": _unique_items})  # type: ignore[no-untyped-call]


def _unique_items(validator: Validator, wanted: Any, items: Any, _schema: Any) -> Iterator[ValidationError]:
    if not wanted or not isinstance(items, list):
        return
    seen: set[Any] = set()
    for index, item in enumerate(items):
        key = _key(item)
        if key in seen:
            yield ValidationError(f"has an item twice, the second time at {index}")
            return
        seen.add(key)


def _key(value: Any) -> Any:
    """Return what is equal for equal JSON values only: 1 and 1.0 are one value, 1 and true are two."""
    if isinstance(value, Mapping):
        return ("object", frozenset((name, _key(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_key, value)))
    return (isinstance(value, bool), value)
