import copy
from pathlib import Path

import pytest

from tests.e2e.conftest import LATTES, pytest_runtest_makereport  # noqa: F401
from tests.e2e.server import Backend, backends, shop

BACKENDS = backends()


def faulty_shop(backend, directory, workers=2, **more):
    return shop(
        backend,
        directory,
        settings="tests.faults.settings",
        groups=("coffee-shop", "faults"),
        workers=workers,
        FAULT_DIRECTORY=str(directory),
        **more,
    )


@pytest.fixture(scope="session", params=BACKENDS)
def faulty(request, tmp_path_factory):
    """The shop with operations and stores that fail, on each database."""
    with faulty_shop(request.param, tmp_path_factory.mktemp("faults")) as opened:
        yield opened


@pytest.fixture(scope="session")
def uncached(tmp_path_factory):
    """The same with a cache that fails when asked to. One worker: the cache is in its memory."""
    with faulty_shop(Backend("sqlite:///"), tmp_path_factory.mktemp("cache"), workers=1) as opened:
        yield opened


@pytest.fixture
def running(faulty):
    """The file in which a slow operation names its process; `go` beside it lets it finish."""
    directory = Path(faulty.env["FAULT_DIRECTORY"])
    for name in ("running", "go"):
        (directory / name).unlink(missing_ok=True)
    yield directory / "running"
    (directory / "go").touch()


@pytest.fixture
def lattes():
    return copy.deepcopy(LATTES)
