"""The demo under a strict Content-Security-Policy, in the browser's language, with a hostile API beside the shop's.

The hostile API's group is exposed here, so that the admin has one that settings lock.
"""

from tests.browser.notices import GROUP
from tests.e2e.settings import *  # noqa: F403
from tests.e2e.settings import DJANGO_MCP as SHOP
from tests.e2e.settings import INSTALLED_APPS as SHOP_APPS
from tests.e2e.settings import MIDDLEWARE as SHOP_MIDDLEWARE

INSTALLED_APPS = [*SHOP_APPS, "tests.browser"]
MIDDLEWARE = ["tests.browser.policy.strict", *SHOP_MIDDLEWARE]
MIDDLEWARE.insert(
    MIDDLEWARE.index("django.middleware.common.CommonMiddleware"), "django.middleware.locale.LocaleMiddleware"
)
ROOT_URLCONF = "tests.browser.urls"
DJANGO_MCP = {**SHOP, "TOOL_GROUPS": [GROUP]}
