from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/coffee-shop/", include("demo_project.coffee_shop.urls")),
    path("", include("django_mcp.urls")),
    path("", RedirectView.as_view(pattern_name="admin:index")),
]
