"""A stored file, the link to it for a key, and storages of several kinds."""

import io

import pytest
from django.test import RequestFactory

from django_mcp.access import keys
from django_mcp.host.requests import Context
from django_mcp.tools.links import link, store
from django_mcp.transport import authentication
from tests.transport.files import storages


@pytest.fixture(autouse=True)
def storage(settings, tmp_path):
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path)}},
        "odd": {"BACKEND": "tests.transport.files.storages.Odd"},
    }
    storages.opened.clear()


@pytest.fixture
def key(exposed, person):
    return keys.issue(name="files", user=person, all_groups=True)


@pytest.fixture
def bearer(key):
    return {"Authorization": f"Bearer {key[1]}"}


@pytest.fixture
def path_of(key):
    """Return a function that links a stored file for the key and returns the link's path."""
    request = RequestFactory().get("/", headers={"Authorization": f"Bearer {key[1]}"})
    caller = authentication.authenticate(request, client="")

    def path_of(stored):
        block = link(stored, Context(outer=RequestFactory().post("/mcp"), caller=caller))
        return block["uri"].removeprefix("http://testserver")

    return path_of


@pytest.fixture
def path(path_of):
    return path_of(store(io.BytesIO(storages.CONTENT), filename="Žluť.wav", media_type="audio/wav"))


@pytest.fixture
def get(http, bearer, path):
    """Return a function that fetches the file with the key and further headers."""
    responses = []

    def get(where=path, **headers):
        hyphenated = {name.replace("_", "-"): value for name, value in headers.items()}
        responses.append(http.get(where, headers={**bearer, **hyphenated}))
        return responses[-1]

    yield get
    for response in responses:
        response.close()
