"""A project for several customers: middleware finds out whose, and the rows of the others do not exist."""

from contextvars import ContextVar

from django.utils import timezone
from rest_framework import serializers, viewsets
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.host.models import Project

current: ContextVar[str] = ContextVar("tenant", default="acme")


def tenant_middleware(get_response):
    """Take the tenant from the host name's first label, as tenants of a shared host have it."""

    def middleware(request):
        label = request.get_host().partition(".")[0]
        request.tenant = label if label in {"acme", "globex"} else "acme"
        token = current.set(request.tenant)
        try:
            return get_response(request)
        finally:
            current.reset(token)

    return middleware


class TenantProjects(viewsets.ModelViewSet):
    """Shows what the tenant of the moment has; needs the request's own attribute as well."""

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Project
            fields = ["id", "slug", "title", "tenant"]
            read_only_fields = ["tenant"]

    def get_queryset(self):
        return Project.objects.filter(tenant=current.get())

    def perform_create(self, serializer):
        serializer.save(tenant=getattr(self.request, "tenant", current.get()))


class Whereabouts(APIView):
    """Says where it runs, and leaves a time zone behind."""

    def get(self, request):
        before = timezone.get_current_timezone_name()
        timezone.activate("Asia/Tokyo")
        return Response({"tenant": current.get(), "zone": before, "user": request.user.get_username()})
