"""The fixture tools, with the names and answers that the suite expects."""

import base64
import io
import json
import logging
import wave

from django_mcp.decorators import mcp_tool
from django_mcp.errors import ToolError
from django_mcp.tools.media import Audio, EmbeddedResource, Image, Text
from django_mcp.vocabulary import Safety

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
