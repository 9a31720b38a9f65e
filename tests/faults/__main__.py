"""Break what can break while confirmation tokens are redeemed, and see that each runs at most once and says so.

    python -m tests.faults [--only SCENARIO…] [--scale 0.1] [--seed 1] [--list]

Needs redis-server and, in TEST_DATABASE_URLS, PostgreSQL and MariaDB, in each of which it makes databases of its own.
Prints a table of what came of every case; exits with 1 where an invariant was violated, with 2 where something that a
case needs is not there.
"""

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.faults.cases import Case, Services, databases_named, missing
from tests.faults.figures import Figures, table
from tests.faults.scenarios.all import CASES

SHOWN = 20


def main() -> int:
    options = arguments()
    chosen = [case for case in CASES if not options.only or any(case.name.startswith(name) for name in options.only)]
    if options.list or not chosen:
        print(*[f"{case.name}, {case.full:,}" for case in CASES], sep="\n")
        return 0 if options.list else 2
    databases = databases_named()
    absent = sorted({service for case in chosen for service in missing(case, databases)})
    if absent:
        print(f"Not there: {', '.join(absent)}. TEST_DATABASE_URLS names the databases.", file=sys.stderr)
        return 2
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder,
        Services(databases, Path(folder), options.seed) as services,
    ):
        figures = [played(case, services, max(1, round(case.full * options.scale))) for case in chosen]
    print("", table(figures), f"{time.monotonic() - begun:.0f} seconds", sep="\n")
    return 1 if any(figure.violations for figure in figures) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", metavar="SCENARIO", help="these, or single cases; the names' beginnings do"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the tokens, or more of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="name the cases and how many tokens each takes")
    return parser.parse_args()


def played(case: Case, services: Services, count: int) -> Figures:
    """Play a case and say how it went; one that cannot be played to its end is a violation."""
    try:
        figures = case.run(services, count)
    except Exception:
        figures = Figures(case.name, violations=[traceback.format_exc()])
    print(table([figures]).splitlines()[1], flush=True)
    for note in figures.notes:
        print(f"  {note}", flush=True)
    for complaint in figures.violations[:SHOWN]:
        print(f"  violated: {complaint}", flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main())
