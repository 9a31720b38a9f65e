"""A process inside the served project, for what is not on the wire: it answers one question per line, as JSON.

`Inside` is the tests' end of it, the functions marked with `@question` are the other.
"""

import contextlib
import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS: dict[str, Callable[..., Any]] = {}


class Inside:
    """Ask the project: `inside.order_count()`, `inside.events(jti=…)`."""

    def __init__(self, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.inside"],
            cwd=ROOT,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(**arguments: Any) -> Any:
            self._process.stdin.write(json.dumps([name, arguments]) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            if not answer:
                raise RuntimeError(f"The process inside the project died at {name}.")
            kind, value = json.loads(answer)
            if kind == "error":
                raise RuntimeError(value)
            return value

        return ask

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(30)


def question(function: Callable[..., Any]) -> Callable[..., Any]:
    QUESTIONS[function.__name__] = function
    return function


@question
def manage(arguments: list[str]) -> str:
    """Run a management command; return what it prints."""
    import io

    from django.core.management import call_command

    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@question
def issue_key(
    user: str,
    groups: list[str] | None = None,
    highest_safety: str = "Destructive",
    mode: str | None = None,
    name: str = "test",
) -> str:
    from django.contrib.auth.models import User

    from django_mcp.access import keys
    from django_mcp.choices import ApprovalMode, Safety

    _key, secret = keys.issue(
        name=name,
        user=User.objects.get(username=user),
        groups=groups if groups is not None else ["coffee-shop"],
        highest_safety=Safety(highest_safety),
        mode=ApprovalMode(mode) if mode else None,
    )
    return secret


@question
def order_count() -> int:
    from demo_project.coffee_shop.models import Order

    return Order.objects.count()


@question
def order(pk: int) -> dict[str, Any] | None:
    from demo_project.coffee_shop.models import Order

    row = Order.objects.filter(pk=pk).first()
    if row is None:
        return None
    lines = list(row.items.values("product_id", "size", "quantity", "options"))
    return {"customer_name": row.customer_name, "status": row.status, "total": str(row.total), "items": lines}


@question
def orders_named(customer_name: str) -> list[int]:
    from demo_project.coffee_shop.models import Order

    return list(Order.objects.filter(customer_name=customer_name).order_by("pk").values_list("pk", flat=True))


@question
def orders_by_name(names: list[str]) -> dict[str, int]:
    """Return how many orders each customer of those names has."""
    from collections import Counter

    from demo_project.coffee_shop.models import Order

    return Counter(Order.objects.filter(customer_name__in=names).values_list("customer_name", flat=True))


@question
def order_states() -> list[list[Any]]:
    """Return the state of each order, to see whether one was changed."""
    from demo_project.coffee_shop.models import Order

    return [list(row) for row in Order.objects.order_by("pk").values_list("pk", "status", "customer_name")]


@question
def set_status(pk: int, status: str) -> None:
    from demo_project.coffee_shop.models import Order

    Order.objects.filter(pk=pk).update(status=status)


@question
def confirmation(jti: str) -> dict[str, Any] | None:
    from django_mcp.models import Confirmation

    return Confirmation.objects.filter(jti=jti).values("state", "outcome", "channel", "mode", "target").first()


@question
def forget_execution(jti: str) -> None:
    """Make the database forget what became of a confirmation, as an older backup would."""
    from django_mcp.models import Confirmation

    Confirmation.objects.filter(jti=jti).update(state="issued", nonce="", channel="", outcome=None, claimed_at=None)


@question
def confirmation_count() -> int:
    from django_mcp.models import Confirmation

    return Confirmation.objects.count()


@question
def events(jti: str) -> list[str]:
    """Return the kinds of the events of one confirmation, the oldest first."""
    from django_mcp.models import AuditEvent

    return list(AuditEvent.objects.filter(confirmation=jti).order_by("id").values_list("kind", flat=True))


@question
def records(jtis: list[str]) -> dict[str, dict[str, Any]]:
    """Return the state and the kinds of the events, the oldest first, of many confirmations."""
    from django_mcp.models import AuditEvent, Confirmation

    found = {str(row.jti): {"state": row.state, "events": []} for row in Confirmation.objects.filter(jti__in=jtis)}
    for event in AuditEvent.objects.filter(confirmation__in=jtis).order_by("id"):
        found[str(event.confirmation)]["events"].append(event.kind)
    return found


@question
def last_event() -> dict[str, Any]:
    from django_mcp.models import AuditEvent

    event = AuditEvent.objects.order_by("-id").values("kind", "target", "detail").first()
    return event or {}


@question
def configure(**values: Any) -> None:
    """Change the server's settings, as the admin does."""
    from django_mcp.models import ServerSettings

    row = ServerSettings.load()
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


@question
def rule(name: str, **values: Any) -> None:
    from django_mcp.models import ToolRule

    ToolRule.objects.filter(name=name).delete()
    ToolRule(name=name, **values).save()


@question
def unrule(name: str) -> None:
    from django_mcp.models import ToolRule

    for row in ToolRule.objects.filter(name=name):
        row.delete()


@question
def break_connections() -> None:
    """Cut every other connection to the database, as its restart would."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        else:
            cursor.execute(
                "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
            )
            for (number,) in cursor.fetchall():
                cursor.execute(f"KILL {int(number)}")


@question
def revoke(secret: str) -> None:
    from django_mcp.access import keys

    key = keys.authenticate(secret)
    assert key is not None
    keys.revoke(key)


def serve() -> None:
    import django

    answers = sys.stdout
    sys.stdout = sys.stderr
    django.setup()
    from django.db import close_old_connections

    for line in sys.stdin:
        name, arguments = json.loads(line)
        try:
            answer = ["value", QUESTIONS[name](**arguments)]
        except BaseException:
            answer = ["error", traceback.format_exc()]
        with contextlib.suppress(BrokenPipeError):
            answers.write(json.dumps(answer, default=str) + "\n")
            answers.flush()
        close_old_connections()


if __name__ == "__main__":
    serve()
