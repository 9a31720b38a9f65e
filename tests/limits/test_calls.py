"""The limits of calls through the endpoint: open confirmations, what a row holds, refused tokens, query strings."""

import time
import uuid

import pytest
from django.core.cache import cache
from django.utils import timezone

from django_mcp.approval import confirmations, effective_arguments
from django_mcp.checks.settings import check_settings
from django_mcp.choices import EventKind, State
from django_mcp.models import AuditEvent, Confirmation

pytestmark = pytest.mark.django_db

ORDER = {"customer_name": "Sam", "items": [{"product_id": 7, "quantity": 2, "size": "Grande", "options": []}]}
# A change of a row that is not there is refused by the preflight.
ABSENT = {"id": 999_999, "customer_name": "Kim"}


@pytest.fixture
def limited(settings):
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "MAX_OPEN_CONFIRMATIONS": 2}


def test_beyond_the_limit_of_open_confirmations_a_proposal_is_throttled(mcp, limited):
    tokens = [mcp.propose("CreateCoffeeShopOrder", ORDER) for _ in range(2)]
    answer = mcp.call("CreateCoffeeShopOrder", ORDER)
    assert answer["code"] == "throttled"
    assert 0 < answer["retryAfter"] <= 300
    assert mcp.call("CreateCoffeeShopOrder", ORDER, confirmationToken=tokens[0])["status"] == "success"
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["status"] == "requires_confirmation"


def test_a_proposal_beyond_the_limit_does_not_reach_the_hosts_code(mcp, limited):
    for _ in range(2):
        mcp.propose("CreateCoffeeShopOrder", ORDER)
    assert mcp.call("UpdateCoffeeShopOrder", ABSENT)["code"] == "throttled"


def test_expired_confirmations_reviews_and_those_of_other_keys_do_not_count(mcp, make_mcp, limited):
    for _ in range(2):
        make_mcp().propose("CreateCoffeeShopOrder", ORDER)
        mcp.propose("CreateCoffeeShopOrder", ORDER)
    rows = Confirmation.objects.filter(subject=Confirmation.objects.latest("issued_at").subject)
    rows.update(mode="review")
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["status"] == "requires_confirmation"
    Confirmation.objects.update(mode="confirmation_token", expires_at=timezone.now())
    assert mcp.call("CreateCoffeeShopOrder", ORDER)["status"] == "requires_confirmation"


def test_a_limit_of_zero_is_none(mcp, settings):
    settings.DJANGO_MCP = {**settings.DJANGO_MCP, "MAX_OPEN_CONFIRMATIONS": 0}
    for _ in range(3):
        mcp.propose("CreateCoffeeShopOrder", ORDER)


def test_long_arguments_are_hashed_and_not_kept(mcp, monkeypatch):
    monkeypatch.setattr(effective_arguments, "MAX_EFFECTIVE", 100)
    monkeypatch.setattr(confirmations, "MAX_EXCERPT", 60)
    order = {**ORDER, "items": ORDER["items"] * 5}
    token = mcp.propose("CreateCoffeeShopOrder", order)
    row = Confirmation.objects.get()
    assert (row.effective, row.arguments) == (None, {"customer_name": "Sam", "truncated": True})
    other = {**order, "customer_name": "Kim"}
    assert mcp.call("CreateCoffeeShopOrder", other, confirmationToken=token)["changed"] == ["customer_name"]
    assert mcp.call("CreateCoffeeShopOrder", order, confirmationToken=token)["status"] == "success"
    assert Confirmation.objects.get().state == State.SUCCEEDED


def test_of_many_arguments_the_last_share_a_digest():
    digests = effective_arguments._digests(
        uuid.uuid4(), {f"a{n:05}": n for n in range(10_000)} | {"n" * 999: 1}, b"key"
    )
    assert len(digests) == effective_arguments.MAX_DIGESTS + 1
    assert "…" in digests


def test_refused_tokens_are_recorded_at_powers_of_ten(mcp, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    for number in range(12):
        mcp.call("CreateCoffeeShopOrder", ORDER, confirmationToken=f"mcp_cf_{number}")
    events = AuditEvent.objects.filter(kind=EventKind.TOKEN_REFUSED).order_by("id")
    assert [event.detail.get("count") for event in events] == [None, 10]


def test_refused_calls_are_recorded_at_powers_of_ten_for_each_target(mcp, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    for _ in range(11):
        mcp.call("CreateCoffeeShopOrder", {"nope": 1})
    mcp.call("UpdateCoffeeShopOrder", {"nope": 1})
    events = AuditEvent.objects.filter(kind=EventKind.CALL_REFUSED).order_by("id")
    assert [event.detail.get("count") for event in events] == [None, 10, None]


def test_without_the_cache_every_refusal_is_recorded(mcp, monkeypatch):
    def fail(*args, **kwargs):
        raise ConnectionError

    monkeypatch.setattr(type(cache._connections[cache._alias]), "add", fail)
    for _ in range(3):
        mcp.call("CreateCoffeeShopOrder", ORDER, confirmationToken="mcp_cf_x")
    assert AuditEvent.objects.filter(kind=EventKind.TOKEN_REFUSED).count() == 3


@pytest.mark.parametrize(("value", "codes"), [(0, []), (5, []), (-1, ["E004"]), (True, ["E004"]), ("5", ["E004"])])
def test_the_limit_of_open_confirmations_is_a_whole_number(settings, value, codes):
    settings.DJANGO_MCP = {"MAX_OPEN_CONFIRMATIONS": value}
    assert [message.id.partition(".")[2] for message in check_settings(None)] == codes
