"""A database or a cache that fails between the proposal and the execution."""

import time

import pytest

from tests.e2e import tokens
from tests.e2e.server import Backend
from tests.faults.cache_servers import CacheServer
from tests.faults.conftest import faulty_shop

ORDER = "CreateCoffeeShopOrder"


@pytest.fixture
def named(lattes, request):
    """Arguments by whose name the orders of this test are found."""
    return {**lattes, "customer_name": request.node.name[-60:]}


def orders(shop, arguments):
    return shop.inside.orders_named(customer_name=arguments["customer_name"])


def refused_then_usable(shop, arguments, fault):
    """Redeem under a fault, then without: refused at first, run once afterwards."""
    sam, failing = shop.client("sam"), shop.client("sam", **{"X-Fault": fault})
    token = sam.propose(arguments)
    answer = failing.call(ORDER, arguments, token)
    assert answer.code == "unavailable", answer.structured
    assert orders(shop, arguments) == []
    assert shop.inside.confirmation(jti=tokens.jti(token))["state"] == "issued"
    assert sam.call(ORDER, arguments, token).structured["status"] == "success"
    assert sam.call(ORDER, arguments, token).code == "confirmation_used"
    assert len(orders(shop, arguments)) == 1


@pytest.mark.parametrize("fault", ["claim-refused", "claim-lost", "claim-event-refused", "database-gone-at-claim"])
def test_a_claim_that_the_database_did_not_take_runs_nothing_and_keeps_the_token(faulty, named, fault):
    refused_then_usable(faulty, named, fault)


def test_a_claim_whose_acknowledgement_was_lost_is_still_the_one_winner(faulty, named):
    sam, failing = faulty.client("sam"), faulty.client("sam", **{"X-Fault": "claim-acknowledgement-lost"})
    token = sam.propose(named)
    assert failing.call(ORDER, named, token).structured["status"] == "success"
    assert sam.call(ORDER, named, token).code == "confirmation_used"
    assert len(orders(faulty, named)) == 1
    assert faulty.inside.events(jti=tokens.jti(token))[:3] == ["token_issued", "token_consumed", "executed"]


def test_a_result_stands_although_its_event_could_not_be_written(faulty, named):
    sam, failing = faulty.client("sam"), faulty.client("sam", **{"X-Fault": "final-event-refused"})
    token = sam.propose(named)
    assert failing.call(ORDER, named, token).structured["status"] == "success"
    assert len(orders(faulty, named)) == 1
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] in {"unknown", "executing"}
    replay = sam.call(ORDER, named, token)
    assert replay.code == "confirmation_used"
    assert len(orders(faulty, named)) == 1


def test_an_outcome_whose_acknowledgement_was_lost_is_recorded_once(faulty, named):
    sam, failing = faulty.client("sam"), faulty.client("sam", **{"X-Fault": "final-acknowledgement-lost"})
    token = sam.propose(named)
    assert failing.call(ORDER, named, token).structured["status"] == "success"
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "succeeded"
    assert faulty.inside.events(jti=tokens.jti(token)) == ["token_issued", "token_consumed", "executed"]
    assert sam.call(ORDER, named, token).structured["outcome"]["status"] == "succeeded"


def test_a_statement_that_the_database_refused_changes_nothing(faulty, named):
    sam, failing = faulty.client("sam"), faulty.client("sam", **{"X-Fault": "order-refused"})
    token = sam.propose(named)
    assert failing.call(ORDER, named, token).code == "internal_error"
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "rejected"
    assert orders(faulty, named) == []


@pytest.mark.parametrize(("fault", "stored"), [("order-acknowledgement-lost", 1), ("order-lost", 0)])
def test_an_operation_whose_commit_was_not_acknowledged_may_have_been_applied(faulty, named, fault, stored):
    sam, failing = faulty.client("sam"), faulty.client("sam", **{"X-Fault": fault})
    token = sam.propose(named)
    answer = failing.call(ORDER, named, token)
    assert answer.code == "outcome_unknown"
    assert faulty.inside.confirmation(jti=tokens.jti(token))["state"] == "unknown"
    assert len(orders(faulty, named)) == stored
    assert sam.call(ORDER, named, token).structured["outcome"]["status"] == "unknown"


@pytest.fixture
def delegating(faulty):
    """The shop while the clients ask their users, so that writes run at once."""
    faulty.inside.configure(approval_mode="delegate_to_client")
    yield faulty
    faulty.inside.configure(approval_mode="")


@pytest.mark.parametrize("fault", ["beginning-refused", "beginning-lost"])
def test_a_write_that_could_not_be_recorded_first_does_not_run(delegating, named, fault):
    failing = delegating.client("sam", **{"X-Fault": fault})
    assert failing.call(ORDER, named).code == "unavailable"
    assert orders(delegating, named) == []


def test_a_write_whose_record_was_not_acknowledged_runs_at_most_once(delegating, named):
    failing = delegating.client("sam", **{"X-Fault": "beginning-acknowledgement-lost"})
    answer = failing.call(ORDER, named)
    assert answer.code in {None, "unavailable"}
    assert len(orders(delegating, named)) == (0 if answer.failed else 1)


def test_a_write_that_runs_at_once_is_on_the_record(delegating, named):
    before = delegating.inside.confirmation_count()
    assert delegating.client("sam").call(ORDER, named).structured["status"] == "success"
    assert delegating.inside.confirmation_count() == before + 1
    event = delegating.inside.last_event()
    assert (event["kind"], event["target"]) == ("executed", ORDER)


def test_a_proposal_that_could_not_be_stored_gives_no_token(faulty, named):
    failing = faulty.client("sam", **{"X-Fault": "proposal-refused"})
    before = faulty.inside.confirmation_count()
    answer = failing.call(ORDER, named)
    assert answer.code in {"unavailable", "internal_error"}
    assert b"mcp_cf_" not in answer.body
    assert b"closed the connection" not in answer.body
    assert faulty.inside.confirmation_count() == before


@pytest.mark.parametrize("fault", ["cache-add-raises", "cache-add-none", "cache-add-acknowledgement-lost"])
def test_a_cache_that_does_not_answer_runs_nothing_and_keeps_the_token(uncached, named, fault):
    refused_then_usable(uncached, named, fault)


def test_a_cache_that_is_gone_altogether_runs_nothing(uncached, named):
    sam, failing = uncached.client("sam"), uncached.client("sam", **{"X-Fault": "cache-gone"})
    token = sam.propose(named)
    assert failing.call(ORDER, named, token).code == "unavailable"
    assert orders(uncached, named) == []
    afterwards = sam.call(ORDER, named, token)
    assert afterwards.code in {None, "confirmation_used"}
    assert len(orders(uncached, named)) == (0 if afterwards.failed else 1)


def test_a_database_that_was_restored_does_not_make_a_token_run_again(uncached, named):
    sam = uncached.client("sam")
    token = sam.propose(named)
    assert sam.call(ORDER, named, token).structured["status"] == "success"
    uncached.inside.forget_execution(jti=tokens.jti(token))
    assert sam.call(ORDER, named, token).code == "confirmation_used"
    half_deaf = uncached.client("sam", **{"X-Fault": "cache-get-raises"})
    assert half_deaf.call(ORDER, named, token).code == "unavailable"
    assert len(orders(uncached, named)) == 1


@pytest.mark.parametrize("fault", ["cache-get-raises", "cache-set-raises"])
def test_what_the_cache_only_makes_faster_is_not_missed(uncached, named, fault):
    client = uncached.client("sam", **{"X-Fault": fault})
    token = client.propose(named)
    assert client.call(ORDER, named, token).structured["status"] == "success"
    assert client.call(ORDER, named, token).code == "confirmation_used"
    assert len(orders(uncached, named)) == 1


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=pytest.mark.service(kind)) for kind in ("redis", "memcached")]
)
def cache_server(request, tmp_path_factory):
    server = CacheServer(request.param, tmp_path_factory.mktemp(request.param))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def with_cache_server(cache_server, tmp_path_factory):
    directory = tmp_path_factory.mktemp("cache-server-shop")
    with faulty_shop(Backend("sqlite:///"), directory, **cache_server.env) as opened:
        yield opened


def once_it_is_back(call):
    """Repeat a call while it is unavailable: pymemcache does not ask a server again for a while after it failed."""
    deadline = time.monotonic() + 30
    while (answer := call()).code == "unavailable" and time.monotonic() < deadline:
        time.sleep(0.2)
    return answer


def test_while_a_cache_server_is_down_nothing_runs_and_the_token_works_afterwards(
    cache_server, with_cache_server, named
):
    sam = with_cache_server.client("sam")
    token = sam.propose(named)
    cache_server.stop()
    try:
        # A client may raise at first and hide the failure then.
        for _ in range(4):
            assert sam.call(ORDER, named, token).code == "unavailable"
        assert orders(with_cache_server, named) == []
        assert sam.read("GetCoffeeShopMenu").structured["status"] == "success"
    finally:
        cache_server.start()
    assert once_it_is_back(lambda: sam.call(ORDER, named, token)).structured["status"] == "success"
    assert sam.call(ORDER, named, token).code == "confirmation_used"
    assert len(orders(with_cache_server, named)) == 1


def test_a_replay_while_a_cache_server_is_down_is_still_refused(cache_server, with_cache_server, named):
    sam = with_cache_server.client("sam")
    token = sam.propose(named)
    assert once_it_is_back(lambda: sam.call(ORDER, named, token)).structured["status"] == "success"
    cache_server.stop()
    try:
        assert sam.call(ORDER, named, token).code == "confirmation_used"
    finally:
        cache_server.start()
    assert len(orders(with_cache_server, named)) == 1


def test_a_cache_server_remembers_what_a_restored_database_has_forgotten(with_cache_server, named):
    sam = with_cache_server.client("sam")
    token = sam.propose(named)
    assert once_it_is_back(lambda: sam.call(ORDER, named, token)).structured["status"] == "success"
    with_cache_server.inside.forget_execution(jti=tokens.jti(token))
    answer = once_it_is_back(lambda: sam.call(ORDER, named, token))
    assert answer.code == "confirmation_used"
    assert len(orders(with_cache_server, named)) == 1
