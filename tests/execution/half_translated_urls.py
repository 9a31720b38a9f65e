from django.conf.urls.i18n import i18n_patterns
from django.urls import path

from tests.host.views import Initial

urlpatterns = [*i18n_patterns(path("initial/", Initial.as_view()), prefix_default_language=False)]
