import base64
import datetime
import io
from decimal import Decimal

import pytest
from django.test import RequestFactory
from rest_framework import serializers
from rest_framework.response import Response

from django_mcp.host.requests import Context
from django_mcp.protocol.json import compact
from django_mcp.replies import Attachment
from django_mcp.tools.links import linked
from django_mcp.tools.media import Audio, EmbeddedResource, File, Image, ResourceLink, Text, attached, rendered
from django_mcp.types import Caller

SAM = Caller(subject="key:1", user=None)
PNG = b"\x89PNG\r\n"


@pytest.fixture(autouse=True)
def storage(settings):
    settings.STORAGES = {"default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}


@pytest.fixture
def context():
    return Context(outer=RequestFactory().post("/mcp"), caller=SAM)


@pytest.fixture
def small(settings):
    settings.DJANGO_MCP = {"MAX_INLINE_RESOURCE_BYTES": 10}


def read(block):
    with linked(block["uri"].rpartition("/")[2], SAM).open() as file:
        return file.read()


class Row(serializers.Serializer):
    price = serializers.DecimalField(max_digits=5, decimal_places=2)


@pytest.mark.parametrize(
    ("answer", "structured"),
    [
        ({"day": datetime.date(2024, 2, 29)}, {"day": "2024-02-29"}),
        ([1, 2], {"result": [1, 2]}),
        ((), {"result": []}),
        (None, {}),
        (5, {"result": 5}),
        (Row({"price": Decimal(1)}), {"price": "1.00"}),
        (Row([{"price": Decimal(1)}], many=True), {"result": [{"price": "1.00"}]}),
        (Response({"ok": True}), {"ok": True}),
        ({"nan": float("nan")}, {"nan": None}),
    ],
)
def test_plain_values_are_structured_and_text(context, answer, structured):
    content = rendered(answer, context)
    assert content.structured == content.data == structured
    assert content.blocks == ({"type": "text", "text": compact(structured)},)


def test_a_string_is_text_alone(context):
    content = rendered("Žluť", context)
    assert (content.structured, content.blocks) == (None, ({"type": "text", "text": "Žluť"},))


def test_hints_are_annotations(context):
    text = Text("hi", audience=["user"], priority=0.5)
    assert text.block(context)["annotations"] == {"audience": ["user"], "priority": 0.5}
    assert "annotations" not in Text("hi").block(context)
    assert Text("hi", priority=0).block(context)["annotations"] == {"priority": 0}


@pytest.mark.parametrize("hints", [{"audience": "user"}, {"audience": ["model"]}, {"priority": 1.1}, {"priority": -1}])
def test_hints_that_mcp_does_not_know_are_refused(hints):
    with pytest.raises(ValueError, match=r"audience|priority"):
        Text("hi", **hints)
    with pytest.raises(ValueError, match=r"audience|priority"):
        Image(PNG, "image/png", **hints)


@pytest.mark.parametrize("data", [PNG, bytearray(PNG), memoryview(PNG), io.BytesIO(PNG)])
def test_a_small_picture_is_inline(context, data):
    block = Image(data, "image/png").block(context)
    assert block == {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}


def test_small_sound_is_inline(context):
    assert Audio(b"RIFF", "audio/wav").block(context)["type"] == "audio"


def test_media_at_the_limit_are_inline_and_above_it_links(context, small):
    assert Image(b"x" * 10, "image/png").block(context)["type"] == "image"
    block = Image(b"x" * 11, "image/png", filename="a.png", audience=["user"]).block(context)
    assert (block["type"], block["size"], block["name"]) == ("resource_link", 11, "a.png")
    assert block["annotations"] == {"audience": ["user"]}
    assert read(block) == b"x" * 11


def test_big_sound_from_an_open_file_is_a_link_from_its_beginning(context, small):
    with io.BytesIO(b"y" * 20) as sound:
        sound.seek(7)
        assert read(Audio(sound, "audio/wav").block(context)) == b"y" * 20
        assert not sound.closed


@pytest.mark.parametrize(("kind", "media_type"), [(Image, "application/pdf"), (Audio, "image/png"), (Image, "")])
def test_media_of_another_kind_are_refused(kind, media_type):
    with pytest.raises(ValueError, match="media_type begins with"):
        kind(PNG, media_type)


def test_a_file_is_a_link_whatever_it_is(context):
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    name = default_storage.save("logo.png", ContentFile(PNG))
    block = File(name, filename="The Logo.png").block(context)
    assert (block["type"], block["name"], block["mimeType"]) == ("resource_link", "The Logo.png", "image/png")
    assert read(block) == PNG


def test_a_file_that_is_not_there_is_an_error(context):
    with pytest.raises(FileNotFoundError):
        File("missing.pdf").block(context)


def test_a_foreign_link_says_what_is_known(context):
    block = ResourceLink("https://example.com/x", "x", size=0, description="d").block(context)
    assert block == {
        "type": "resource_link",
        "uri": "https://example.com/x",
        "name": "x",
        "description": "d",
        "size": 0,
    }


def test_resources_are_embedded_as_text_or_bytes(context):
    text = EmbeddedResource("x://1", "hi", "text/plain").block(context)
    assert text == {"type": "resource", "resource": {"uri": "x://1", "mimeType": "text/plain", "text": "hi"}}
    assert EmbeddedResource("x://1", b"hi").block(context)["resource"] == {"uri": "x://1", "blob": "aGk="}


def test_several_pieces_keep_their_order(context):
    content = rendered([Text("one"), Image(PNG, "image/png"), "two", {"n": 1}], context)
    assert [block["type"] for block in content.blocks] == ["text", "image", "text", "text"]
    assert content.structured == content.data == {"n": 1}


def test_two_mappings_beside_content_are_refused(context):
    with pytest.raises(TypeError, match="at most one mapping"):
        rendered([Text("x"), {"a": 1}, {"b": 2}], context)


def test_content_inside_a_mapping_is_refused(context):
    with pytest.raises(TypeError):
        rendered({"picture": Image(PNG, "image/png")}, context)


def test_what_is_recorded_of_content_has_no_bytes(context):
    content = rendered([Image(PNG, "image/png"), EmbeddedResource("x://1", "long" * 100)], context)
    assert content.data == [{"type": "image", "mimeType": "image/png"}, {"type": "resource", "uri": "x://1"}]


def attachment(content, media_type):
    return Attachment(content=io.BytesIO(content), media_type=media_type, filename="f", size=len(content))


@pytest.mark.parametrize(
    ("size", "media_type", "kind"),
    [
        (10, "image/png", "image"),
        (10, "audio/wav", "audio"),
        (11, "image/png", "resource_link"),
        (3, "application/pdf", "resource_link"),
        (3, "video/mp4", "resource_link"),
    ],
)
def test_the_file_of_a_view_is_inline_where_it_is_small_and_mcp_has_it(context, small, size, media_type, kind):
    (block,), notes = attached(attachment(b"x" * size, media_type), context)
    assert (block["type"], block["mimeType"], notes) == (kind, media_type, ())


def test_no_file_is_no_content(context):
    assert attached(None, context) == ((), ())


def test_a_storage_that_fails_costs_only_the_file(context, settings, caplog):
    settings.DJANGO_MCP = {"RESOURCE_STORAGE": "nowhere"}
    blocks, (note,) = attached(attachment(b"x", "application/pdf"), context)
    assert blocks == ()
    assert note.split()[-1].rstrip(".") in caplog.text
