"""What is out of reach costs the same and looks the same, whyever it is: this module is the URLconf of such operations."""

import json

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path
from rest_framework import generics, permissions, serializers

from django_mcp import mcp_operation
from django_mcp.access import keys
from django_mcp.catalog.discovery import get_catalog
from django_mcp.choices import Safety
from django_mcp.models import ToolGroup, ToolRule
from django_mcp.testing import McpClient, RpcError
from tests.host.models import Item
from tests.urls import urlpatterns as endpoint


class InGroup(permissions.BasePermission):
    """Asks the database, as permissions of hosts do."""

    name = "managers"

    def has_permission(self, request, view):
        return request.user.groups.filter(name=self.name).exists()


class InGroups(InGroup):
    def has_permission(self, request, view):
        return all(request.user.groups.filter(name=name).exists() for name in ("staff", "managers"))


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["name"]


def view(name, *permission_classes):
    base = type(name, (generics.CreateAPIView,), {"permission_classes": list(permission_classes)})
    base.queryset, base.serializer_class = Item.objects.all(), ItemSerializer
    return path(f"{name.lower()}/", mcp_operation(name=name, group="things")(base).as_view())


urlpatterns = [
    *endpoint,
    view("Reached", permissions.IsAuthenticated),
    view("ByModel", permissions.DjangoModelPermissions),
    view("ByGroup", InGroup),
    view("ByGroups", InGroups),
    view("ForStaff", permissions.IsAdminUser),
    view("Hidden", InGroups),
    view("HiddenToo", permissions.DjangoModelPermissions),
]
FORBIDDEN = ["ByModel", "ByGroup", "ByGroups", "ForStaff"]
OUT_OF_REACH = [*FORBIDDEN, "Hidden", "HiddenToo", "NoSuchThing"]


@pytest.fixture
def mcp(db, settings, django_user_model):
    settings.ROOT_URLCONF = __name__
    user = django_user_model.objects.create_user("pat")
    user.groups.add(Group.objects.create(name="staff"))
    ToolGroup.objects.create(name="things", exposed=True, publish_as="both")
    for name in ("Hidden", "HiddenToo"):
        operation = get_catalog().get(name)
        ToolRule.objects.create(name=name, method="POST", route=operation.route, exposure="hidden")
    client = McpClient(key=keys.issue(name="k", user=user, all_groups=True, highest_safety=Safety.WRITE)[1])
    client.request("ping")
    return client


def api_call(mcp, name):
    return mcp.call(name, {"name": "x"}).raw


def api_call_with_token(mcp, name):
    return mcp.tool("api_call", {"name": name, "args": {}, "confirmationToken": "mcp_cf_a.b.c"}).raw


def api_read(mcp, name):
    return mcp.read(name).raw


def api_describe(mcp, name):
    return mcp.describe(name)


def own_tool(mcp, name):
    with pytest.raises(RpcError) as refused:
        mcp.tool(name, {"name": "x"})
    return str(refused.value)


@pytest.mark.parametrize("way", [api_call, api_call_with_token, api_read, api_describe, own_tool])
def test_forbidden_hidden_and_nonexistent_take_as_many_queries_and_look_alike(mcp, way):
    counts, answers = {}, {}
    for name in OUT_OF_REACH:
        # The first refusal of a minute is recorded, whatever it was about.
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = way(mcp, name)
        counts[name] = len(queries)
        answers[name] = json.dumps(answer).replace(name, "NAME")
    assert len(set(counts.values())) == 1, counts
    assert len(set(answers.values())) == 1, answers


def test_what_is_reached_is_found_without_asking_the_other_views(mcp, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert mcp.describe("Reached")["name"] == "Reached"


def test_a_view_is_asked_once_a_request(mcp, monkeypatch):
    asked = []
    monkeypatch.setattr(InGroup, "has_permission", lambda self, request, view: asked.append(view) or True)
    mcp.tool("api_describe", {"names": ["ByGroup"] * 3})
    assert len(asked) == 1
