"""The endpoint in every place where hosts include it."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path, re_path
from django.views.generic import View

_outer = ([path("deep/", include("django_mcp.urls", namespace="inner"))], "outer")

urlpatterns = [
    path("", include("django_mcp.urls")),
    path("tenants/<int:tenant>/", include("django_mcp.urls", namespace="tenants")),
    re_path(r"^in/([0-9]+)/", include("django_mcp.urls", namespace="positional")),
    path("outer/", include(_outer)),
    path("elsewhere", View.as_view()),
    *i18n_patterns(path("agents/", include("django_mcp.urls", namespace="agents"))),
]
