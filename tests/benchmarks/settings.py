"""The demo with its viewsets a second time: plain REST, with the same key and the same look-up of it."""

from tests.e2e.settings import *  # noqa: F403

ROOT_URLCONF = "tests.benchmarks.urls"
