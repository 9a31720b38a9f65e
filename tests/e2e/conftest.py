import copy

import pytest

from tests.e2e.client import ORDER
from tests.e2e.server import LIVE, Shop, backends, shop

LATTES = {
    "customer_name": "Sam",
    "items": [{"product_id": 7, "size": "Grande", "quantity": 2, "options": ["Extra Shot", "Vanilla Syrup"]}],
}


@pytest.fixture(scope="session", params=backends())
def served(request, tmp_path_factory):
    """A shop behind two workers, on each database."""
    with shop(request.param, tmp_path_factory.mktemp("shop")) as opened:
        yield opened


@pytest.fixture
def sam(served: Shop):
    return served.client("sam")


@pytest.fixture
def kim(served: Shop):
    return served.client("kim")


@pytest.fixture
def lattes():
    """Arguments of an order that the shop takes; a copy that a test may change."""
    return copy.deepcopy(LATTES)


@pytest.fixture
def nothing_ran(served: Shop):
    """A check, to be called at the end, that no order was placed since."""
    before = served.inside.order_count()

    def check():
        assert served.inside.order_count() == before

    return check


@pytest.fixture
def placed(served: Shop, sam, lattes):
    """Return a function that places the order through a confirmed call and returns its id."""

    def place():
        content = sam.call(ORDER, lattes, sam.propose(lattes)).structured
        assert content["status"] == "success", content
        return content["response"]["id"]

    return place


@pytest.fixture
def short_expiry(served: Shop):
    served.inside.configure(confirmation_expiry=1)
    yield
    served.inside.configure(confirmation_expiry=None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        for server in LIVE:
            lines = server.log.read_text(errors="replace").splitlines()[-60:]
            report.sections.append((f"log of the server on port {server.port}", "\n".join(lines)))
    return report
