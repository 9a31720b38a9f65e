"""Running `manage.py mcp` in this process."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError


def run(*arguments):
    """Run the command and return what it printed."""
    return run_with_notes(*arguments)[0]


def run_with_notes(*arguments):
    """Run the command and return what it printed on stdout and on stderr."""
    out, err = StringIO(), StringIO()
    call_command("mcp", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def fails(*arguments):
    """Run the command and return its error, which is one line."""
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)
