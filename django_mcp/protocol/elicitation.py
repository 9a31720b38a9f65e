"""The wire format of questions to a client and of its answers (MCP 2026-07-28, multi round-trip requests).

Only revisions without a handshake have it. Nothing is kept here: the state of a question travels with it.
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
# The schema of a client's result, by the method of the request.
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
# The restricted schemas of form fields (PrimitiveSchemaDefinition): nothing nests, so that every client can draw them.
_FIELD_TYPES = ("string", "number", "integer", "boolean")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request to the client.

    `needs` are the capabilities without which it must not be sent, in the form in which clients declare them.
    """

    method: str
    params: Mapping[str, Any]
    needs: Mapping[str, Any]

    @property
    def request(self) -> dict[str, Any]:
        return {"method": self.method, "params": dict(self.params)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The part of a request that is about questions: its client's capabilities, and its answers to earlier ones.

    `supported` is False where its revision has no questions. `responses` are the client's, by the question's key. They
    mean nothing without `state`, the text that the client echoes, None on a first call.
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
        missing: dict[str, Any] = {}
        for question in questions:
            _add_missing(missing, question.needs, declared)
        return missing


def needs_of(method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the capabilities that a request of one of the protocol's methods needs, None for another method."""
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
    """Return the InputRequiredResult that sends the requests, by key, and the state that the client is to echo."""
    return {"resultType": INPUT_REQUIRED, "inputRequests": dict(requests), "requestState": state}


def asks(answer: Mapping[str, Any]) -> bool:
    """Tell whether a result is an InputRequiredResult."""
    return answer.get("resultType") == INPUT_REQUIRED


def is_answer(request: Mapping[str, Any], response: Any) -> bool:
    """Tell whether a client's response is a result of the request's method, whatever its content."""
    if not isinstance(response, Mapping):
        return False
    schema = _RESULTS.get(request["method"])
    return schema is None or _validator(schema).is_valid(response)


def entered(request: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a response with the fields of the request's form alone; None where their content does not fit the form.

    The content of a refusal, or of a request without a form, is dropped.
    """
    if request["method"] != ELICIT:
        return dict(response)
    schema = request["params"].get("requestedSchema")
    if schema is None or response["action"] != "accept":
        return {"action": response["action"]}
    content = {key: value for key, value in (response.get("content") or {}).items() if key in schema["properties"]}
    return {"action": "accept", "content": content} if _validator(schema).is_valid(content) else None


def form_problem(properties: Any) -> str | None:
    """Return the reason, as half a sentence, why `properties` are no fields of a form; None where they are."""
    if not isinstance(properties, Mapping):
        return "its fields must be a mapping of names to schemas"
    for name, schema in properties.items():
        kind = schema.get("type") if isinstance(schema, Mapping) else None
        choices = schema.get("items") if kind == "array" else None
        has_choices = isinstance(choices, Mapping) and not choices.keys().isdisjoint(("enum", "anyOf"))
        if not isinstance(name, str) or not (has_choices or kind in _FIELD_TYPES):
            return f"the field {name!r} must be a string, number, integer or boolean, or an array of an enum's texts"
        try:
            Draft202012Validator.check_schema(dict(schema))
        except SchemaError as error:
            return f"the field {name!r} has no valid schema: {error.message}"
    return None


def _validator(schema: Mapping[str, Any]) -> Validator:
    return json_schemas.validator(schema, Draft202012Validator, formats=True)


def _add_missing(missing: dict[str, Any], needs: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    """Add the needs that are not declared to those that are missing already, and return them; all three are trees."""
    for name, inner in needs.items():
        known = declared.get(name)
        branch = _add_missing(dict(missing.get(name, {})), inner, known if isinstance(known, Mapping) else {})
        if branch or not isinstance(known, Mapping):
            missing[name] = branch
    return missing
