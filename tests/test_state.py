"""What `mcp_operation(state=…)` says is compared before a write runs: this module is the URLconf of one such write."""

import pytest
from django.urls import include, path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from django_mcp.decorators import mcp_operation
from django_mcp.models import Confirmation
from django_mcp.testing import McpClient, exposing

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

revisions: dict[str, int] = {}
published: list[str] = []
asked: list[tuple[str, str]] = []


class Page(serializers.Serializer):
    page = serializers.CharField()


def revision(caller, arguments):
    """Stand for what lies in no row of a database, such as a document of another service."""
    asked.append((caller.user.get_username(), arguments["page"]))
    return {"revision": revisions[arguments["page"]]}


class Publish(APIView):
    """Publish a page."""

    @mcp_operation(name="PublishPage", group="pages", state=revision)
    @extend_schema(request=Page)
    def post(self, request):
        published.append(request.data["page"])
        return Response({"page": request.data["page"]})


urlpatterns = [path("publish/", Publish.as_view()), path("", include("django_mcp.urls"))]


@pytest.fixture
def client(django_user_model):
    revisions.update(home=1, about=1)
    published.clear()
    asked.clear()
    with exposing("pages"):
        yield McpClient(user=django_user_model.objects.create_user("sam"))


def test_a_write_runs_where_the_state_is_what_was_shown(client):
    assert client.call("PublishPage", {"page": "home"}).confirm().status == "success"
    assert published == ["home"]
    assert set(asked) == {("sam", "home")}


def test_a_write_whose_state_has_changed_does_not_run(client):
    proposal = client.call("PublishPage", {"page": "home"})
    revisions["home"] = 2
    assert proposal.confirm().code == "target_changed"
    assert published == []


def test_what_is_proposed_after_the_change_runs(client):
    proposal = client.call("PublishPage", {"page": "home"})
    revisions["home"] = 2
    proposal.confirm()
    assert client.call("PublishPage", {"page": "home"}).confirm().status == "success"


def test_the_state_of_something_else_does_not_matter(client):
    proposal = client.call("PublishPage", {"page": "home"})
    revisions["about"] = 2
    assert proposal.confirm().status == "success"


def test_the_state_itself_is_not_stored(client):
    revisions["home"] = 987654
    client.call("PublishPage", {"page": "home"})
    assert "987654" not in str(Confirmation.objects.values().get())
