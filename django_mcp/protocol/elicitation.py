"""The shape of `input_required` (MCP 2026-07-28, multi round-trip requests): what is asked of a client and its answers.

Reads and writes it, keeps nothing. Only revisions without a handshake have it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator

from django_mcp.protocol import json_schemas

INPUT_REQUIRED = "input_required"
ELICIT = "elicitation/create"
SAMPLE = "sampling/createMessage"
ROOTS = "roots/list"

_TEXT = {"type": "string"}
# What a client's result must be to be one of that method at all.
_RESULTS: Mapping[str, Mapping[str, Any]] = {
    ELICIT: {
        "properties": {"action": {"enum": ["accept", "decline", "cancel"]}, "content": {"type": ["object", "null"]}},
        "required": ["action"],
    },
    SAMPLE: {
        "properties": {
            "role": {"enum": ["user", "assistant"]},
            "model": _TEXT,
            "content": {"type": ["object", "array"]},
        },
        "required": ["role", "model", "content"],
    },
    ROOTS: {
        "properties": {
            "roots": {"type": "array", "items": {"type": "object", "properties": {"uri": _TEXT}, "required": ["uri"]}}
        },
        "required": ["roots"],
    },
}
# The restricted schemas of form fields: nothing nests, so that every client can draw them.
_FIELD_TYPES = ("string", "number", "integer", "boolean")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request to the client.

    `needs` are the capabilities without which it must not be sent, in the form that clients declare them in.
    """

    method: str
    params: Mapping[str, Any]
    needs: Mapping[str, Any]

    @property
    def request(self) -> dict[str, Any]:
        return {"method": self.method, "params": dict(self.params)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a request brings along for questions: what may be asked of its client, and what was answered.

    `supported` is False where its revision has no questions. `state` is what the client echoes, None on a first call;
    `responses` mean nothing without it.
    """

    supported: bool = False
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)
    state: str | None = None

    def lacks(self, questions: Iterable[Question]) -> dict[str, Any]:
        """Return the capabilities that the client would have to declare beside those it has."""
        declared = dict(self.capabilities)
        if declared.get("elicitation") == {}:
            # For backwards compatibility (client/elicitation, Capabilities).
            declared["elicitation"] = {"form": {}}
        found: dict[str, Any] = {}
        for question in questions:
            _merge(found, _missing(question.needs, declared))
        return found


def needs_of(method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the capabilities that a request of the protocol's own takes, None for a method that it does not know."""
    if method == ELICIT:
        return {"elicitation": {str(params.get("mode", "form")): {}}}
    if method == SAMPLE:
        needs: dict[str, Any] = {}
        if {"tools", "toolChoice"} & params.keys():
            needs["tools"] = {}
        if params.get("includeContext", "none") != "none":
            needs["context"] = {}
        return {"sampling": needs}
    return {"roots": {}} if method == ROOTS else None


def result(requests: Mapping[str, Mapping[str, Any]], state: str) -> dict[str, Any]:
    """Return the InputRequiredResult that asks the requests, by key, and has the state echoed."""
    return {"resultType": INPUT_REQUIRED, "inputRequests": dict(requests), "requestState": state}


def asks(answer: Mapping[str, Any]) -> bool:
    """Tell whether a result is an InputRequiredResult."""
    return answer.get("resultType") == INPUT_REQUIRED


def is_answer(request: Mapping[str, Any], response: Any) -> bool:
    """Tell whether a client's response is a result of the request's method, whatever was entered."""
    if not isinstance(response, Mapping):
        return False
    schema = _RESULTS.get(request["method"])
    return schema is None or _validator(schema).is_valid(response)


def entered(request: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a response with no more content than was asked for; None where the content does not fit the form.

    Content that came with a refusal, or without a form, was not asked for.
    """
    if request["method"] != ELICIT:
        return dict(response)
    schema = request["params"].get("requestedSchema")
    if schema is None or response["action"] != "accept":
        return {"action": response["action"]}
    content = {key: value for key, value in (response.get("content") or {}).items() if key in schema["properties"]}
    return {"action": "accept", "content": content} if _validator(schema).is_valid(content) else None


def form_problem(properties: Any) -> str | None:
    """Return what keeps `properties` from being the fields of a form, None where nothing does."""
    if not isinstance(properties, Mapping):
        return "its fields must be a mapping of names to schemas"
    for name, schema in properties.items():
        if not isinstance(name, str) or not isinstance(schema, Mapping) or not _is_field(schema):
            return f"the field {name!r} must be a string, number, integer or boolean, or an array of an enum's texts"
        try:
            Draft202012Validator.check_schema(dict(schema))
        except SchemaError as error:
            return f"the field {name!r} has no valid schema: {error.message}"
    return None


def _is_field(schema: Mapping[str, Any]) -> bool:
    if schema.get("type") != "array":
        return schema.get("type") in _FIELD_TYPES
    items = schema.get("items")
    return isinstance(items, Mapping) and bool({"enum", "anyOf"} & items.keys())


def _validator(schema: Mapping[str, Any]) -> Validator:
    return json_schemas.validator(schema, Draft202012Validator, formats=True)


def _missing(needs: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, inner in needs.items():
        has = declared.get(name)
        if not isinstance(has, Mapping):
            found[name] = inner
        elif left := _missing(inner, has):
            found[name] = left
    return found


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, inner in more.items():
        into[name] = dict(into.get(name, {}))
        _merge(into[name], inner)
