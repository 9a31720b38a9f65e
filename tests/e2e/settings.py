"""The demo's settings, with a signing secret that the tests know, to forge with, and a password hasher that is quick."""

import os

from demo_project.settings import *  # noqa: F403
from demo_project.settings import DJANGO_MCP as DEMO

DJANGO_MCP = {
    **DEMO,
    "SIGNING_SECRET": os.environ["SHOP_SIGNING_SECRET"],
    "EXCLUDE_OPERATIONS": os.environ.get("SHOP_EXCLUDES", "").split(),
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
