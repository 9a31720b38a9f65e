"""Makes a staff user with these permissions, as `app.codename`; the password is the name."""

from typing import Any

from django.contrib.auth.models import Permission, User
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("permissions", nargs="*")

    def handle(self, *_args: object, username: str, permissions: list[str], **_options: Any) -> None:
        user = User.objects.create_user(username, password=username, is_staff=True)
        for name in permissions:
            app, _dot, codename = name.partition(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
