"""Validators of JSON Schemas that hosts and clients wrote, for values of any origin and size."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry

# An empty registry: without one, jsonschema fetches the target of a `$ref` over the network.
NOWHERE: Registry[Any] = Registry()


def validator(schema: Mapping[str, Any], dialect: type[Validator], *, formats: bool = False) -> Validator:
    """Return the validator of a schema. It fetches nothing, and takes time linear in the size of the value."""
    checker: Any = dialect.FORMAT_CHECKER if formats else None
    instance: Validator = _linear(dialect)(dict(schema), registry=NOWHERE, format_checker=checker)
    return instance


@cache
def _linear(dialect: type[Validator]) -> Any:
    # The library compares each item with every other where they cannot be sorted.
    return extend(dialect, {"uniqueItems": _unique_items})  # type: ignore[no-untyped-call]


def _unique_items(validator: Validator, unique: Any, items: Any, _schema: Any) -> Iterator[ValidationError]:
    if not unique or not isinstance(items, list):
        return
    seen: set[Any] = set()
    for index, item in enumerate(items):
        key = _identity(item)
        if key in seen:
            yield ValidationError(f"has an item twice, the second time at {index}")
            return
        seen.add(key)


def _identity(value: Any) -> Any:
    """Return a hashable that is equal for equal JSON values only: 1 and 1.0 are one value, 1 and true are two."""
    if isinstance(value, Mapping):
        return ("object", frozenset((name, _identity(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_identity, value)))
    return (isinstance(value, bool), value)
