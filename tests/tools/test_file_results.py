"""Operations that answer files, from the call to the bytes."""

import base64
import gc

import pytest
from django.core.files.storage import storages
from django.test import Client

from django_mcp.access import keys
from django_mcp.catalog.discovery import get_catalog
from django_mcp.choices import Safety
from django_mcp.models import AuditEvent, Confirmation, ToolGroup
from tests.conftest import Mcp
from tests.execution import file_urls
from tests.host.models import Item

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(settings, django_user_model):
    settings.ROOT_URLCONF = "tests.execution.file_urls"
    settings.STORAGES = {"default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    settings.DJANGO_MCP = {"MAX_INLINE_RESOURCE_BYTES": 100, "MAX_STORED_RESOURCE_BYTES": 5000}
    assert {"GetFile", "MakeFile"} <= {operation.name for operation in get_catalog().operations}
    ToolGroup.objects.create(name="files", exposed=True)
    user = django_user_model.objects.create_user("fay")
    return Mcp(keys.issue(name="t", user=user, all_groups=True, highest_safety=Safety.DESTRUCTIVE)[1])


@pytest.fixture
def call(client):
    """Return a function that calls an operation and returns the structured result and the content beside its text."""

    def call(name, kind, **more):
        arguments = {"name": name, "args": {"kind": kind}, **more}
        result = client.rpc("tools/call", {"name": "api_call", "arguments": arguments})["result"]
        assert result["content"][0] == {"type": "text", "text": result["content"][0]["text"]}
        return result["structuredContent"], result["content"][1:]

    return call


def fetched(client, block):
    response = Client().get(block["uri"], headers={"Authorization": f"Bearer {client.secret}"})
    content = b"".join(response.streaming_content)
    response.close()
    return content


def test_a_small_picture_comes_inline_beside_its_description(call):
    structured, blocks = call("GetFile", "picture")
    assert blocks == [{"type": "image", "data": base64.b64encode(file_urls.PNG).decode(), "mimeType": "image/png"}]
    assert structured["response"] == {"contentType": "image/png", "size": 14, "filename": None}


def test_small_sound_comes_inline(call):
    _, (block,) = call("GetFile", "sound")
    assert (block["type"], base64.b64decode(block["data"])) == ("audio", b"RIFF" * 10)


def test_big_sound_comes_as_a_link_that_its_key_can_fetch(call, client):
    structured, (block,) = call("GetFile", "long_sound")
    assert block == {
        "type": "resource_link",
        "uri": structured["response"]["uri"],
        "name": "rain.wav",
        "mimeType": "audio/wav",
        "size": 4000,
    }
    assert fetched(client, block) == b"RIFF" * 1000


def test_other_bytes_come_as_a_link_whatever_their_size(call, client):
    structured, (block,) = call("GetFile", "pdf")
    assert (block["name"], structured["response"]["contentType"]) == ("bill.pdf", "application/pdf")
    assert fetched(client, block) == b"%PDF-1.7\xff"


def test_a_file_that_was_cut_off_says_so(call, client):
    structured, (block,) = call("GetFile", "endless")
    assert structured["warnings"] == ["The file was cut off after 5000 bytes; the rest is missing."]
    assert len(fetched(client, block)) == block["size"] == 5000


def test_json_stays_the_only_content(call):
    assert call("GetFile", "plain")[1] == []


def test_a_write_that_answers_a_file_is_recorded_without_it(call):
    token = call("MakeFile", "pdf")[0]["confirmationToken"]
    structured, (block,) = call("MakeFile", "pdf", confirmationToken=token)
    assert (structured["status"], block["type"]) == ("success", "resource_link")
    described = {"contentType": "application/pdf", "size": 9, "filename": "../../bill.pdf"}
    assert Confirmation.objects.get().outcome["response"] == described
    assert "mcp_file_" not in str(list(AuditEvent.objects.values()))
    replay = call("MakeFile", "pdf", confirmationToken=token)
    assert (replay[0]["outcome"]["response"], replay[1]) == (described, [])
    assert Item.objects.count() == 1


def test_a_write_stands_where_its_file_cannot_be_stored(call, settings):
    token = call("MakeFile", "pdf")[0]["confirmationToken"]
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "RESOURCE_STORAGE": "nowhere"}
    structured, blocks = call("MakeFile", "pdf", confirmationToken=token)
    assert (structured["status"], blocks, Item.objects.count()) == ("success", [], 1)
    assert structured["warnings"][0].startswith("The file could not be stored")
    assert Confirmation.objects.get().state == "succeeded"


def test_a_proposal_reads_and_stores_no_file(call):
    file_urls.closed.clear()
    call("MakeFile", "long_sound")
    assert file_urls.closed == []
    assert not storages["default"].exists("mcp")


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_nothing_is_left_open(call):
    for kind in ("sound", "long_sound", "export", "broken", "too_big", "endless"):
        call("GetFile", kind)
    gc.collect()
