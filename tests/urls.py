"""The suite's URLs: the admin, the coffee shop's API and the MCP endpoint."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("demo_project.coffee_shop.urls")),
    path("", include("django_mcp.urls")),
]
