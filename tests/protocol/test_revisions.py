"""The fields that each revision has, and the trimming of answers to them."""

import json

import pytest

from django_mcp.protocol.revisions import (
    HANDSHAKE,
    MODERN,
    NEWEST_HANDSHAKE,
    REVISIONS,
    SERVER_INFO,
    complete,
    has,
    negotiate,
    trim_initialize,
    trim_result,
    trim_tool,
)
from tests.protocol import schemas

TOOL = {
    "name": "api_call",
    "title": "Call",
    "description": "Calls.",
    "icons": [{"src": "https://x/i.png"}],
    "execution": {"taskSupport": "forbidden"},
    "annotations": {"title": "Call", "readOnlyHint": False, "destructiveHint": True},
    "inputSchema": {"type": "object", "properties": {}},
    "outputSchema": {"type": "object"},
    "_meta": {"x/y": 1},
    "invented": 1,
}
RESULT = {
    "content": [
        {"type": "text", "text": "{}", "annotations": {"priority": 1, "lastModified": "2025-01-12T15:00:58Z"}},
        {"type": "image", "data": "AA==", "mimeType": "image/png", "_meta": {}},
        {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "icons": []},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "x", "_meta": {}, "invented": 1}},
        {"type": "hologram", "data": "AA=="},
    ],
    "structuredContent": {"status": "success"},
    "isError": False,
}
INITIALIZE = {
    "capabilities": {"tools": {}, "tasks": {}, "completions": {}},
    "serverInfo": {
        "name": "n",
        "version": "1",
        "title": "t",
        "description": "d",
        "websiteUrl": "https://x/",
        "icons": [{"src": "https://x/i.png"}],
    },
    "instructions": "Do.",
}


def trimmed(revision):
    sent = {
        "Tool": trim_tool(TOOL, revision),
        "CallToolResult": complete(trim_result(RESULT, revision), INITIALIZE["serverInfo"], revision),
    }
    if revision in HANDSHAKE:
        sent["InitializeResult"] = trim_initialize({**INITIALIZE, "protocolVersion": revision}, revision)
    return sent


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_spoken_revision_is_echoed(revision):
    assert negotiate(revision) == revision


@pytest.mark.parametrize("requested", ["2099-01-01", "", "1", "2025-11-25 ", "draft"])
def test_any_other_revision_is_answered_with_the_newest(requested):
    assert negotiate(requested) == NEWEST_HANDSHAKE == "2025-11-25"


def test_a_revision_without_a_handshake_is_not_negotiated():
    assert negotiate(MODERN[0]) == NEWEST_HANDSHAKE


def test_revisions_sort_by_their_date():
    assert list(REVISIONS) == sorted(REVISIONS)


@pytest.mark.parametrize(
    ("feature", "since"),
    [
        ("tool.name", "2024-11-05"),
        ("tool.annotations", "2025-03-26"),
        ("content.audio", "2025-03-26"),
        ("tool.title", "2025-06-18"),
        ("tool.outputSchema", "2025-06-18"),
        ("result.structuredContent", "2025-06-18"),
        ("content.resource_link", "2025-06-18"),
        ("server.title", "2025-06-18"),
        ("tool.icons", "2025-11-25"),
        ("server.description", "2025-11-25"),
        ("contents._meta", "2025-06-18"),
        ("result.resultType", "2026-07-28"),
    ],
)
def test_a_feature_is_there_from_its_revision_on(feature, since):
    assert [revision for revision in REVISIONS if has(revision, feature)] == [
        revision for revision in REVISIONS if revision >= since
    ]


@pytest.mark.parametrize("feature", ["tool.execution", "capability.tasks"])
def test_a_feature_is_gone_where_a_revision_dropped_it(feature):
    assert [revision for revision in REVISIONS if has(revision, feature)] == ["2025-11-25"]


def test_a_tool_is_sent_without_a_field_that_the_newest_revision_dropped():
    assert set(TOOL) - set(trimmed("2026-07-28")["Tool"]) == {"execution", "invented"}


def test_no_revision_has_what_the_table_does_not_name():
    assert not any(has(revision, "tool.invented") for revision in REVISIONS)


def test_the_newest_handshake_keeps_all_but_inventions():
    sent = trimmed("2025-11-25")
    assert sent["Tool"] == {key: item for key, item in TOOL.items() if key != "invented"}
    assert sent["CallToolResult"]["structuredContent"] == RESULT["structuredContent"]
    assert sent["CallToolResult"]["content"][:4] == RESULT["content"][:4]
    assert sent["CallToolResult"]["content"][4]["resource"] == {"uri": "file:///a", "text": "x", "_meta": {}}
    assert sent["InitializeResult"]["serverInfo"] == INITIALIZE["serverInfo"]


def test_the_oldest_gets_the_bare_minimum():
    sent = trimmed("2024-11-05")
    assert set(sent["Tool"]) == {"name", "description", "inputSchema"}
    assert set(sent["CallToolResult"]) == {"content", "isError"}
    assert sent["InitializeResult"]["serverInfo"] == {"name": "n", "version": "1"}
    assert sent["InitializeResult"]["capabilities"] == {"tools": {}}
    assert sent["InitializeResult"]["instructions"] == "Do."


def test_an_unknown_content_type_becomes_text_that_names_it():
    blocks = trimmed("2025-03-26")["CallToolResult"]["content"]
    assert [block["type"] for block in blocks] == ["text", "image", "audio", "text", "resource", "text"]
    assert blocks[3]["text"] == "[resource_link] a file:///a"
    assert blocks[5]["text"] == "[hologram]"


def test_without_a_named_revision_fields_stay_and_content_types_are_held_to_the_assumed_one():
    assert trim_tool(TOOL, None) == TOOL
    sent = trim_result(RESULT, None)
    assert sent["structuredContent"] == RESULT["structuredContent"]
    assert [block["type"] for block in sent["content"]] == ["text", "image", "audio", "text", "resource", "text"]


def test_trimming_leaves_its_input_alone():
    before = json.dumps([TOOL, RESULT, INITIALIZE])
    trimmed("2024-11-05")
    assert json.dumps([TOOL, RESULT, INITIALIZE]) == before


@pytest.mark.parametrize("revision", [None, *HANDSHAKE])
def test_results_of_the_handshake_revisions_have_neither_type_nor_server(revision):
    assert complete({"a": 1}, INITIALIZE["serverInfo"], revision) == {"a": 1}
    assert "resultType" not in trim_result({**RESULT, "resultType": "complete"}, revision)


def test_modern_results_have_their_type_and_the_server():
    result = complete({"tools": [], "_meta": {"x/y": 1}}, INITIALIZE["serverInfo"], "2026-07-28")
    assert result == {
        "resultType": "complete",
        "tools": [],
        "_meta": {"x/y": 1, SERVER_INFO: INITIALIZE["serverInfo"]},
    }


def test_a_result_of_another_type_stays_one():
    assert complete({"resultType": "input_required"}, {}, "2026-07-28")["resultType"] == "input_required"


@pytest.mark.service("schemas")
@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_sent_is_what_the_official_schema_has(revision):
    types = schemas.definitions(revision)
    for name, sent in trimmed(revision).items():
        schemas.validate(sent, revision, name)
        assert set(sent) <= set(types[name]["properties"])
    blocks = trimmed(revision)["CallToolResult"]["content"]
    names = {"text": "Text", "image": "Image", "audio": "Audio"}
    kinds = {**{kind: f"{name}Content" for kind, name in names.items()}, "resource": "EmbeddedResource"}
    for block in blocks:
        assert set(block) <= set(types[kinds.get(block["type"], "ResourceLink")]["properties"])
        assert set(block.get("resource", {})) <= set(types["TextResourceContents"]["properties"])


@pytest.mark.service("schemas")
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_the_handshake_says_what_the_official_schema_has(revision):
    types = schemas.definitions(revision)
    sent = trimmed(revision)["InitializeResult"]
    assert set(sent["serverInfo"]) <= set(types["Implementation"]["properties"])
    assert set(sent["capabilities"]) <= set(types["ServerCapabilities"]["properties"])


@pytest.mark.service("schemas")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("tool", "Tool"),
        ("result", "CallToolResult"),
        ("server", "Implementation"),
        ("capability", "ServerCapabilities"),
        ("initialize", "InitializeResult"),
    ],
)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_table_has_every_field_of_the_official_schema(revision, kind, name):
    types = schemas.definitions(revision)
    fields = types.get(name, {}).get("properties", {}) if not (revision in MODERN and kind == "initialize") else {}
    assert [field for field in fields if not has(revision, f"{kind}.{field}")] == []
