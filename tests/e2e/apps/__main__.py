"""Add django_mcp to public applications and work with them over MCP.

    python -m tests.e2e.apps [small|large]… [--cache FOLDER] [--keep FOLDER]

Needs PyPI on first use, and for the large one PostgreSQL and Redis on 127.0.0.1. Prints a table for each,
then what a person should look at; exits with 1 where a write of the story failed, an operation was not described, a schema
is none that strict clients take, or the server logged an error.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.e2e.apps.helpdesk import HELPDESK
from tests.e2e.apps.nautobot import NAUTOBOT
from tests.e2e.apps.survey import survey

APPLICATIONS = {application.name: application for application in (HELPDESK, NAUTOBOT)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.apps", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(APPLICATIONS)}; all unless said")
    default = os.environ.get("TEST_APPS") or str(Path(tempfile.gettempdir()) / "django_mcp_apps")
    parser.add_argument("--cache", type=Path, default=Path(default), help="keeps environments (default: TEST_APPS)")
    parser.add_argument("--keep", type=Path, help="folder for the server's log and all descriptions")
    said = parser.parse_args()
    failed = 0
    for name in said.names or APPLICATIONS:
        found = survey(APPLICATIONS[name], said.cache, said.keep)
        failed += found.failed
        for line in found.lines():
            print(line, flush=True)
    return 1 if failed else 0


sys.exit(main())
