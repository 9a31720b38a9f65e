"""The revisions of MCP that are spoken here, and the fields that each one has.

The table is taken from the JSON Schemas of the revisions. A name that is not in it is sent in no revision.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

# Revisions with the `initialize` handshake, oldest first; their names sort by date.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# Revisions whose every request names its own version and capabilities, so that there is no handshake.
MODERN = ("2026-07-28",)
REVISIONS = (*HANDSHAKE, *MODERN)
# In the order in which clients are offered them: the newest first.
OFFERED = REVISIONS[::-1]
NEWEST_HANDSHAKE = HANDSHAKE[-1]
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
# The revision of a request without the MCP-Protocol-Version header (MCP 2025-06-18, transports).
ASSUMED = "2025-03-26"

_SINCE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "tool.name", "tool.description", "tool.inputSchema",
            "result.content", "result.isError", "result._meta",
            "content.text", "content.image", "content.resource",
            "block.type", "block.text", "block.data", "block.mimeType", "block.resource", "block.annotations",
            "contents.uri", "contents.mimeType", "contents.text", "contents.blob",
            "hint.audience", "hint.priority",
            "initialize.protocolVersion", "initialize.capabilities", "initialize.serverInfo",
            "initialize.instructions", "initialize._meta",
            "server.name", "server.version",
            "capability.experimental", "capability.logging", "capability.prompts", "capability.resources",
            "capability.tools",
        ),
        "2024-11-05",
    ),
    **dict.fromkeys(("tool.annotations", "content.audio", "capability.completions"), "2025-03-26"),
    **dict.fromkeys(
        (
            "tool.title", "tool.outputSchema", "tool._meta",
            "result.structuredContent",
            "content.resource_link",
            "block._meta", "block.uri", "block.name", "block.title", "block.description", "block.size",
            "contents._meta",
            "hint.lastModified",
            "server.title",
        ),
        "2025-06-18",
    ),
    **dict.fromkeys(
        (
            "tool.icons", "tool.execution",
            "block.icons",
            "server.description", "server.icons", "server.websiteUrl",
            "capability.tasks",
        ),
        "2025-11-25",
    ),
    **dict.fromkeys(("result.resultType", "capability.extensions"), "2026-07-28"),
}  # fmt: skip

# The last revision that has a feature, where a later one dropped it.
_UNTIL: Mapping[str, str] = dict.fromkeys(("tool.execution", "capability.tasks"), "2025-11-25")


def negotiate(requested: str) -> str:
    """Return the revision to speak with a client that requested one: that one, else the newest with a handshake."""
    return requested if requested in HANDSHAKE else NEWEST_HANDSHAKE


def has(revision: str, feature: str) -> bool:
    """Tell whether a revision has a feature, named as `tool.title`, `content.audio`, `server.icons`."""
    since = _SINCE.get(feature)
    return since is not None and since <= revision <= _UNTIL.get(feature, revision)


def trim_initialize(result: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """Return an InitializeResult without the fields that the negotiated revision lacks."""
    trimmed = _trimmed(result, "initialize", revision)
    trimmed["capabilities"] = _trimmed(result["capabilities"], "capability", revision)
    trimmed["serverInfo"] = _trimmed(result["serverInfo"], "server", revision)
    return trimmed


def complete(result: dict[str, Any], server: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a result with the members that every result of the revision carries.

    `server` is the Implementation that answers. A result that has a `resultType` keeps it.
    """
    if revision is None or revision not in MODERN:
        return result
    meta = {**result.get("_meta", {}), SERVER_INFO: _trimmed(server, "server", revision)}
    return {"resultType": "complete", **result, "_meta": meta}


def trim_tool(tool: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a Tool without the fields that the revision lacks.

    `revision` is None where the client did not name one. Then nothing is dropped: all schemas admit further fields, and
    many clients that do use the newer ones leave the header out.
    """
    return dict(tool) if revision is None else _trimmed(tool, "tool", revision)


def trim_result(result: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a CallToolResult without the fields that the revision lacks; a block of an unknown type becomes text.

    `revision` is None where the client did not name one: its fields stay, as in `trim_tool`, but no client survives a
    content type that it does not know, so those are held to the assumed revision.
    """
    trimmed = _trimmed(result, "result", revision or NEWEST_HANDSHAKE)
    trimmed["content"] = [_trimmed_block(block, revision) for block in result["content"]]
    return trimmed


def _trimmed_block(block: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    kind = block.get("type")
    if not has(revision or ASSUMED, f"content.{kind}"):
        description = (str(block[key]) for key in ("name", "mimeType", "uri") if key in block)
        return {"type": "text", "text": " ".join([f"[{kind}]", *description])}
    if revision is None:
        return dict(block)
    trimmed = _trimmed(block, "block", revision)
    for field, owner in (("annotations", "hint"), ("resource", "contents")):
        if field in trimmed:
            trimmed[field] = _trimmed(trimmed[field], owner, revision)
    return trimmed


def _trimmed(value: Mapping[str, Any], owner: str, revision: str) -> dict[str, Any]:
    names = _names(owner, revision)
    return {key: item for key, item in value.items() if key in names}


@cache
def _names(owner: str, revision: str) -> frozenset[str]:
    """Return the names of the fields that an owner in the table, as `tool` or `server`, has in a revision."""
    features = (feature.partition(".") for feature in _SINCE if has(revision, feature))
    return frozenset(name for prefix, _, name in features if prefix == owner)
