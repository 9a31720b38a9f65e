"""The parameters of MCP's methods as DRF serializers: the one place where the wire format is read."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, cast

from rest_framework import serializers

from django_mcp.errors import ProtocolError

# The keys of a request's metadata in `params._meta` (MCP 2026-07-28, "Per-request protocol fields").
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

# In English whatever the language of the request: they are read by models and by developers of clients.
_MESSAGES = {"required": "Required.", "null": "Must not be null."}


class Text(serializers.Field[str, Any, str, Any]):
    """A string, as it is: no number becomes one and no blank is trimmed."""

    default_error_messages: ClassVar[dict[str, Any]] = {**_MESSAGES, "invalid": "Must be a string."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class Object(serializers.Field[dict[str, Any], Any, dict[str, Any], Any]):
    """A JSON object with any content."""

    default_error_messages: ClassVar[dict[str, Any]] = {**_MESSAGES, "invalid": "Must be an object."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data


class RequestMeta(serializers.Serializer[Any]):
    """The members of `params._meta` in every request of the modern revisions; the client's name may be left out."""

    def get_fields(self) -> dict[str, Any]:
        # These names are no identifiers, and DRF would take their dots for a path.
        return {PROTOCOL_VERSION: Text(source="revision"), CLIENT_CAPABILITIES: Object(source="capabilities")}


class InitializeParams(serializers.Serializer[Any]):
    """The parameters of the handshake. Only the version is needed here."""

    protocolVersion = Text()  # noqa: N815 - the wire's spelling


class ListToolsParams(serializers.Serializer[Any]):
    """The parameters of a listing: the first page, or the one after a cursor."""

    cursor = Text(required=False, allow_null=True)


class CallToolParams(serializers.Serializer[Any]):
    """The parameters of a call: the tool's name and its arguments."""

    name = Text()
    arguments = Object(required=False, allow_null=True)


class InputParams(serializers.Serializer[Any]):
    """The parameters of a repeated call: the client's answers to the questions of the first (MCP 2026-07-28)."""

    inputResponses = Object(required=False, allow_null=True)  # noqa: N815 - the wire's spelling
    requestState = Text(required=False, allow_null=True)  # noqa: N815 - the wire's spelling


def read(
    serializer_class: type[serializers.Serializer[Any]], params: Mapping[str, Any], *, http_status: int = 200
) -> dict[str, Any]:
    """Return the validated parameters of a request, without those that the serializer does not know.

    Raises ProtocolError -32602, under the HTTP status, that names each wrong parameter.
    """
    try:
        return dict(_instance(serializer_class).run_validation(params))
    except serializers.ValidationError as error:
        details = cast("dict[str, list[str]]", error.detail)
        problems = " ".join(f"{name}: {texts[0]}" for name, texts in details.items())
    raise ProtocolError(ProtocolError.PARAMS, f"Invalid params. {problems}", http_status=http_status)


@cache
def _instance(serializer_class: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    # Validation leaves no state on a serializer, so one of each serves every request.
    return serializer_class()
