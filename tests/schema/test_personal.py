"""Schemas that depend on the caller live for one request: this module is the URLconf of operations that have such."""

import json

import pytest
from django.test import override_settings
from django.urls import path
from drf_spectacular.openapi import AutoSchema
from rest_framework import filters, generics, serializers

from django_mcp import mcp_operation
from django_mcp.models import ToolGroup
from django_mcp.schema import operations
from django_mcp.testing import McpClient, exposing
from tests.host.models import Item
from tests.urls import urlpatterns as endpoint


class Basic(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["name", "price"]


class Chosen(Basic):
    margin = serializers.IntegerField(required=False, write_only=True)

    class Meta(Basic.Meta):
        fields = ["name", "price", "margin"]


class Trimmed(Chosen):
    """Has a field for the staff, and one for a tenant."""

    def get_fields(self):
        fields = super().get_fields()
        request = self.context["request"]
        if not request.user.is_staff:
            del fields["margin"]
        fields[f"for_{getattr(request, 'tenant', 'none')}"] = serializers.CharField(required=False)
        return fields


class Margin(serializers.Serializer):
    margin = serializers.IntegerField(required=False)


class StaffFilter(filters.BaseFilterBackend):
    def filter_queryset(self, request, queryset, view):
        return queryset

    def get_schema_operation_parameters(self, view):
        names = ["margin"] if view.request.user.is_staff else []
        return [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]


class StaffParameters(AutoSchema):
    def get_override_parameters(self):
        return [Margin] if self.view.request.user.is_staff else []


class Items:
    queryset = Item.objects.all()
    serializer_class = Basic


@mcp_operation(name="Trimmed", group="personal")
class TrimmedView(Items, generics.CreateAPIView):
    serializer_class = Trimmed


@mcp_operation(name="Chosen", group="personal")
class ChosenView(Items, generics.CreateAPIView):
    def get_serializer_class(self):
        return Chosen if self.request.user.is_staff else Basic


@mcp_operation(name="Backend", group="personal")
class BackendView(Items, generics.ListAPIView):
    filter_backends = [StaffFilter]


@mcp_operation(name="Property", group="personal")
class PropertyView(Items, generics.ListAPIView):
    search_fields = ["name"]

    @property
    def filter_backends(self):
        return [StaffFilter] if self.request.user.is_staff else []


@mcp_operation(name="Schema", group="personal")
class SchemaView(Items, generics.ListAPIView):
    schema = StaffParameters()


@mcp_operation(name="Plain", group="personal")
class PlainView(Items, generics.CreateAPIView):
    pass


urlpatterns = [
    *endpoint,
    path("trimmed/", TrimmedView.as_view()),
    path("chosen/", ChosenView.as_view()),
    path("backend/", BackendView.as_view()),
    path("property/", PropertyView.as_view()),
    path("schema/", SchemaView.as_view()),
    path("plain/", PlainView.as_view()),
]
PERSONAL = ["Trimmed", "Chosen", "Backend", "Property", "Schema"]


@pytest.fixture
def staff(db, django_user_model):
    return django_user_model.objects.create_user("pat", is_staff=True)


@pytest.fixture
def mcp(staff, settings):
    settings.ROOT_URLCONF = __name__
    with exposing("personal"):
        ToolGroup.objects.update(publish_as="both")
        yield McpClient(user=staff)


def described(mcp, name):
    return mcp.describe(name)["inputSchema"]["properties"].keys()


def listed(mcp, name):
    return mcp.tools()[name]["inputSchema"]["properties"].keys()


@pytest.mark.parametrize("name", PERSONAL)
@pytest.mark.parametrize("fields", [described, listed])
def test_what_is_taken_from_a_user_is_gone_from_the_next_request(mcp, staff, name, fields):
    assert "margin" in fields(mcp, name)
    type(staff).objects.update(is_staff=False)
    assert "margin" not in fields(mcp, name)
    type(staff).objects.update(is_staff=True)
    assert "margin" in fields(mcp, name)


@pytest.mark.parametrize("name", PERSONAL)
def test_what_a_user_may_no_longer_send_is_refused_at_the_confirmation(mcp, staff, name):
    if name in {"Trimmed", "Chosen"}:
        proposal = mcp.call(name, {"name": "x", "price": "1.00", "margin": 4})
        type(staff).objects.update(is_staff=False)
        answer = proposal.confirm()
    else:
        assert mcp.read(name, margin="4").status == "success"
        type(staff).objects.update(is_staff=False)
        answer = mcp.read(name, margin="4")
    assert answer.code == "validation_error"
    assert not Item.objects.exists()


def test_one_tenants_fields_are_never_told_in_another(mcp, monkeypatch):
    # As middleware that finds the tenant by the host would do it.
    with override_settings(MIDDLEWARE=[f"{__name__}.tenant_middleware"]):
        for tenant in ("red", "blue", "red"):
            mcp.http.defaults["HTTP_X_TENANT"] = tenant
            fields = [*described(mcp, "Trimmed"), *listed(mcp, "Trimmed")]
            assert [name for name in fields if name.startswith("for_")] == [f"for_{tenant}"] * 2


def tenant_middleware(get_response):
    def middleware(request):
        request.tenant = request.headers.get("X-Tenant", "none")
        return get_response(request)

    return middleware


def test_personal_schemas_are_not_kept_and_others_are(mcp):
    operations.forget()
    for name in [*PERSONAL, "Plain"]:
        described(mcp, name)
    mcp.tools()
    kept = [operation.name for operation, _language, _chosen in operations._cache]
    assert set(kept) == {"Plain", "Chosen"}
    assert "margin" in json.dumps(
        [schema.input for key, schema in operations._cache.items() if key[0].name == "Chosen"]
    )


def test_a_personal_schema_is_made_once_a_request(mcp, monkeypatch):
    built = []
    describe = operations._described
    monkeypatch.setattr(operations, "_described", lambda *args: built.append(args[0].name) or describe(*args))
    mcp.call("Trimmed", {"name": "x", "price": "1.00"})
    assert built == ["Trimmed"]
