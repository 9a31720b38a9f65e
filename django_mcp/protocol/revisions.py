"""The revisions of MCP that are spoken here, and what each one has.

The table is taken from the JSON Schemas of the revisions. A name that is not in it is sent in no revision.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

# Revisions with the `initialize` handshake, oldest first; their names sort by date.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# Revisions whose every request says its own version and capabilities, so that there is no handshake.
MODERN = ("2026-07-28",)
REVISIONS = (*HANDSHAKE, *MODERN)
# As clients are told them: the best first.
OFFERED = REVISIONS[::-1]
NEWEST_HANDSHAKE = HANDSHAKE[-1]
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
# What a request without the MCP-Protocol-Version header is taken for (MCP 2025-06-18, transports).
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

# What a revision dropped again: the last that has it.
_UNTIL: Mapping[str, str] = dict.fromkeys(("tool.execution", "capability.tasks"), "2025-11-25")


def negotiate(asked: str) -> str:
    """Return the revision to speak with a client that asked for one: that one, else the newest with a handshake."""
    return asked if asked in HANDSHAKE else NEWEST_HANDSHAKE


def is_modern(revision: str | None) -> bool:
    """Tell whether a spoken revision is one of those without a handshake. None, a request that names none, is not."""
    return revision in MODERN


def has(revision: str, feature: str) -> bool:
    """Tell whether a revision has a feature, named as `tool.title`, `content.audio`, `server.icons`."""
    since = _SINCE.get(feature)
    return since is not None and since <= revision <= _UNTIL.get(feature, revision)


def trim_initialize(result: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """Return an InitializeResult without what the negotiated revision lacks."""
    kept = _kept(result, "initialize", revision)
    kept["capabilities"] = _kept(result["capabilities"], "capability", revision)
    kept["serverInfo"] = _kept(result["serverInfo"], "server", revision)
    return kept


def complete(result: dict[str, Any], server: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a result with what every result of the revision carries. `server` is the Implementation that answers.

    What says that it is of another `resultType` stays that.
    """
    if revision is None or not is_modern(revision):
        return result
    meta = {**result.get("_meta", {}), SERVER_INFO: _kept(server, "server", revision)}
    return {"resultType": "complete", **result, "_meta": meta}


def trim_tool(tool: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a Tool without the fields that the revision lacks.

    `revision` is None where the client did not say. Then nothing is dropped: all schemas admit further fields, and
    many clients that do use the newer ones leave the header out.
    """
    return dict(tool) if revision is None else _kept(tool, "tool", revision)


def trim_result(result: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    """Return a CallToolResult without what the revision lacks; a content block of an unknown type becomes text.

    `revision` is None where the client did not say: its fields stay, as in `trim_tool`, but no client survives a
    content type that it does not know, so those are held to the assumed revision.
    """
    kept = _kept(result, "result", revision or NEWEST_HANDSHAKE)
    kept["content"] = [_block(block, revision) for block in result["content"]]
    return kept


def _block(block: Mapping[str, Any], revision: str | None) -> dict[str, Any]:
    if not has(revision or ASSUMED, f"content.{block.get('type')}"):
        return {"type": "text", "text": _described(block)}
    if revision is None:
        return dict(block)
    kept = _kept(block, "block", revision)
    for field, kind in (("annotations", "hint"), ("resource", "contents")):
        if field in kept:
            kept[field] = _kept(kept[field], kind, revision)
    return kept


def _described(block: Mapping[str, Any]) -> str:
    known: Iterable[str] = (str(block[key]) for key in ("name", "mimeType", "uri") if key in block)
    return " ".join([f"[{block.get('type')}]", *known])


def _kept(value: Mapping[str, Any], kind: str, revision: str) -> dict[str, Any]:
    names = _names(kind, revision)
    return {key: item for key, item in value.items() if key in names}


@cache
def _names(kind: str, revision: str) -> frozenset[str]:
    features = (feature.partition(".") for feature in _SINCE if has(revision, feature))
    return frozenset(name for owner, _, name in features if owner == kind)
