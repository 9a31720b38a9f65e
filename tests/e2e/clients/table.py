"""The README's table of clients, made from a run."""

import datetime

from tests.e2e.clients.driving import Outcome
from tests.e2e.clients.installing import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- clients -->", "<!-- /clients -->"


def row(outcome: Outcome) -> str:
    """Return the line of the table for what a client did."""
    client = outcome.client
    packages = ", ".join(f"`{package}`" for package in client.packages)
    return f"| {client.name} | {packages} | {outcome.revision or '-'} | {_did(outcome)} |"


def _did(outcome: Outcome) -> str:
    if not outcome.fine:
        return "failed"
    done = ["connects", *(["lists"] if outcome.lists else [])]
    if outcome.orders:
        done += ["reads the menu", "places a confirmed order"]
    return ", ".join(done) + (f" (`{outcome.client.command}`)" if outcome.client.command else "")


def write(outcomes: list[Outcome]) -> None:
    """Replace what is between the README's markers."""
    day = datetime.datetime.now(tz=datetime.UTC).strftime("%B %Y")
    lines = [
        BEGIN,
        f"{day}:",
        "",
        "| client | package | revision | does |",
        "|---|---|---|---|",
        *map(row, outcomes),
        END,
    ]
    before, _, rest = README.read_text().partition(BEGIN)
    README.write_text(before + "\n".join(lines) + rest.partition(END)[2])
