"""What one part of a JSON Schema says about a value, worked out once for however many values there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django_mcp.catalog.values import branches_of, is_decimal, mapping, types_of

_EXACT: dict[str, type] = {"integer": int, "number": int, "boolean": bool, "string": str, "null": type(None)}


@dataclass(slots=True)
class Plan:
    """A part of a schema, read.

    `exact` are the Python types of values that are right as they are. `rest` is what names that `properties` does not
    have are like; False where there must be none.
    """

    schema: Mapping[str, Any]
    branches: list[Any]
    types: frozenset[str]
    exact: frozenset[type]
    enum: frozenset[Any] | None
    properties: Mapping[str, Any]
    rest: Any
    required: frozenset[str]
    defaults: dict[str, Any] | None = None

    @classmethod
    def of(cls, schema: Any) -> "Plan":
        schema = mapping(schema)
        branches, types = branches_of(schema), types_of(schema)
        return cls(
            schema=schema,
            branches=branches,
            types=types,
            exact=frozenset() if branches or "enum" in schema else _exact(schema, types),
            enum=_enumerated(schema),
            properties=mapping(schema.get("properties")),
            rest=schema.get("additionalProperties", True),
            required=frozenset(schema.get("required", ())),
        )


def _exact(schema: Mapping[str, Any], types: frozenset[str]) -> frozenset[type]:
    if not types or is_decimal(schema):
        return frozenset()
    # Floats are left out: one may be no number at all, or be whole where an integer is meant.
    return frozenset(_EXACT[name] for name in types if name in _EXACT)


def _enumerated(schema: Mapping[str, Any]) -> frozenset[Any] | None:
    if "enum" not in schema:
        return None
    return frozenset(value for value in schema["enum"] if not isinstance(value, Mapping | list))
