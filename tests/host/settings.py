"""The project as it is; the other settings modules beside this one each change one thing."""

from tests.settings import *  # noqa: F403
from tests.settings import MIDDLEWARE as COMMON

ROOT_URLCONF = "tests.host.urls"
MIDDLEWARE = ["django.middleware.locale.LocaleMiddleware", *COMMON]
ALLOWED_HOSTS = ["testserver", ".example.com"]
