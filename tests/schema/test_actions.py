import pytest
from django.contrib.auth.models import User
from django.urls import path
from drf_spectacular.utils import (
    extend_schema,
)
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.routers import SimpleRouter
from rest_framework.viewsets import ModelViewSet

from django_mcp.schema.notes import UNDESCRIBED_BODY
from tests.catalog.hosts import schema_of
from tests.host.models import Item
from tests.schema.cases import ItemSerializer, Restock


class GuessedSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username"]


class Shelf(ModelViewSet):
    queryset = User.objects.all()
    serializer_class = GuessedSerializer

    @action(detail=True, methods=["post"])
    def guess(self, request, pk): ...

    @action(detail=True, methods=["post"], serializer_class=Restock)
    def named(self, request, pk): ...

    @extend_schema(request=Restock)
    @action(detail=True, methods=["post"])
    def declared(self, request, pk): ...

    @action(detail=True, methods=["post"])
    def switched(self, request, pk): ...

    def get_serializer_class(self):
        return Restock if self.action == "switched" else super().get_serializer_class()


def test_an_action_without_a_serializer_of_its_own_takes_what_it_likes():
    schema = shelf("guess")
    assert schema.input["properties"].keys() == {"id"}
    assert schema.input["additionalProperties"] is True
    assert schema.output is None
    assert schema.notes


@pytest.mark.parametrize("name", ["named", "declared", "switched"])
def test_an_action_that_says_what_it_takes_is_described(name):
    assert shelf(name).input["properties"].keys() == {"id", "amount"}


def shelf(action):
    router = SimpleRouter()
    router.register("shelf", Shelf)
    pattern = next(item for item in router.urls if item.name == f"user-{action}")
    return schema_of("POST", pattern)


def test_an_action_for_which_nobody_chose_a_serializer_is_not_described_by_that_of_the_others():
    class Chosen(serializers.Serializer):
        reason = serializers.CharField()

    class Choosing(ModelViewSet):
        queryset = Item.objects.all()

        def get_serializer_class(self):
            return Chosen if self.action == "close" else ItemSerializer

        def get_serializer(self, *args, **kwargs):
            return self.get_serializer_class()(*args, **kwargs)

        @action(detail=True, methods=["post"])
        def close(self, request, pk): ...

        @action(detail=True, methods=["post"])
        def invite(self, request, pk): ...

    def described_of(name):
        return schema_of("POST", path("x/<int:id>/", Choosing.as_view({"post": name})))

    assert described_of("close").input["properties"].keys() == {"id", "reason"}
    assert described_of("invite").input["properties"].keys() == {"id"}
    assert UNDESCRIBED_BODY in described_of("invite").notes
