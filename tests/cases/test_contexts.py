"""A confirmation holds in the context that it was proposed in. Also its URLconf, with two mounts."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import include, path
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.models import Confirmation
from django_mcp.testing import McpClient, exposing

seen = []


class Where(APIView):
    """Notes in which language, time zone and tenant it ran."""

    def post(self, request):
        seen.append(
            (translation.get_language(), timezone.get_current_timezone_name(), request.headers.get("Accept-Language"))
        )
        return Response({"language": translation.get_language()})


urlpatterns = [
    path("", include("django_mcp.urls")),
    path("t/<slug:team>/", include("django_mcp.urls", namespace="teams")),
    path("where/", Where.as_view(), name="where"),
]


def attributes(get_response):
    """Put on the request what middleware of hosts puts there, from headers."""

    def middleware(request):
        if name := request.headers.get("X-Tenant"):
            request.tenant = name
        if name := request.headers.get("X-Workspace"):
            request.workspace = name
        if name := request.headers.get("X-Row"):
            request.account = Group.objects.get_or_create(name=name)[0]
        if name := request.headers.get("X-Lazy"):
            request.organization = SimpleLazyObject(lambda name=name: Group.objects.get_or_create(name=name)[0])
        if name := request.headers.get("X-Broken"):
            request.site = SimpleLazyObject(lambda: 1 / 0)
        request.request_id = object()
        if zone := request.headers.get("X-Zone"):
            with timezone.override(zone):
                return get_response(request)
        return get_response(request)

    return middleware


@pytest.fixture
def mcp(db, settings):
    seen.clear()
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = [
        "django.middleware.locale.LocaleMiddleware", f"{__name__}.attributes", *settings.MIDDLEWARE,
    ]  # fmt: skip
    settings.ALLOWED_HOSTS = ["*"]
    settings.USE_I18N = True
    with exposing("tests"):
        yield McpClient(user=User.objects.create_superuser("boss"))


CHANGED = [
    ({"X-Tenant": "a"}, {"X-Tenant": "b"}, ["attribute tenant"]),
    ({}, {"X-Tenant": "b"}, ["attribute tenant"]),
    ({"X-Row": "a"}, {"X-Row": "b"}, ["attribute account"]),
    ({"X-Lazy": "a"}, {"X-Lazy": "b"}, ["attribute organization"]),
    ({"X-Lazy": "a"}, {}, ["attribute organization"]),
    ({"Host": "acme.example"}, {"Host": "globex.example"}, ["host"]),
]


@pytest.mark.parametrize(("proposed", "confirmed", "names"), CHANGED)
def test_a_confirmation_in_another_context_is_refused_and_the_token_stays_good(mcp, proposed, confirmed, names):
    mcp.headers.update(proposed)
    proposal = mcp.call("where")
    for name in proposed:
        del mcp.headers[name]
    mcp.headers.update(confirmed)
    answer = proposal.confirm()
    assert (answer.code, answer.data["changed"]) == ("context_changed", names)
    assert seen == []
    for name in confirmed:
        del mcp.headers[name]
    mcp.headers.update(proposed)
    assert proposal.confirm().status == "success"


SAME = [
    ({"X-Workspace": "a"}, {"X-Workspace": "b"}),
    ({"X-Broken": "1"}, {"X-Broken": "2"}),
    ({"X-Lazy": "a"}, {"X-Lazy": "a"}),
]


@pytest.mark.parametrize(("proposed", "confirmed"), SAME)
def test_what_differs_at_each_request_or_cannot_be_known_is_not_compared(mcp, proposed, confirmed):
    mcp.headers.update(proposed)
    proposal = mcp.call("where")
    mcp.headers.update(confirmed)
    assert proposal.confirm().status == "success"


def test_a_named_attribute_is_compared_and_an_ignored_row_is_not(mcp, settings):
    settings.DJANGO_MCP = {"CONTEXT_ATTRIBUTES": ["workspace"], "CONTEXT_IGNORED": ["account"]}
    mcp.headers.update({"X-Workspace": "a", "X-Row": "a"})
    proposal = mcp.call("where")
    mcp.headers["X-Row"] = "b"
    mcp.headers["X-Workspace"] = "b"
    assert proposal.confirm().data["changed"] == ["attribute workspace"]


def test_another_mount_is_another_context(mcp):
    proposal = mcp.call("where")
    mcp.url = "/t/blue/mcp"
    answer = proposal.confirm()
    assert (answer.code, answer.data["changed"]) == ("context_changed", ["mount", "URL argument team"])


def test_the_last_slash_of_the_mount_is_no_difference(mcp):
    proposal = mcp.call("where")
    mcp.url = "/mcp/"
    assert proposal.confirm().status == "success"


def test_a_forwarded_header_is_part_of_the_context_and_kept_only_as_a_digest(mcp, settings):
    settings.DJANGO_MCP = {"FORWARD_HEADERS": ["X-Department"]}
    mcp.headers["X-Department"] = "hunter2"
    proposal = mcp.call("where")
    assert "hunter2" not in str(Confirmation.objects.values().get())
    mcp.headers["X-Department"] = "other"
    assert proposal.confirm().data["changed"] == ["header x-department"]
    mcp.headers["X-Department"] = "hunter2"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "y" * 50, [settings.SECRET_KEY]
    assert proposal.confirm().status == "success"


def test_a_confirmed_call_runs_in_the_language_and_time_zone_of_its_proposal(mcp):
    mcp.headers.update({"Accept-Language": "de", "X-Zone": "Asia/Tokyo"})
    proposal = mcp.call("where")
    mcp.headers.update({"Accept-Language": "fr", "X-Zone": "Europe/Paris"})
    assert proposal.confirm().response == {"language": "de"}
    assert seen == [("de", "Asia/Tokyo", "de")]


def test_a_host_name_that_looks_like_a_key_is_compared_as_it_is(mcp):
    mcp.headers["Host"] = "ak-aaaaaaaaaaaaaaaa.example"
    proposal = mcp.call("where")
    assert proposal.confirm().status == "success"
