"""The project uses drf-spectacular itself, with settings of its own."""

from tests.host.settings import *  # noqa: F403
from tests.host.settings import INSTALLED_APPS as APPS
from tests.host.settings import REST_FRAMEWORK as COMMON

INSTALLED_APPS = [*APPS, "drf_spectacular", "django_filters"]
REST_FRAMEWORK = {**COMMON, "DEFAULT_SCHEMA_CLASS": "tests.host.schemas.HouseSchema"}
SPECTACULAR_SETTINGS = {"COMPONENT_SPLIT_REQUEST": True, "OAS_VERSION": "3.1.0", "SCHEMA_PATH_PREFIX": "/api"}
