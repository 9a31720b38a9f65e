"""What a request tells of itself: its revision, and since 2026-07-28 the name and the capabilities of its client.

Both eras are served at one URL. A client of the handshake revisions opens with `initialize` and names the revision in a
header afterwards, or nowhere. One of the modern revisions tells all of it in `params._meta` of every request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.protocol.headers import check_message, mismatch
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.revisions import HANDSHAKE, MODERN, OFFERED, REVISIONS
from django_mcp.protocol.serializers import CLIENT_INFO, PROTOCOL_VERSION, RequestMeta, read

VERSION_HEADER = "MCP-Protocol-Version"
_BODY_SOURCE = f"params._meta[{PROTOCOL_VERSION!r}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of one request.

    `revision` is the one that the request named, None where it named none: then it is of a handshake revision.
    `capabilities` are the client's for this request; only modern revisions declare them per request, so they are empty
    in the others.
    """

    revision: str | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def modern(self) -> bool:
        """Tell whether the revision is one of those without a handshake."""
        return self.revision in MODERN


def header_revision(headers: Mapping[str, str]) -> str | None:
    """Return the revision that the header names, whether or not it is spoken here; None where it names none."""
    return headers.get(VERSION_HEADER, "").strip() or None


def request_metadata(message: Message | None, in_header: str | None, headers: Mapping[str, str]) -> Metadata:
    """Return the metadata of a message, or of a response where it is None. `in_header` is what `header_revision` read.

    `headers` finds names in any case. Raises ProtocolError, each with HTTP status 400: -32022 for a revision that is
    not spoken here; and in the modern revisions -32602 for missing metadata, -32020 where headers and body disagree.
    """
    if message is None or message.is_notification:
        # No revision defines which headers a notification has, and none is acted on.
        return Metadata(revision=_supported(in_header))
    meta = _meta(message.params)
    in_body = meta.get(PROTOCOL_VERSION)
    if in_body is not None and not isinstance(in_body, str):
        text = f"Invalid params. {PROTOCOL_VERSION}: Must be a string."
        raise ProtocolError(ProtocolError.PARAMS, text, http_status=400)
    if message.method == "initialize" and in_body in {None, *HANDSHAKE}:
        # The handshake is what settles the revision, so its header cannot be wrong yet.
        return Metadata()
    if in_header is not None and in_body not in {None, in_header} and not {in_body, in_header} <= {*HANDSHAKE}:
        raise mismatch(VERSION_HEADER, _BODY_SOURCE)
    revision = _supported(in_body if in_header is None else in_header)
    if revision not in MODERN:
        return Metadata(revision=in_header)
    capabilities = read(RequestMeta, meta, http_status=400)["capabilities"]
    if in_header is None:
        raise mismatch(VERSION_HEADER, _BODY_SOURCE)
    check_message(message, headers)
    return Metadata(revision=revision, capabilities=capabilities)


def client_name(value: Any, user_agent: str) -> str:
    """Return the name that the client's software gives itself in a parsed body or in its User-Agent, unshortened.

    The metadata of a request names the client itself, its `User-Agent` often only a library.
    """
    params = value.get("params") if isinstance(value, Mapping) else None
    handshake = params.get("clientInfo") if isinstance(params, Mapping) else None
    return _software(_meta(params).get(CLIENT_INFO)) or user_agent or _software(handshake)


def _supported(revision: str | None) -> str | None:
    """Return the revision. Raises ProtocolError -32022 for one that is not spoken here."""
    if revision is None or revision in REVISIONS:
        return revision
    raise ProtocolError(
        ProtocolError.VERSION,
        f"Unsupported protocol version. Supported: {', '.join(OFFERED)}.",
        data={"supported": list(OFFERED), "requested": revision},
    )


def _meta(params: Any) -> Mapping[str, Any]:
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    return meta if isinstance(meta, Mapping) else {}


def _software(implementation: Any) -> str:
    """Return name and version of an MCP Implementation object; "" for anything else."""
    if not isinstance(implementation, Mapping):
        return ""
    return " ".join(str(implementation[key]) for key in ("name", "version") if key in implementation)
