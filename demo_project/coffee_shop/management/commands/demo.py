import os
import secrets
import tempfile
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from demo_project import stage
from demo_project.mcp_client import McpClient
from demo_project.walkthrough import Walkthrough
from django_mcp.access import keys
from django_mcp.models import APIKey

ADMIN = "/admin/django_mcp/"


class Command(BaseCommand):
    help = "Play the two-phase order over HTTP in a database of its own; with --serve, serve the shop instead."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--serve", action="store_true", help="set up this project's own database and serve it")
        parser.add_argument("--port", type=int, default=8000, help="with --serve: the port (default: 8000)")

    def handle(self, *args: Any, serve: bool, port: int, **options: Any) -> None:
        try:
            if serve:
                self.serve(port)
            else:
                self.play()
        except stage.StageError as error:
            raise CommandError(str(error)) from error

    def play(self) -> None:
        folder = tempfile.mkdtemp(prefix="coffee-shop-")
        database = f"sqlite:///{folder}/db.sqlite3"
        environment = {
            **os.environ,
            "DATABASE_URL": database,
            "DJANGO_MEDIA_ROOT": f"{folder}/media",
            "DJANGO_DEBUG": "0",
            "DJANGO_SECRET_KEY": secrets.token_urlsafe(50),
            "DJANGO_ALLOWED_HOSTS": "127.0.0.1",
        }
        environment.pop("REDIS_URL", None)
        self.stdout.write("Setting up a coffee shop of its own")
        key = stage.prepare(environment, self.stdout.write)
        with stage.serving(environment) as (host, port):
            self.stdout.write(f"Serving http://{host}:{port}/mcp with two processes")
            Walkthrough(McpClient(host, port, key), self.stdout.write).play()
        self.stdout.write("\nThe trail, with who confirmed what, is in the admin. To look at it:")
        self.stdout.write(f"   DATABASE_URL={database} make serve")
        self.stdout.write(f"   then log in as admin/admin at http://127.0.0.1:8000{ADMIN}confirmation/")
        self.stdout.write(f"   and http://127.0.0.1:8000{ADMIN}auditevent/")

    def serve(self, port: int) -> None:
        taken = stage.listener(port)
        key = stage.prepare(os.environ, self.stdout.write)
        self.revoke_earlier(key)
        url = f"http://127.0.0.1:{port}"
        self.stdout.write(f"\nAdmin:       {url}/admin/  (admin/admin)")
        self.stdout.write(f"Trail:       {url}{ADMIN}confirmation/")
        self.stdout.write(f"Key:         {key}")
        groups = " and ".join(stage.GROUPS)
        self.stdout.write(
            f"             acts as sam for 30 days; may do everything in {groups}, also cancel (Destructive)"
        )
        self.stdout.write("Claude Code:")
        self.stdout.write(
            f'  claude mcp add --transport http coffee-shop {url}/mcp --header "Authorization: Bearer {key}"\n'
        )
        self.stdout.flush()
        stage.serve(os.environ, taken)

    def revoke_earlier(self, key: str) -> None:
        """Revoke the keys that were made here before: theirs are in some terminal's history."""
        earlier = APIKey.objects.filter(
            name=stage.KEY_NAME, user__username=stage.KEY_USER, revoked_at__isnull=True
        ).exclude(digest=keys.digest(key))
        revoked = [row for row in earlier if keys.revoke(row, by={"username": "manage.py demo"})]
        if revoked:
            self.stdout.write(f"Revoked the earlier demo keys: {', '.join(row.prefix for row in revoked)}")
