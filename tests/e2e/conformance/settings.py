"""Settings of the conformance project: the endpoint, its database and the fixture tools, nothing else."""

import os

SECRET_KEY = "conformance-only-" + "x" * 50
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
USE_TZ = True
ROOT_URLCONF = "tests.e2e.conformance.urls"
WSGI_APPLICATION = "tests.e2e.conformance.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "django_mcp",
    "tests.e2e.conformance",
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("CONFORMANCE_DATABASE", ":memory:"),
        "ATOMIC_REQUESTS": True,
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
    }
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DJANGO_MCP = {"SERVER_NAME": "conformance", "TOOL_GROUPS": ["conformance"]}
