"""The project with its API under a language prefix, the MCP endpoint without one."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

from tests.execution.urls import urlpatterns as single_views
from tests.host.urls import api

urlpatterns = [
    path("", include("django_mcp.urls")),
    *i18n_patterns(path("api/", include(api)), path("", include(single_views))),
]
