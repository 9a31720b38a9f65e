from django.conf.urls.i18n import i18n_patterns
from django.urls import path

from tests.catalog.test_discovery import health

urlpatterns = i18n_patterns(path("health/", health))
