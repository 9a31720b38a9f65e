"""The demo's settings are read in processes of their own: they depend on the environment alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = """
import json
from demo_project import settings
print(json.dumps({name: getattr(settings, name) for name in ("DEBUG", "ALLOWED_HOSTS", "DATABASES", "CACHES")}))
"""


def read(**environment):
    return subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_there_is_no_default_secret_without_debug():
    done = read(DJANGO_DEBUG="0")
    assert done.returncode != 0
    assert "DJANGO_SECRET_KEY" in done.stderr


def test_debug_is_off_with_a_secret_of_ones_own():
    assert json.loads(read(DJANGO_DEBUG="0", DJANGO_SECRET_KEY="x" * 50).stdout)["DEBUG"] is False


def test_sqlite_waits_for_the_write_lock_in_wal_mode():
    database = json.loads(read().stdout)["DATABASES"]["default"]
    assert database["OPTIONS"] == {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL",
    }


@pytest.mark.parametrize(
    ("url", "engine"),
    [("postgres://root@db:5432/shop", "postgresql"), ("mysql://root@db:3306/shop", "mysql")],
)
def test_the_database_is_read_from_its_url(url, engine):
    database = json.loads(read(DATABASE_URL=url).stdout)["DATABASES"]["default"]
    assert database["ENGINE"].endswith(engine)
    assert (database["HOST"], database["NAME"], database["ATOMIC_REQUESTS"]) == ("db", "shop", True)


def test_the_cache_is_redis_where_its_url_is_set():
    cache = json.loads(read(REDIS_URL="redis://cache:6379/1").stdout)["CACHES"]["default"]
    assert cache == {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": "redis://cache:6379/1"}


def test_the_cache_is_local_memory_otherwise():
    assert "locmem" in json.loads(read().stdout)["CACHES"]["default"]["BACKEND"]


def test_hosts_are_separated_by_commas():
    assert json.loads(read(DJANGO_ALLOWED_HOSTS="a.example, b.example").stdout)["ALLOWED_HOSTS"] == [
        "a.example",
        "b.example",
    ]
