import io
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, Storage, storages
from django.core.management import call_command
from django.utils import timezone

from django_mcp.management.pruning import remove_files
from django_mcp.tools.links import store


class Unlisted(Storage):
    pass


class Undated(InMemoryStorage):
    def get_modified_time(self, name):
        raise NotImplementedError


@pytest.fixture
def storage(settings):
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
        "unlisted": {"BACKEND": "tests.management.test_stored_files.Unlisted"},
        "undated": {"BACKEND": "tests.management.test_stored_files.Undated"},
    }
    settings.DJANGO_MCP = {"RESOURCE_LINK_EXPIRY": 60}
    return storages["default"]


def stored():
    return store(io.BytesIO(b"x"), filename="x", media_type="text/plain").name


@pytest.mark.parametrize("aware", [True, False])
def test_files_go_when_no_link_leads_to_them(storage, settings, aware):
    settings.USE_TZ = aware
    name = stored()
    assert remove_files(timezone.now()) == 0
    assert storage.exists(name)
    assert remove_files(timezone.now() + timedelta(seconds=61)) == 1
    assert not storage.exists(name)


def test_what_others_keep_in_the_folder_stays(storage):
    names = [storage.save(name, ContentFile(b"x")) for name in ("mcp/report.pdf", "mcp/deep/" + "a" * 32, "a" * 32)]
    stored()
    assert remove_files(timezone.now() + timedelta(days=1)) == 1
    assert all(storage.exists(name) for name in names)


def test_without_a_folder_there_is_nothing_to_remove(storage):
    assert remove_files(timezone.now()) == 0


@pytest.mark.parametrize("alias", ["unlisted", "undated"])
def test_a_storage_that_cannot_tell_keeps_its_files(storage, settings, alias):
    settings.DJANGO_MCP = {"RESOURCE_STORAGE": alias, "RESOURCE_LINK_EXPIRY": 60}
    if alias == "undated":
        stored()
    assert remove_files(timezone.now() + timedelta(days=1)) == 0


@pytest.mark.django_db
def test_prune_says_how_many(storage, settings):
    settings.DJANGO_MCP = {"RESOURCE_LINK_EXPIRY": 0}
    stored()
    out = io.StringIO()
    call_command("mcp", "prune", "--older-than", "90d", stdout=out)
    assert out.getvalue().rstrip().endswith("1 files.")
