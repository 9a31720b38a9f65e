"""An API of users, routed on the spot."""

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.authentication import TokenAuthentication
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.viewsets import ModelViewSet


@api_view(["GET"])
def health(request):
    """Tell whether it works. Everything counts.

    More about it.
    """
    return Response({})


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username"]


class PlainUsers(ModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer


class Users(PlainUsers):
    """The users of the shop."""

    @action(detail=True, methods=["post"])
    def lock(self, request, pk=None):
        """Lock a user out."""
        return Response({})

    @action(detail=False, authentication_classes=[TokenAuthentication])
    def export(self, request):
        return Response([])


class StarredUsers(PlainUsers):
    @action(detail=True, methods=["post", "delete"])
    def star_it(self, request, pk=None):
        return Response({})


def routed(viewset=Users, prefix="users", basename="user", router=SimpleRouter):
    made = router()
    made.register(prefix, viewset, basename=basename)
    return made.urls
