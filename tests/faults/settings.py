"""The demo with an API whose operations fail, and with stores that fail when a request asks them to."""

import json
import os

from tests.e2e.settings import *  # noqa: F403
from tests.e2e.settings import CACHES as DEMO_CACHES
from tests.e2e.settings import DJANGO_MCP as DEMO_MCP
from tests.e2e.settings import MIDDLEWARE as DEMO_MIDDLEWARE
from tests.faults import clock

MIDDLEWARE = ["tests.faults.middleware.fault_middleware", *DEMO_MIDDLEWARE]
ROOT_URLCONF = "tests.faults.urls"
CACHES = DEMO_CACHES
if "MEMCACHED" in os.environ:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
            "LOCATION": os.environ["MEMCACHED"],
            # A server that failed is left alone for a minute or two, were it not for this.
            "OPTIONS": {"dead_timeout": 1},
        }
    }
elif CACHES["default"]["BACKEND"].endswith("LocMemCache"):
    CACHES = {"default": {"BACKEND": "tests.faults.cache.FaultyCache"}}
DJANGO_MCP = {**DEMO_MCP, "SIGNING_SECRET_FALLBACKS": json.loads(os.environ.get("FAULT_FALLBACKS", "[]"))}
# Before any model takes the time for a default.
clock.shift(float(os.environ.get("FAULT_CLOCK", "0")))
