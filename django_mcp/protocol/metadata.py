"""What a request says of itself: its revision, and since 2026-07-28 what its client is and can do.

Both eras are served at one URL. A client of the handshake revisions opens with `initialize` and names the revision in a
header afterwards, or nowhere. One of the modern revisions says all of it in `params._meta` of every request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django_mcp.errors import ProtocolError
from django_mcp.protocol.headers import check_message, mismatch
from django_mcp.protocol.jsonrpc import Message
from django_mcp.protocol.revisions import HANDSHAKE, OFFERED, REVISIONS, is_modern
from django_mcp.protocol.serializers import CLIENT_INFO, PROTOCOL_VERSION, RequestMeta, read

VERSION_HEADER = "MCP-Protocol-Version"
_IN_BODY = f"params._meta[{PROTOCOL_VERSION!r}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """`revision` is the one that the request named, None where it named none: then it is of a handshake revision.

    `capabilities` are the client's for this request; only modern revisions declare them per request, so they are empty
    in the others.
    """

    revision: str | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def modern(self) -> bool:
        return is_modern(self.revision)


def named_in(headers: Mapping[str, str]) -> str | None:
    """Return the revision that the header names, whether or not it is spoken here; None where it names none."""
    return headers.get(VERSION_HEADER, "").strip() or None


def of(message: Message | None, headers: Mapping[str, str]) -> Metadata:
    """Return what a message, or a response, and its headers say of themselves. `headers` finds names in any case.

    Raises ProtocolError, each with HTTP status 400: -32022 for a revision that is not spoken here; and in the modern
    revisions -32602 for missing metadata, -32020 where headers and body disagree.
    """
    named = named_in(headers)
    if message is None or message.is_notification:
        # No revision says which headers a notification has, and none is acted on.
        return Metadata(revision=_spoken(named))
    said = _said(message)
    if message.method == "initialize" and said in {None, *HANDSHAKE}:
        # The handshake is what settles the revision, so its header cannot be wrong yet.
        return Metadata()
    if named is not None and said not in {None, named} and not {said, named} <= {*HANDSHAKE}:
        raise mismatch(VERSION_HEADER, _IN_BODY)
    revision = _spoken(said if named is None else named)
    if not is_modern(revision):
        return Metadata(revision=named)
    meta = read(RequestMeta, _meta(message.params), http_status=400)
    if named is None:
        raise mismatch(VERSION_HEADER, _IN_BODY)
    check_message(message, headers)
    return Metadata(revision=revision, capabilities=meta["capabilities"])


def _said(message: Message) -> str | None:
    said = _meta(message.params).get(PROTOCOL_VERSION)
    if said is None or isinstance(said, str):
        return said
    raise ProtocolError(ProtocolError.PARAMS, f"Invalid params. {PROTOCOL_VERSION}: Must be a string.", http_status=400)


def _spoken(revision: str | None) -> str | None:
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


def client_name(value: Any, user_agent: str) -> str:
    """Return what the client's software calls itself, as far as a parsed body or its header says so; as it came.

    The metadata of a request names the client itself, its `User-Agent` often only a library.
    """
    params = value.get("params") if isinstance(value, Mapping) else None
    handshake = params.get("clientInfo") if isinstance(params, Mapping) else None
    return _named(_meta(params).get(CLIENT_INFO)) or user_agent or _named(handshake)


def _named(info: Any) -> str:
    return " ".join(str(info[key]) for key in ("name", "version") if key in info) if isinstance(info, Mapping) else ""
