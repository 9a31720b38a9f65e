"""Middleware decides by the host name whose rows there are."""

from tests.host.settings import *  # noqa: F403
from tests.host.settings import MIDDLEWARE as COMMON

MIDDLEWARE = [*COMMON, "tests.host.tenants.tenant_middleware"]
