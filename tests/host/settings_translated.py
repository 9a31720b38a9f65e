"""The API's URLs begin with a language."""

from tests.host.settings import *  # noqa: F403

ROOT_URLCONF = "tests.host.urls_translated"
LANGUAGE_CODE = "en"
