"""The clients that come quickly, each driven as `python -m tests.e2e.clients` drives all."""

import pytest

from tests.e2e.clients.catalogue import ALL, Client
from tests.e2e.clients.driving import drive, serving
from tests.e2e.clients.installing import ROOT
from tests.e2e.clients.table import BEGIN, END


def driven():
    for client in ALL:
        if client.in_ci:
            yield pytest.param(
                client, id=client.name, marks=pytest.mark.service("node" if client.of_npm else "clients")
            )


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("clients")) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("client", [*driven()])
def test_a_client_lists_the_tools_reads_the_menu_and_places_a_confirmed_order(served, client: Client):
    outcome = drive(client, served)
    assert outcome.failure == ""
    assert (outcome.revision, outcome.orders) == (client.revision, 1)


def test_the_readme_has_a_row_for_each_client_and_version():
    table = (ROOT / "README.md").read_text().partition(BEGIN)[2].partition(END)[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(ALL)
    for client, row in zip(ALL, rows, strict=True):
        assert client.name in row
        assert client.revision in row
        assert all(package in row for package in client.packages)
        assert "failed" not in row
