"""The fixture tools, with the names and answers that the suite expects."""

import base64
import io
import json
import logging
import wave

from django_mcp.choices import Safety
from django_mcp.decorators import mcp_tool
from django_mcp.errors import ToolError
from django_mcp.tools.media import Audio, EmbeddedResource, Image, Text
from django_mcp.tools.questions import InputRequired, form, request

logger = logging.getLogger(__name__)

# One red pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}
JSON_SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
CUSTOM_HEADERS = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "priority": {"type": "integer", "x-mcp-header": "Priority"},
        "verbose": {"type": "boolean", "x-mcp-header": "Verbose"},
        "query": {"type": "string"},
    },
    "required": ["region"],
}
SUM = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"], "additionalProperties": False}
READS = {"group": "conformance", "safety": Safety.READ_ONLY}
NAME = form("What is your name?", {"name": {"type": "string"}})
ROOTS = request("roots/list")


def sampling(question, tokens):
    message = {"role": "user", "content": {"type": "text", "text": question}}
    return request("sampling/createMessage", {"messages": [message], "maxTokens": tokens})


@mcp_tool(name="test_simple_text", **READS)
def simple_text(caller, data):
    """Answer with text."""
    return "This is a simple text response for testing."


@mcp_tool(name="test_image_content", **READS)
def image_content(caller, data):
    """Answer with a picture."""
    return Image(PNG, "image/png")


@mcp_tool(name="test_audio_content", **READS)
def audio_content(caller, data):
    """Answer with sound."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 1, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(80))
    return Audio(file.getvalue(), "audio/wav")


@mcp_tool(name="test_embedded_resource", **READS)
def embedded_resource(caller, data):
    """Answer with an embedded resource."""
    return EmbeddedResource("test://embedded-resource", "This is an embedded resource content.", "text/plain")


@mcp_tool(name="test_multiple_content_types", **READS)
def multiple_content_types(caller, data):
    """Answer with text, a picture and a resource."""
    content = json.dumps({"test": "data", "value": 123})
    return [
        Text("Multiple content types test:"),
        Image(PNG, "image/png"),
        EmbeddedResource("test://mixed-content-resource", content, "application/json"),
    ]


@mcp_tool(name="test_error_handling", **READS)
def error_handling(caller, data):
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


@mcp_tool(name="test_logging_tool", **READS)
def logging_tool(caller, data):
    """Log to the server's own log, of which clients are sent nothing."""
    logger.info("The logging fixture was called.")
    return "Logged."


@mcp_tool(name="json_schema_2020_12_tool", input_schema=JSON_SCHEMA_2020_12, **READS)
def json_schema(caller, data):
    """Tool with JSON Schema 2020-12 features"""
    return {"received": dict(data)}


@mcp_tool(name="test_custom_headers", input_schema=CUSTOM_HEADERS, **READS)
def custom_headers(caller, data):
    """Take arguments that clients repeat in headers."""
    return {"received": dict(data)}


@mcp_tool(
    name="test_structured_output",
    input_schema={"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
    output_schema=SUM,
    **READS,
)
def structured_output(caller, data):
    """Add two numbers, in an object that fits the output schema; fail without them."""
    if not {"a", "b"} <= set(data):
        raise ToolError("Send a and b.")
    return {"sum": data["a"] + data["b"]}


@mcp_tool(name="test_confirmed_write", group="conformance", safety=Safety.WRITE, output_schema=SUM)
def confirmed_write(caller, data):
    """Be confirmed before it answers."""
    return {"sum": 42}


@mcp_tool(name="test_input_required_result_elicitation", asks=True, **READS)
def asks_for_a_name(caller, data, answers):
    """Ask the user for a name, and greet."""
    name = answers.get("user_name")
    if name is None:
        return InputRequired({"user_name": NAME})
    return f"Hello, {name.content['name']}!" if name.accepted else "Hello, stranger!"


@mcp_tool(name="test_input_required_result_sampling", asks=True, **READS)
def asks_a_model(caller, data, answers):
    """Ask the client's model."""
    if "capital_question" not in answers:
        return InputRequired({"capital_question": sampling("What is the capital of France?", 100)})
    return answers["capital_question"].result["content"]["text"]


@mcp_tool(name="test_input_required_result_list_roots", asks=True, **READS)
def asks_for_roots(caller, data, answers):
    """Ask for the client's folders."""
    if "client_roots" not in answers:
        return InputRequired({"client_roots": ROOTS})
    return ", ".join(root["uri"] for root in answers["client_roots"].result["roots"])


def asks_for_consent(caller, data, answers):
    """Ask the user to confirm."""
    confirm = answers.get("confirm")
    if confirm is None:
        return InputRequired({"confirm": form("Please confirm", {"ok": {"type": "boolean"}})})
    return "state-ok" if confirm.accepted and confirm.content["ok"] else "Nothing was done."


@mcp_tool(name="test_input_required_result_request_state", asks=True, **READS)
def carries_a_state(caller, data, answers):
    """Ask the user to confirm, and say that the state came back."""
    return asks_for_consent(caller, data, answers)


@mcp_tool(name="test_input_required_result_tampered_state", asks=True, **READS)
def carries_a_state_that_cannot_be_changed(caller, data, answers):
    """Ask the user to confirm, and take no state that was changed."""
    return asks_for_consent(caller, data, answers)


@mcp_tool(name="test_input_required_result_multiple_inputs", asks=True, **READS)
def asks_for_several(caller, data, answers):
    """Ask the user, the client's model and the client at once."""
    asked = {"user_name": NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS}
    missing = {key: question for key, question in asked.items() if key not in answers}
    return InputRequired(missing) if missing else f"All of {', '.join(asked)}."


@mcp_tool(name="test_input_required_result_multi_round", asks=True, **READS)
def asks_twice(caller, data, answers):
    """Ask the user for a name, then for a colour."""
    if "step1" not in answers:
        return InputRequired({"step1": form("Step 1: What is your name?", {"name": {"type": "string"}})})
    if "step2" not in answers:
        return InputRequired({"step2": form("Step 2: What is your favorite color?", {"color": {"type": "string"}})})
    return " ".join(str(dict(answers[step].content)) for step in ("step1", "step2"))


@mcp_tool(name="test_input_required_result_capabilities", asks=True, **READS)
def asks_what_it_can(caller, data, answers):
    """Ask what the client can be asked."""
    asked = {"user_name": NAME, "greeting": sampling("Generate a greeting", 50)}
    possible = {key: question for key, question in asked.items() if key not in answers and answers.can_ask(question)}
    return InputRequired(possible) if possible else f"Answered: {', '.join(answers)}."


@mcp_tool(name="test_missing_capability", asks=True, **READS)
def needs_a_model(caller, data, answers):
    """Ask the client's model, without which there is no answer."""
    if "text" not in answers:
        return InputRequired({"text": sampling("Say something.", 50)})
    return answers["text"].result["content"]["text"]


@mcp_tool(name="test_streaming_elicitation", asks=True, **READS)
def asks_without_a_stream(caller, data, answers):
    """Ask the user for a name in the answer itself: there is no stream."""
    return asks_for_a_name(caller, data, answers)
