import io
import time

import jwt
import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.test import RequestFactory
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from django_mcp.approval import signing
from django_mcp.errors import NotFound
from django_mcp.host.requests import Context
from django_mcp.redaction import MASK, redact
from django_mcp.tools import links
from django_mcp.tools.links import StoredFile, link, linked, store
from django_mcp.types import Caller

SAM = Caller(subject="key:1", user=None)


class Mute(Storage):
    """A storage that can do the least that Django allows."""

    def _open(self, name, mode="rb"):
        return ContentFile(b"mute")

    def exists(self, name):
        return False

    def _save(self, name, content):
        return name


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    media = tmp_path / "media"
    media.mkdir()
    (tmp_path / "secret.txt").write_text("outside")
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(media)}},
        "memory": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
        "mute": {"BACKEND": "tests.tools.test_links.Mute"},
    }
    return media


def context_of(path="/mcp", caller=SAM, **extra):
    outer = RequestFactory().post(path, **extra)
    outer.resolver_match = resolve(path)
    return Context(outer=outer, caller=caller)


def token_of(block):
    return block["uri"].rpartition("/")[2]


@pytest.fixture
def stored():
    return store(io.BytesIO(b"RIFF"), filename="rain.wav", media_type="audio/wav")


def test_a_link_says_what_is_behind_it(stored):
    block = link(stored, context_of())
    assert block.pop("uri").startswith("http://testserver/mcp/files/mcp_file_")
    assert block == {"type": "resource_link", "name": "rain.wav", "mimeType": "audio/wav", "size": 4}


def test_a_link_gives_its_caller_the_file(stored):
    found = linked(token_of(link(stored, context_of())), SAM)
    assert found == stored
    with found.open() as file:
        assert file.read() == b"RIFF"


def test_a_link_gives_nobody_else_the_file(stored):
    token = token_of(link(stored, context_of()))
    for subject in ("key:2", "user:1", "anonymous", ""):
        with pytest.raises(NotFound):
            linked(token, Caller(subject=subject, user=None))


def test_a_link_expires(stored, monkeypatch, settings):
    settings.DJANGO_MCP = {"RESOURCE_LINK_EXPIRY": 60}
    now = time.time()
    monkeypatch.setattr(links.time, "time", lambda: now - 59)
    assert linked(token_of(link(stored, context_of())), SAM)
    monkeypatch.setattr(links.time, "time", lambda: now - 61)
    late = token_of(link(stored, context_of()))
    with pytest.raises(NotFound):
        linked(late, SAM)


def test_a_link_to_a_file_that_is_gone_is_not_found(stored):
    token = token_of(link(stored, context_of()))
    storages["default"].delete(stored.name)
    with pytest.raises(NotFound):
        linked(token, SAM)


def test_a_link_into_a_storage_that_is_gone_is_not_found(settings, stored):
    token = token_of(link(stored, context_of()))
    settings.STORAGES = {"default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    with pytest.raises(NotFound):
        linked(token, SAM)
    settings.STORAGES = {"other": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    with pytest.raises(NotFound):
        linked(token, SAM)


def claims(**changes):
    said = {"storage": "default", "name": "a.txt", "media_type": "text/plain", "filename": "a.txt", "sub": "key:1"}
    return {**said, "exp": int(time.time()) + 60, **changes}


def forged(said, key=None, typ="MCP+FILE", algorithm="HS256"):
    key = signing.keys_for(signing.Purpose.FILE_LINK)[0] if key is None else key
    return links.PREFIX + jwt.encode(said, key, algorithm=algorithm, headers={"typ": typ})


def test_what_the_signature_does_not_cover_in_full_is_refused(folder):
    (folder / "a.txt").write_text("a")
    assert linked(forged(claims()), SAM)
    lasting = claims()
    del lasting["exp"]
    for token in (
        forged(claims(), key=b"k" * 32),
        forged(claims(), key=signing.keys_for(signing.Purpose.CONFIRMATION)[0]),
        forged(claims(), typ="MCP+CONFIRM"),
        forged(claims(), typ=None),
        forged(claims(), key="", algorithm="none"),
        forged(lasting),
        forged(claims()).removeprefix(links.PREFIX),
    ):
        with pytest.raises(NotFound):
            linked(token, SAM)


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "mcp/../../secret.txt", "..", "missing", "a.txt/b"])
def test_even_a_signed_name_leads_nowhere_outside_the_storage(folder, name):
    (folder / "a.txt").write_text("a")
    with pytest.raises(NotFound):
        linked(forged(claims(name=name)), SAM)


def test_a_file_outside_the_storage_cannot_be_linked():
    with pytest.raises(SuspiciousFileOperation):
        StoredFile.of("../secret.txt")


@given(st.text())
def test_no_guess_is_a_link(guess):
    with pytest.raises(NotFound):
        linked(guess, SAM)
    with pytest.raises(NotFound):
        linked(links.PREFIX + guess, SAM)


def test_changing_any_part_of_a_token_breaks_it(stored):
    token = token_of(link(stored, context_of()))
    parts = token.split(".")
    for index in range(3):
        part = parts[index]
        middle = len(part) // 2
        other = "A" if part[middle] != "A" else "B"
        changed = [*parts[:index], part[:middle] + other + part[middle + 1 :], *parts[index + 1 :]]
        with pytest.raises(NotFound):
            linked(".".join(changed), SAM)


def test_a_rotated_secret_still_opens_links(stored, settings):
    token = token_of(link(stored, context_of()))
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another" * 10
    assert linked(token, SAM) == stored


def test_stored_names_cannot_be_guessed_nor_taken_for_a_page():
    names = {store(io.BytesIO(b"x"), filename="a.html", media_type="text/html").name for _ in range(3)}
    assert len(names) == 3
    assert all(links.STORED_NAME.fullmatch(name.removeprefix("mcp/")) for name in names)


def test_a_file_without_a_name_gets_one():
    assert store(io.BytesIO(b"x"), filename="", media_type="application/pdf").filename == "file.pdf"
    assert store(io.BytesIO(b"x"), filename="", media_type="x/unheard-of").filename == "file"


@pytest.mark.parametrize(
    ("given_name", "safe"),
    [("../../bill.pdf", "bill.pdf"), ("C:\\tmp\\bill.pdf", "bill.pdf"), ("a\r\nX: y.pdf", "a X: y.pdf"), ("", "n.txt")],
)
def test_a_filename_is_one_part_and_one_line(folder, given_name, safe):
    (folder / "n.txt").write_text("n")
    assert StoredFile.of("n.txt", filename=given_name).filename == safe


@pytest.mark.parametrize("media_type", ["text/html\r\nX-Evil: 1", "nonsense", "text/é", "a/b;\n"])
def test_a_media_type_that_is_no_header_is_unknown(folder, media_type):
    (folder / "n.txt").write_text("n")
    assert StoredFile.of("n.txt", media_type=media_type).media_type == "application/octet-stream"


def test_a_media_type_is_guessed_from_the_filename(folder):
    (folder / "n").write_text("n")
    assert StoredFile.of("n", filename="a.png").media_type == "image/png"
    assert StoredFile.of("n", media_type="text/csv; charset=utf-8").media_type == "text/csv; charset=utf-8"


def test_a_storage_that_cannot_tell_sizes_still_has_links():
    block = link(StoredFile.of("x.bin", storage="mute"), context_of())
    assert "size" not in block
    assert linked(token_of(block), SAM).size is None


def test_a_link_is_absolute_behind_a_proxy(stored, settings):
    settings.USE_X_FORWARDED_HOST = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["shop.example.com"]
    context = context_of(HTTP_X_FORWARDED_HOST="shop.example.com", HTTP_X_FORWARDED_PROTO="https")
    assert link(stored, context)["uri"].startswith("https://shop.example.com/mcp/files/mcp_file_")


@pytest.mark.parametrize(
    ("endpoint", "files"),
    [
        ("/mcp", "/mcp/files/"),
        ("/mcp/", "/mcp/files/"),
        ("/en-us/agents/mcp", "/en-us/agents/mcp/files/"),
        ("/tenants/7/mcp", "/tenants/7/mcp/files/"),
        ("/in/3/mcp/", "/in/3/mcp/files/"),
        ("/outer/deep/mcp", "/outer/deep/mcp/files/"),
        ("/elsewhere", "/mcp/files/"),
    ],
)
def test_a_link_is_beside_the_endpoint_that_was_called(stored, settings, endpoint, files):
    settings.ROOT_URLCONF = "tests.tools.link_urls"
    block = link(stored, context_of(endpoint))
    path = block["uri"].removeprefix("http://testserver")
    assert path.startswith(files + "mcp_file_")
    assert resolve(path).kwargs["token"] == token_of(block)


def test_a_link_is_masked_in_what_is_recorded(stored):
    block = link(stored, context_of())
    assert redact(block)["uri"] == f"http://testserver/mcp/files/{MASK}"
    assert token_of(block) not in redact(f"see {block['uri']}!")
