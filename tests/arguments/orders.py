"""Arguments to try, and short ways to what becomes of them."""

import json

import pytest

from django_mcp.arguments.normalise import normalise
from django_mcp.arguments.plans import argument_plan
from django_mcp.errors import ValidationFailed

ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "customer_name": {"type": "string"},
        "paid": {"type": "boolean"},
        "price": {"type": ["string", "number"], "format": "decimal"},
        "note": {"type": ["string", "null"]},
        "page": {"type": "integer"},
        "table": {"type": ["integer", "null"]},
        "ratio": {"type": "number"},
        "size": {"type": "string", "enum": ["Tall", "Grande"]},
        "meta": {"type": "object", "additionalProperties": {"type": "integer"}},
        "anything": {},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "product_id": {"type": "integer"},
                    "quantity": {"type": "integer", "default": 1},
                    "options": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["product_id"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["customer_name", "items"],
}


def normalised(sent, schema=ORDER, *, partial=False, **marks):
    """Return effective arguments and warnings by a plan that is made for this one call."""
    return normalise(argument_plan(schema, **marks), sent, partial=partial)


def effective(sent, schema=ORDER, **options):
    return normalised(sent, schema, **options)[0]


def failure(sent, schema=ORDER, **options):
    """Return the exception by which arguments are refused."""
    with pytest.raises(ValidationFailed) as caught:
        normalised(sent, schema, **options)
    return caught.value


def errors(sent, schema=ORDER, **options):
    """Return the texts of the errors by path."""
    return failure(sent, schema, **options).details["errors"]


def one(schema, value):
    """Return what an argument of this schema becomes."""
    return effective({"x": value}, {"type": "object", "properties": {"x": schema}})["x"]


def same(left, right):
    """Tell whether two values are the same JSON: 1 is not 1.0."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


FIELDS = {f"field_{number}": {"type": "integer"} for number in range(60)}


def listing(item):
    """Return the schema of arguments that are a list of items."""
    return {"properties": {"items": {"type": "array", "items": item}}}


def record(prefix="", **keywords):
    """Return the schema of an object with sixty integers."""
    return closed({f"{prefix}{name}": {**field, **keywords} for name, field in FIELDS.items()})


def closed(properties):
    return {"properties": properties, "additionalProperties": False}
