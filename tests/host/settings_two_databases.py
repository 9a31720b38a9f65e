"""Two databases, both with a transaction around each request; readings are in the second."""

from tests.host.settings import *  # noqa: F403
from tests.host.settings import DATABASES as COMMON

DATABASES = {"default": COMMON["default"], "meters": {**COMMON["default"]}}
DATABASE_ROUTERS = ["tests.host.databases.MetersRouter"]
