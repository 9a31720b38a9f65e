from django.urls import include, path
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.routers import SimpleRouter

from demo_project.coffee_shop.views import OrderViewSet
from django_mcp.access import keys, last_use
from django_mcp.decorators import mcp_operation


class KeyAuthentication(BaseAuthentication):
    """What a REST API with such keys would do: look the key up, note that it was used."""

    def authenticate(self, request):
        key = keys.authenticate(get_authorization_header(request).decode().removeprefix("Bearer "))
        if key is None:
            raise AuthenticationFailed
        last_use.note(key)
        return key.user, key


@mcp_operation(exclude=True)
class PlainOrderViewSet(OrderViewSet):
    authentication_classes = [KeyAuthentication]


router = SimpleRouter()
router.register("plain", PlainOrderViewSet, "plain")
urlpatterns = [path("", include(router.urls)), path("", include("demo_project.urls"))]
