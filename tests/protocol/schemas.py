"""MCP's own JSON Schemas, from the folder that MCP_SCHEMAS names."""

import json
import os
from functools import cache
from pathlib import Path

import jsonschema


@cache
def _schema(revision):
    return json.loads((Path(os.environ["MCP_SCHEMAS"]) / f"{revision}.schema.json").read_text())


def _section(revision):
    return "definitions" if "definitions" in _schema(revision) else "$defs"


def definitions(revision):
    """Return the types of a revision, by name."""
    return _schema(revision)[_section(revision)]


def validate(value, revision, name):
    """Assert that a value is of a type of the revision."""
    jsonschema.validate(value, {**_schema(revision), "$ref": f"#/{_section(revision)}/{name}"})
