from django.conf.urls.i18n import i18n_patterns
from django.urls import path

from tests.host.views import Initial, Sees

urlpatterns = [*i18n_patterns(path("sees/", Sees.as_view()), path("initial/", Initial.as_view()))]
