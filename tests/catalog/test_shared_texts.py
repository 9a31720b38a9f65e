"""A docstring that views of two resources inherit says nothing of either. Also its URLconf."""

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from rest_framework import serializers, viewsets
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView

from django_mcp.testing import McpClient, exposing
from tests.host.models import Item, Person, Project


class Logged:
    """Logs every request to Redis."""

    def create(self, request, *args, **kwargs):
        """Write a line to the log."""
        return super().create(request, *args, **kwargs)


class Base(Logged, viewsets.ModelViewSet):
    pass


def serializer_of(of):
    meta = type("Meta", (), {"model": of, "fields": ["id"]})
    return type("Serializer", (serializers.ModelSerializer,), {"Meta": meta})


class Items(Base):
    serializer_class = serializer_of(Item)

    def get_queryset(self):
        return Item.objects.all()


class People(Base):
    """Those who come."""

    queryset = Person.objects.all()
    serializer_class = serializer_of(Person)


class Projects(Base):
    queryset = Project.objects.all()
    serializer_class = serializer_of(Project)


class Visits:
    """What only views of visits say."""


class VisitsHere(Visits, APIView):
    def get(self, request):
        return Response()


class VisitsThere(Visits, APIView):
    def get(self, request, pk):
        return Response()


router = SimpleRouter()
router.register("items", Items, basename="item")
router.register("people", People)
router.register("projects", Projects)
urlpatterns = [
    path("", include("django_mcp.urls")),
    path("visits/", VisitsHere.as_view(), name="visits"),
    path("visits/<int:pk>/", VisitsThere.as_view(), name="visit"),
    *router.urls,
]


@pytest.fixture
def summaries(db, settings):
    settings.ROOT_URLCONF = __name__
    with exposing("tests"):
        mcp = McpClient(user=User.objects.create_superuser("boss"))
        return {hit["name"]: hit["summary"] for hit in mcp.search(take=100)}


def test_a_mixins_docstring_is_the_sentence_of_no_operation(summaries):
    assert not any("Redis" in text or "log" in text for text in summaries.values())


def test_the_model_of_the_serializer_is_the_noun_where_there_is_no_queryset(summaries):
    assert summaries["item_create"] == "Create item"
    assert summaries["item_list"] == "List items"


def test_a_docstring_of_the_class_itself_stands(summaries):
    assert summaries["person_list"] == "List persons: Those who come."


def test_a_docstring_that_only_views_of_one_resource_inherit_stands(summaries):
    assert "only views of visits" in summaries["visits"]
    assert "only views of visits" in summaries["visit"]
