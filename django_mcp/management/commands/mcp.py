"""`manage.py mcp`: keys, exposure and upkeep from the terminal."""

from datetime import timedelta
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from django_mcp.access import server_config
from django_mcp.access.server_config import PublishAs
from django_mcp.choices import Safety
from django_mcp.conf import OFFERED_MODES, conf
from django_mcp.doctor import Severity, examine
from django_mcp.management import exposure, keys, output, pruning, withdrawals


class OneLineParser(CommandParser):
    """Scripts read one line on stderr and exit code 1 for every kind of error."""

    def error(self, message: str) -> NoReturn:
        if self.called_from_command_line:
            self.exit(1, f"{self.prog}: {message}\n")
        raise CommandError(message)


class Command(BaseCommand):
    help = "Manage API keys, what is exposed over MCP, and the record."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = OneLineParser
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=OneLineParser)
        self._add_key(commands.add_parser("key", help="Create, list and revoke API keys."))

        for name, method, text in (
            ("expose", self.expose, "Let agents reach groups, operations or tools."),
            ("hide", self.hide, "Keep groups, operations or tools from agents."),
        ):
            change = commands.add_parser(name, help=text)
            change.add_argument("names", nargs="+", metavar="GROUP_OR_NAME")
            change.set_defaults(method=method)
            if name == "expose":
                ways = ", ".join(PublishAs.values)
                change.add_argument("--publish-as", metavar="WAY", help=f"How groups offer operations: one of {ways}.")

        listing = commands.add_parser("operations", help="List every operation and tool, and what holds for it.")
        listing.set_defaults(method=self.operations)

        doctor = commands.add_parser("doctor", help="Say what agents cannot do with the API, why, and the cure.")
        doctor.add_argument("--all", action="store_true", help="Name every operation, however many there are.")
        doctor.add_argument("--json", action="store_true", help="Print a JSON array.")
        doctor.set_defaults(method=self.doctor)

        writes = commands.add_parser("writes", help="Stop all writes of all agents at once, or let them go on.")
        writes.add_argument("word", choices=("on", "off"), metavar="on|off")
        writes.add_argument("--reason", default="", metavar="TEXT", help="Why; the record and the admin show it.")
        writes.set_defaults(method=self.writes)

        withdraw = commands.add_parser("withdraw", help="Withdraw open confirmations, so that they never run.")
        withdraw.add_argument("ids", nargs="*", metavar="JTI")
        withdraw.add_argument("--key", metavar="ID_OR_PREFIX", help="All open confirmations of this key.")
        withdraw.add_argument("--reason", default="", metavar="TEXT", help="Why; the record shows it.")
        withdraw.set_defaults(method=self.withdraw)

        prune = commands.add_parser("prune", help="Remove old confirmations, audit events and linked files.")
        prune.add_argument("--older-than", metavar="DURATION", help="Such as 90d; by default AUDIT_RETENTION.")
        prune.set_defaults(method=self.prune)

    def _add_key(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="key_command", required=True, metavar="COMMAND")

        text = "Create a key and print it, and nothing else, on stdout; what it reaches is said on stderr."
        create = commands.add_parser("create", help=text)
        create.add_argument("name", metavar="NAME")
        create.add_argument("--user", required=True, help="Who the key acts as.")
        create.add_argument("--group", action="append", default=[], help="A group the key reaches; may be repeated.")
        create.add_argument("--all-groups", action="store_true", help="Reach every group that is exposed.")
        create.add_argument(
            "--max-safety", default=Safety.READ_ONLY.value, metavar="SAFETY", help=f"One of {', '.join(Safety)}."
        )
        create.add_argument("--permission", action="append", help="Narrow to app_label.codename; may be repeated.")
        create.add_argument("--mode", help=f"One of {', '.join(OFFERED_MODES)}.")
        create.add_argument("--expires", metavar="DURATION", help="Such as 90d or 12h.")
        create.set_defaults(method=self.key_create)

        listing = commands.add_parser("list", help="List all keys.")
        listing.set_defaults(method=self.key_list)

        revoke = commands.add_parser("revoke", help="Revoke a key at once and for good.")
        revoke.add_argument("key", metavar="ID_OR_PREFIX")
        revoke.set_defaults(method=self.key_revoke)

    def handle(self, **options: Any) -> None:
        try:
            options["method"](options)
        except DatabaseError as error:
            msg = f"The database does not answer as it should: {str(error).strip().splitlines()[0]}"
            raise CommandError(msg) from error

    def key_create(self, options: dict[str, Any]) -> None:
        key, secret = keys.create(options)
        self.stdout.write(secret)
        for line in keys.handover(key):
            self.stderr.write(line, str)

    def key_list(self, _options: dict[str, Any]) -> None:
        self.stdout.write(keys.listing())

    def key_revoke(self, options: dict[str, Any]) -> None:
        self.stdout.write(keys.revoke(options["key"]))

    def expose(self, options: dict[str, Any]) -> None:
        self.stdout.write("\n".join(exposure.expose(options["names"], options["publish_as"])))

    def hide(self, options: dict[str, Any]) -> None:
        self.stdout.write("\n".join(exposure.hide(options["names"])))

    def operations(self, _options: dict[str, Any]) -> None:
        self.stdout.write(exposure.operations())

    def doctor(self, options: dict[str, Any]) -> None:
        complaints = examine(server_config.current())
        text = (
            output.complaints_json(complaints)
            if options["json"]
            else output.complaints_text(complaints, every=options["all"])
        )
        self.stdout.write(text)
        if any(complaint.severity is Severity.ERROR for complaint in complaints):
            raise CommandError(output.tally(complaints))

    def writes(self, options: dict[str, Any]) -> None:
        self.stdout.write(exposure.switch_writes(options["word"], options["reason"]))

    def withdraw(self, options: dict[str, Any]) -> None:
        self.stdout.write(withdrawals.withdraw(options["ids"], options["key"], options["reason"]))

    def prune(self, options: dict[str, Any]) -> None:
        now = timezone.now()
        if options["older_than"]:
            age = keys.duration(options["older_than"])
        elif conf.AUDIT_RETENTION is not None:
            age = timedelta(seconds=conf.AUDIT_RETENTION)
        else:
            raise CommandError("Say how old, such as --older-than 90d, or set DJANGO_MCP['AUDIT_RETENTION'].")
        try:
            before = now - age
        except OverflowError as error:
            raise CommandError(str(error)) from None
        expired = pruning.expire_overdue(now)
        confirmations, events = pruning.remove_confirmations(before), pruning.remove_events(before)
        files = pruning.remove_files(now)
        self.stdout.write(
            f"Expired {expired} confirmations; removed {confirmations} confirmations, {events} events, {files} files."
        )
