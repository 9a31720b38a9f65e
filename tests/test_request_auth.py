"""What the host's views find at `request.auth`: this module is the URLconf of views that use it."""

import pytest
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.response import Response

from django_mcp import Safety, mcp_operation
from django_mcp.models import APIKey, AuditEvent
from django_mcp.testing import McpClient, exposing
from tests.urls import urlpatterns as endpoint


@mcp_operation(name="LogOut", group="sessions")
@api_view(["POST"])
def log_out(request):
    request.auth.delete()
    return Response(status=204)


@mcp_operation(name="RenameToken", group="sessions")
@api_view(["POST"])
def rename(request):
    request.auth.name = "renamed"
    request.auth.highest_safety = "Destructive"
    request.auth.save()
    return Response(status=204)


@mcp_operation(name="WhoAmI", group="sessions", safety=Safety.READ_ONLY)
@api_view(["GET"])
def who(request):
    auth = request.auth
    return Response(
        {
            "user": request.user.get_username(),
            "auth": None if auth is None else [auth.name, auth.user == request.user, auth.pk, isinstance(auth, APIKey)],
        }
    )


urlpatterns = [
    *endpoint, path("log-out/", log_out), path("rename/", rename), path("who/", who),
]  # fmt: skip


@pytest.fixture
def mcp(db, settings, django_user_model):
    settings.ROOT_URLCONF = __name__
    with exposing("sessions"):
        yield McpClient(user=django_user_model.objects.create_user("pat"))


@pytest.mark.parametrize("name", ["LogOut", "RenameToken"])
def test_a_view_cannot_change_or_delete_the_key_that_it_was_called_with(mcp, name):
    before = APIKey.objects.values("name", "highest_safety").get()
    answer = mcp.call(name).confirm()
    assert (answer.code, answer.data["httpStatus"]) == ("permission_denied", 403)
    assert "cannot be changed or deleted" in answer.error
    assert APIKey.objects.values("name", "highest_safety").get() == before
    assert not AuditEvent.objects.filter(kind="key_deleted").exists()
    assert mcp.read("WhoAmI").status == "success"


def test_a_view_sees_the_key_and_its_user(mcp):
    assert mcp.read("WhoAmI").response == {"user": "pat", "auth": ["test", True, APIKey.objects.get().pk, True]}


def test_a_view_sees_no_key_where_the_setting_says_so(mcp, settings):
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "KEY_AS_REQUEST_AUTH": False}
    assert mcp.read("WhoAmI").response == {"user": "pat", "auth": None}
