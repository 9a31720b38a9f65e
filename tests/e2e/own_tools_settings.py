"""A project of 300 operations, published as one tool each."""

from tests.e2e.settings import *  # noqa: F403
from tests.e2e.settings import DJANGO_MCP as SHOP

ROOT_URLCONF = "tests.benchmarks.many"
DJANGO_MCP = {**SHOP, "PUBLISH_AS": {"many": "one_tool_each"}}
