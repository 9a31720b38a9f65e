from django.apps import AppConfig


class HostConfig(AppConfig):
    name = "tests.host"
    label = "host"
