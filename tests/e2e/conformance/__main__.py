"""Serve the fixture tools, and run MCP's official conformance suite against them.

    python -m tests.e2e.conformance [--server uvicorn] [REVISION]…
    python -m tests.e2e.conformance --serve

Prints a line for each scenario and revision, and the count of each outcome; exits with 1 if something failed.
"""

import argparse
import collections
import contextlib
import signal
import sys
import tempfile
from pathlib import Path

from tests.e2e.conformance.serving import SERVERS, Served, serving
from tests.e2e.conformance.suite import REVISIONS, Suite


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.conformance", description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*", metavar="REVISION", help=f"of {', '.join(REVISIONS)}; all unless said")
    parser.add_argument("--server", choices=[*SERVERS, "both"], default="both")
    parser.add_argument("--serve", action="store_true", help="print URL and header and serve until it is interrupted")
    said = parser.parse_args()
    failed = 0
    for server in SERVERS if said.server == "both" else [said.server]:
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder), workers=2, server=server) as served:
            if said.serve:
                wait(served)
                return 0
            failed += run(served, server, tuple(said.revisions) or REVISIONS)
    return 1 if failed else 0


def run(served: Served, server: str, revisions: tuple[str, ...]) -> int:
    """Print the verdicts; return how many scenarios failed, or 1 where none passed."""
    count: collections.Counter[str] = collections.Counter()
    for verdict in Suite(served.url, served.header).run(revisions):
        count[verdict.word] += 1
        print(verdict, flush=True)
    print(f"{server}: " + ", ".join(f"{count[word]} {word}" for word in ("PASS", "FAIL", "WARN", "SKIP")), flush=True)
    return count["FAIL"] if count["PASS"] else 1


def wait(served: Served) -> None:
    print(served.url, served.header, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()


sys.exit(main())
