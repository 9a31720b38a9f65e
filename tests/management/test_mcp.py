"""The command as scripts meet it: one line for an error, tables that can be cut."""

import os
import subprocess
import sys

import pytest

from django_mcp.management import output
from tests.management.command import fails

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("key", "create", "a"), 1),
        (("hide", "nothing-like-it"), 1),
        (("shout",), 1),
        ((), 1),
        (("key", "create", "a", "--user", "nobody"), 1),
        (("operations",), 0),
    ],
)
def test_errors_are_one_line_on_stderr_and_exit_one(tmp_path, arguments, code):
    manage = [sys.executable, "-W", "ignore", "-m", "django"]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "demo_project.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
    }
    subprocess.run([*manage, "migrate", "-v0"], env=environment, check=True)
    done = subprocess.run([*manage, "mcp", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code
    if code:
        assert (len(done.stderr.splitlines()), done.stdout) == (1, "")
        assert "Traceback" not in done.stderr


def test_missing_argument_is_an_error_of_one_line():
    assert "--user" in fails("key", "create", "agent")


def test_database_trouble_is_an_error_of_one_line(monkeypatch):
    from django.db import OperationalError

    from django_mcp.management import keys as listed

    def broken():
        raise OperationalError("no such table: x\nLINE 1")

    monkeypatch.setattr(listed, "listing", broken)
    assert "no such table: x" in fails("key", "list")


def test_tables_are_aligned_without_trailing_blanks():
    assert output.table(("A", "LONG"), [("wide cell", ""), ("x", 1)]) == "A          LONG\nwide cell\nx          1"
