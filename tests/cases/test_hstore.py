"""PostgreSQL's own maps of texts, stored through a serializer that the model makes."""

import os
import sys

import pytest
from django.db import connections, models
from django.test.utils import isolate_apps
from django.urls import include, path
from rest_framework import generics, serializers

from django_mcp.catalog.discovery import forget
from django_mcp.models import ToolGroup
from django_mcp.testing import McpClient
from tests.approval.test_races import configured
from tests.catalog.hosts import urlconf
from tests.e2e.databases import fresh

ALIAS = "maps"
# Without a service there is still the case, for the closing lines to name.
URLS = [url for url in os.environ.get("TEST_DATABASE_URLS", "postgres:").split() if url.startswith("postgres")]

pytestmark = [pytest.mark.service("databases"), pytest.mark.django_db(transaction=True)]


class Router:
    """Sends the model with the maps to its database."""

    def db_for_read(self, model, **hints):
        return ALIAS if model.__name__ == "Labelled" else None

    db_for_write = db_for_read


@pytest.fixture(params=URLS)
def stored(request, tmp_path, settings, monkeypatch):
    """Return the manager of a model with maps, whose view is exposed."""
    from django.contrib.postgres.fields import HStoreField
    from django.contrib.postgres.signals import register_type_handlers

    with fresh(request.param, tmp_path) as own, isolate_apps("tests.host"):
        connections.settings[ALIAS] = configured(own, None)
        settings.DATABASE_ROUTERS = [f"{__name__}.Router"]

        class Labelled(models.Model):
            labels = HStoreField()
            counts = models.JSONField(default=dict)

            class Meta:
                app_label = "host"

        class LabelledSerializer(serializers.ModelSerializer):
            counts = serializers.DictField(child=serializers.IntegerField(), default={})

            class Meta:
                model = Labelled
                fields = ["id", "labels", "counts"]

        class View(generics.ListCreateAPIView):
            queryset = Labelled.objects.all()
            serializer_class = LabelledSerializer

        try:
            # The test case allows only the connections that it knows to be made; this one stays open.
            connections[ALIAS].connect()
            with connections[ALIAS].cursor() as cursor:
                cursor.execute("CREATE EXTENSION hstore")
            register_type_handlers(connections[ALIAS])
            with connections[ALIAS].schema_editor() as editor:
                editor.create_model(Labelled)
            urls = urlconf(path("", include("django_mcp.urls")), path("labels/", View.as_view(), name="label"))
            monkeypatch.setitem(sys.modules, "urls_of_maps", urls)
            settings.ROOT_URLCONF = "urls_of_maps"
            ToolGroup.objects.create(name="tests", exposed=True)
            yield Labelled.objects
        finally:
            forget()
            connections[ALIAS].close()
            del connections[ALIAS], connections.settings[ALIAS]


@pytest.fixture
def agent(stored, django_user_model):
    return McpClient(user=django_user_model.objects.create_user("ann"))


def test_a_map_of_texts_is_described_and_stored(agent, stored):
    described = agent.describe("label_create")["inputSchema"]["properties"]["labels"]
    assert described["type"] == "object"
    assert "string" in described["additionalProperties"]["type"]

    made = agent.call("label_create", {"labels": {"colour": "red", "room": 12, "note": None}}).confirm()
    assert made.response["labels"] == {"colour": "red", "room": "12", "note": None}
    assert stored.get().labels == {"colour": "red", "room": "12", "note": None}
    assert agent.read("label_list").response[0]["labels"]["room"] == "12"


@pytest.mark.parametrize(
    ("args", "key"), [({"labels": {"a": ["x"]}}, "labels.a"), ({"labels": {}, "counts": {"a": "x"}}, "counts.a")]
)
def test_a_value_that_does_not_fit_is_refused_by_its_key(agent, args, key):
    refused = agent.call("label_create", args)
    assert refused.code == "validation_error"
    assert key in refused.error
