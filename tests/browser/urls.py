"""The demo's URLs and the hostile API's."""

from django.urls import path

from demo_project.urls import urlpatterns as demo
from tests.browser.notices import Notices

urlpatterns = [path("api/notices/", Notices.as_view()), *demo]
