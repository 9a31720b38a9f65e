"""The endpoint behind a prefix and a language, beside the one at the root."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

urlpatterns = [
    path("", include("django_mcp.urls")),
    *i18n_patterns(path("agents/", include("django_mcp.urls", namespace="agents"))),
]
