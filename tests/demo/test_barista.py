"""The demo's own tools: each kind of result once, from the endpoint to the bytes."""

import base64
import struct
import wave
import zlib
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from demo_project.coffee_shop.models import Order
from django_mcp.choices import Safety
from django_mcp.models import Confirmation
from django_mcp.testing import McpClient, exposing


@pytest.fixture
def sam_mcp(shop, settings, tmp_path):
    folder = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {"default": folder}
    with exposing("barista"):
        yield McpClient(user=User.objects.get(username="sam"), groups=["barista"])


@pytest.fixture
def order(shop):
    return Order.objects.create(user=User.objects.get(username="sam"), customer_name="Sam", total=Decimal(11))


def fetch(mcp, uri, **headers):
    return mcp.http.get(
        uri.removeprefix("http://testserver"), headers={"Authorization": f"Bearer {mcp.key}", **headers}
    )


def test_all_five_are_listed_with_their_safety(sam_mcp):
    tools = sam_mcp.tools()
    assert {name: tool["annotations"]["readOnlyHint"] for name, tool in tools.items()} == {
        "draw_latte_art": True,
        "order_statistics": True,
        "prepare_order": False,
        "recommend": True,
        "record_ambience": True,
    }
    assert list(tools) == sorted(tools)
    assert all(tool["description"] for tool in tools.values())


def test_a_recommendation_is_within_the_budget(sam_mcp):
    products = sam_mcp.tool("recommend", {"budget": "3.00", "category": "coffee"}).data["recommended"]
    assert [product["name"] for product in products] == ["Espresso"]


def test_a_recommendation_needs_a_budget(sam_mcp):
    assert set(sam_mcp.tool("recommend").data["errors"]) == {"budget"}


def test_preparing_an_order_is_confirmed_and_changes_it(sam_mcp, order):
    proposal = sam_mcp.tool("prepare_order", {"order_id": order.pk})
    assert proposal.data["summary"] == f"Prepare order {order.pk} for Sam: 11.00"
    order.refresh_from_db()
    assert order.status == "placed"
    assert proposal.confirm().data == {"order_id": order.pk, "status": "prepared"}
    order.refresh_from_db()
    assert order.status == "prepared"


def test_an_order_that_was_cancelled_meanwhile_is_not_prepared(sam_mcp, order):
    proposal = sam_mcp.tool("prepare_order", {"order_id": order.pk})
    Order.objects.filter(pk=order.pk).update(status="cancelled")
    assert "is cancelled" in proposal.confirm().error
    assert Confirmation.objects.get().state == "rejected"


def test_the_order_of_someone_else_is_not_found_and_not_named(sam_mcp):
    proposal = sam_mcp.tool("prepare_order", {"order_id": 1001})
    assert "Kim" not in proposal.text
    assert proposal.confirm().code == "not_found"


def test_a_key_for_reads_does_not_see_the_write(shop):
    with exposing("barista"):
        tools = McpClient(user=User.objects.get(username="sam"), highest_safety=Safety.READ_ONLY).tools()
    assert "prepare_order" not in tools
    assert "recommend" in tools


def pixels(png):
    """Return width, height and the raw rows of a PNG; the chunks' checksums are looked at."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    return width, height, zlib.decompress(data)


@pytest.mark.parametrize("pattern", ["heart", "moon", "rosetta"])
def test_latte_art_is_a_picture_made_on_the_spot(sam_mcp, pattern):
    text, image = sam_mcp.tool("draw_latte_art", {"pattern": pattern}).content
    assert text["text"] == f"A cup with a {pattern}."
    assert image["mimeType"] == "image/png"
    width, height, rows = pixels(base64.b64decode(image["data"]))
    assert (width, height, len(rows)) == (200, 200, 200 * (1 + 200 * 3))
    milk = rows.count(b"\xf6\xe9\xd2")
    assert 1_000 < milk < 20_000


def test_a_pattern_is_drawn_where_none_is_named(sam_mcp):
    assert sam_mcp.tool("draw_latte_art").content[0]["text"] == "A cup with a heart."


def test_the_recording_is_a_link_to_a_sound_of_40_megabytes(sam_mcp, tmp_path):
    (link,) = sam_mcp.tool("record_ambience").content
    assert (link["type"], link["mimeType"], link["size"]) == ("resource_link", "audio/wav", 40_000_044)
    part = fetch(sam_mcp, link["uri"], Range="bytes=0-43")
    assert (part.status_code, part["Content-Range"]) == (206, "bytes 0-43/40000044")
    assert b"".join(part.streaming_content)[:4] == b"RIFF"
    whole = fetch(sam_mcp, link["uri"])
    assert sum(len(chunk) for chunk in whole.streaming_content) == 40_000_044
    with wave.open(str(next(tmp_path.rglob("*.wav")))) as sound:
        assert (sound.getnchannels(), sound.getframerate(), sound.getnframes()) == (2, 44_100, 10_000_000)
    assert sam_mcp.tool("record_ambience").content[0]["size"] == link["size"]
    assert len(list(tmp_path.rglob("*.wav"))) == 1


def test_statistics_fit_their_output_schema(sam_mcp, order):
    schema = sam_mcp.tools()["order_statistics"]["outputSchema"]
    assert set(schema["required"]) == {"orders", "waiting", "spent", "first_order_at"}
    assert sam_mcp.tool("order_statistics").data["orders"] == 1
    Order.objects.all().delete()
    nothing = {"orders": 0, "waiting": 0, "spent": "0.00", "first_order_at": None}
    assert sam_mcp.tool("order_statistics").data == nothing
