"""Drive real clients against the demo, and say what each did and which revision it spoke.

    python -m tests.e2e.clients [--readme] [PART OF A NAME]…

`--readme` writes the table into the README. Exits with 1 if a client did not do what it should.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.e2e.clients.catalogue import ALL
from tests.e2e.clients.driving import drive, serving
from tests.e2e.clients.table import row, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.clients", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PART OF A NAME", help="which clients; all unless said")
    parser.add_argument("--readme", action="store_true", help="write the table into the README, where all were driven")
    said = parser.parse_args()
    chosen = [client for client in ALL if not said.names or any(name in client.name for name in said.names)]
    outcomes = []
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        for client in chosen:
            outcome = drive(client, served)
            outcomes.append(outcome)
            print(row(outcome), *([outcome.failure] if outcome.failure else []), sep="\n", flush=True)
    fine = [outcome for outcome in outcomes if outcome.fine]
    print(f"{len(fine)} of {len(outcomes)} clients did what they should")
    if said.readme and len(chosen) == len(ALL):
        write(outcomes)
    return 0 if len(fine) == len(outcomes) else 1


sys.exit(main())
